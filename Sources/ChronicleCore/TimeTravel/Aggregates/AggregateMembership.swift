/// Finds out which models the paths of an aggregate reached, and when.
///
/// It begins with the present relationships and undoes one transaction after the other. The models are searched again only after a
/// transaction that concerns one of them.
struct AggregateMembership {
    /// A transaction that changed relationships.
    private struct Step {
        let transaction: Int64
        /// The numbers of the first and the last change of the transaction.
        let first: Int
        var last: Int
        var restorations: [PastRelationships.Restoration]
    }

    let root: PersistentIdentifier
    let tree: RelationshipTree
    private var changes: RelationshipChanges
    private var past: PastRelationships
    private var steps: [Step] = []
    /// Of the changes after the last position.
    private var laterRestorations: [PastRelationships.Restoration] = []
    private var transaction: (identifier: Int64, first: Int)?
    /// The models at each node of the tree, and those of all nodes.
    private var found: [Set<PersistentIdentifier>] = []
    private var all: Set<PersistentIdentifier> = []

    init(_ root: PersistentIdentifier, _ tree: RelationshipTree, _ schema: Schema, _ rows: PresentRelationships) {
        (self.root, self.tree) = (root, tree)
        changes = RelationshipChanges(tree, schema)
        past = PastRelationships(rows)
    }

    // MARK: Reading changes

    /// Adds the next change.
    ///
    /// - Parameter number: The number of the change among those that are read.
    mutating func add(_ change: HistoryChange, _ number: Int, of transaction: DefaultHistoryTransaction) {
        let identifier = transaction.transactionIdentifier
        if self.transaction?.identifier != identifier { self.transaction = (identifier, number) }
        let restorations = changes.restorations(change)
        if steps.last?.transaction == identifier {
            steps[steps.count - 1].last = number
            steps[steps.count - 1].restorations += restorations
        } else if !restorations.isEmpty {
            steps.append(
                Step(
                    transaction: identifier, first: self.transaction?.first ?? number, last: number,
                    restorations: restorations))
        }
    }

    /// Adds the next change after the last position.
    mutating func addLater(_ change: HistoryChange) { laterRestorations += changes.restorations(change) }

    // MARK: Finding models

    /// Returns the models at the end of each path at the last position.
    mutating func members() throws -> [Set<PersistentIdentifier>] {
        for restoration in laterRestorations.reversed() { past.restore(restoration) }
        laterRestorations = []
        try search()
        return tree.ends.map { found[$0] }
    }

    /// Returns the models at the end of each path at the first position.
    mutating func firstMembers() throws -> [Set<PersistentIdentifier>] {
        for restoration in laterRestorations.reversed() { past.restore(restoration) }
        for step in steps.reversed() { for restoration in step.restorations.reversed() { past.restore(restoration) } }
        (laterRestorations, steps) = ([], [])
        return try members()
    }

    /// Returns when the paths reached models. Throws ``SwiftDataError/historyValueMissing``.
    mutating func spans() throws -> AggregateSpans {
        var spans = AggregateSpans(root)
        // The last change of the transaction before which the paths still reached the model.
        var open: [[PersistentIdentifier: Int]] = try members().map { models in
            Dictionary(uniqueKeysWithValues: models.map { ($0, .max) })
        }
        while let step = steps.popLast() {
            var isAffected = false
            for restoration in step.restorations.reversed() {
                if !isAffected { isAffected = affectsModels(restoration) }
                past.restore(restoration)
            }
            guard isAffected else { continue }
            try attributingErrors(to: step) { try search() }
            for (path, end) in tree.ends.enumerated() {
                for (model, last) in open[path] where !found[end].contains(model) {
                    spans.add(model, path, step.first...last)
                    open[path][model] = nil
                }
                for model in found[end] where open[path][model] == nil { open[path][model] = step.last }
            }
        }
        for (path, models) in open.enumerated() {
            for (model, last) in models { spans.add(model, path, 0...last) }
        }
        return spans
    }

    private mutating func search() throws {
        found = []
        all = [root]
        for node in tree.nodes {
            let sources = node.source.map { found[$0] } ?? [root]
            var models: Set<PersistentIdentifier> = []
            for hop in node.hops { models.formUnion(try past.destinations(hop, of: sources)) }
            found.append(models)
            all.formUnion(models)
        }
    }

    private func affectsModels(_ restoration: PastRelationships.Restoration) -> Bool {
        switch restoration {
        case .reference(_, let model, .destination(let destination)):
            all.contains(model) || destination.map(all.contains) ?? false
        case .reference(_, _, .unknown), .unknownLinks: true
        case .link(_, let link, _): all.contains(link.owner) || all.contains(link.destination)
        case .existence(let model, _): all.contains(model) || past.linked.contains(model)
        }
    }

    private func attributingErrors(to step: Step, _ body: () throws -> Void) throws {
        do { try body() } catch let error as SwiftDataError where error.code == .historyValueMissing {
            throw error.with(
                detail: "the history does not contain the destination of this relationship before transaction "
                    + "\(step.transaction); enable preserving values for later changes, and begin after this transaction"
            )
        }
    }
}

/// The changes during which the paths of an aggregate reached models.
struct AggregateSpans {
    private let root: PersistentIdentifier
    private var spans: [PersistentIdentifier: [(path: Int, changes: ClosedRange<Int>)]] = [:]

    init(_ root: PersistentIdentifier) { self.root = root }

    fileprivate mutating func add(_ model: PersistentIdentifier, _ path: Int, _ changes: ClosedRange<Int>) {
        spans[model, default: []].append((path, changes))
    }

    /// Returns the indices of the paths that reached a model directly before or after the transaction of a change; `nil` if the
    /// change does not belong to the aggregate.
    func paths(to model: PersistentIdentifier, at number: Int) -> [Int]? {
        let paths = (spans[model] ?? []).filter { $0.changes.contains(number) }.map(\.path)
        return paths.isEmpty && model != root ? nil : Set(paths).sorted()
    }
}
