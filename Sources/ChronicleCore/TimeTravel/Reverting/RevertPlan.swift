/// What a revert would change, and the conflicts to resolve before.
///
/// Inspect a plan, resolve its conflicts, and apply it:
///
/// ```swift
/// var plan = try context.revertPlan(for: transaction)
/// for conflict in plan.conflicts where conflict.kind == .changedSince {
///     plan.resolve(conflict, with: .keepCurrent)
/// }
/// try context.apply(plan)         // Throws if there are unresolved conflicts.
/// try context.save()
/// ```
public struct RevertPlan: Sendable {
    /// The change of one model.
    public struct Step: Sendable, Identifiable {
        /// The kind of a step.
        public enum Action: Sendable {
            /// Inserts a deleted model again, with its identifier.
            case restore
            /// Sets properties to their old values.
            case update
            /// Deletes an inserted model.
            case delete
        }

        /// The identifier of the model.
        public let persistentIdentifier: PersistentIdentifier
        /// What to do with the model.
        public let action: Action
        /// The properties that a restored or updated model gets: ``NetValue/value`` is the old value. Empty for a delete.
        public let values: [NetValue]

        public var id: PersistentIdentifier { persistentIdentifier }
    }

    /// The conflicts, in the order of the steps.
    public private(set) var conflicts: [RevertConflict]
    /// The changes, one for each model, including those of unresolved conflicts whose old value is known.
    public var steps: [Step] {
        let resolutions = Dictionary(grouping: conflicts.filter { $0.resolution != nil }, by: \.persistentIdentifier)
        return allSteps.compactMap { step in
            guard let decided = resolutions[step.persistentIdentifier] else { return step }
            if decided.contains(where: { $0.resolution == .skipModel }) { return nil }
            let kept = Set(decided.lazy.filter { $0.resolution == .keepCurrent }.compactMap(\.propertyName))
            let values = step.values.filter { !kept.contains($0.name) }
            if step.action == .update, values.isEmpty { return nil }
            return Step(persistentIdentifier: step.persistentIdentifier, action: step.action, values: values)
        }
    }
    /// The conflicts without a resolution, except for those of models that are skipped.
    public var unresolvedConflicts: [RevertConflict] {
        let skipped = Set(conflicts.lazy.filter { $0.resolution == .skipModel }.map(\.persistentIdentifier))
        return conflicts.filter { $0.resolution == nil && !skipped.contains($0.persistentIdentifier) }
    }

    /// The inverse of the changes to revert.
    let changes: NetChanges
    private let allSteps: [Step]
    private let indices: [RevertConflict.ID: Int]
    /// Marks the transaction of an undo or a redo.
    var mark: (key: String, value: String)?

    init(_ changes: NetChanges, _ steps: [Step], _ conflicts: [RevertConflict]) {
        self.changes = changes
        allSteps = steps
        self.conflicts = conflicts
        indices = Dictionary(
            conflicts.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Decides about a conflict.
    ///
    /// - Parameters:
    ///   - conflict: A conflict of the plan. Other conflicts are ignored.
    ///   - resolution: One of the ``RevertConflict/allowedResolutions``; others are ignored. `nil` withdraws the decision.
    /// - Returns: Whether the conflict now has the resolution.
    @discardableResult
    public mutating func resolve(_ conflict: RevertConflict, with resolution: RevertConflict.Resolution?) -> Bool {
        guard let index = indices[conflict.id],
            resolution.map(conflicts[index].allowedResolutions.contains) ?? true
        else { return false }
        conflicts[index].resolution = resolution
        return true
    }

    /// Decides about all conflicts that have no resolution and allow this one.
    ///
    /// - Parameter resolution: The decision.
    public mutating func resolveAll(with resolution: RevertConflict.Resolution) {
        for index in conflicts.indices
        where conflicts[index].resolution == nil && conflicts[index].allowedResolutions.contains(resolution) {
            conflicts[index].resolution = resolution
        }
    }
    /// Also keeps decisions about conflicts that they have ended.
    func keepingDecisions(of earlier: RevertPlan) -> RevertPlan {
        let known = Set(conflicts.lazy.map(\.id))
        let ended = earlier.conflicts.filter { $0.resolution != nil && !known.contains($0.id) }
        var plan = RevertPlan(changes, allSteps, conflicts + ended)
        plan.mark = earlier.mark
        return plan
    }
}
