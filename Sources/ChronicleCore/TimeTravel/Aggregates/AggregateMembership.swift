/// Finds out which models the paths of an aggregate reached, and when.
///
/// It begins with the present relationships and undoes one transaction after the other. Each model at a node of the tree has the number
/// of relationships that reach it, so a transaction costs what it changes of these numbers, and not the size of the aggregate.
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
    /// The models at each node of the tree, and how many relationships of the models at its source reach them.
    private var found: [[PersistentIdentifier: Int]]
    private var isStarted = false

    /// The models that a node has in addition, or no longer.
    private struct Difference {
        var added: Set<PersistentIdentifier> = []
        var removed: Set<PersistentIdentifier> = []
    }

    init(_ root: PersistentIdentifier, _ tree: RelationshipTree, _ schema: Schema, _ rows: PresentRelationships) {
        (self.root, self.tree) = (root, tree)
        changes = RelationshipChanges(tree, schema)
        past = PastRelationships(rows)
        found = Array(repeating: [:], count: tree.nodes.count)
    }

    /// See ``PastRelationships/visits``.
    var visits: Int { past.visits }

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
        _ = try update()
        return tree.ends.map { Set(found[$0].keys) }
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
            for restoration in step.restorations.reversed() { past.restore(restoration) }
            let differences = try attributingErrors(to: step) { try update() }
            for (path, end) in tree.ends.enumerated() {
                for model in differences[end].removed {
                    guard let last = open[path].removeValue(forKey: model) else { continue }
                    spans.add(model, path, step.first...last)
                }
                for model in differences[end].added { open[path][model] = step.last }
            }
        }
        for (path, models) in open.enumerated() {
            for (model, last) in models { spans.add(model, path, 0...last) }
        }
        return spans
    }

    /// Returns what the restorations since the last call changed at each node.
    private mutating func update() throws -> [Difference] {
        defer { past.endStep() }
        let start = Difference(added: isStarted ? [] : [root])
        isStarted = true
        var differences: [Difference] = []
        for (index, node) in tree.nodes.enumerated() {
            let source = node.source.map { differences[$0] } ?? start
            let models = node.source.map { found[$0] } ?? [root: 1]
            var counts: [PersistentIdentifier: Int] = [:]
            for hop in node.hops { try count(hop, source, models, &counts) }
            differences.append(Self.add(counts, to: &found[index]))
        }
        return differences
    }

    private mutating func count(
        _ hop: RelationshipHop, _ source: Difference, _ models: [PersistentIdentifier: Int],
        _ counts: inout [PersistentIdentifier: Int]
    ) throws {
        try past.requireDestinations(hop, added: source.added, models: models)
        for difference in past.differences(of: hop) {
            let model = difference.source
            guard !source.added.contains(model), models[model] != nil || source.removed.contains(model) else {
                continue
            }
            counts[difference.destination, default: 0] += difference.count
        }
        for destination in try past.destinations(hop, of: source.added) { counts[destination, default: 0] += 1 }
        for destination in try past.destinations(hop, of: source.removed) { counts[destination, default: 0] -= 1 }
    }

    private static func add(
        _ counts: [PersistentIdentifier: Int], to found: inout [PersistentIdentifier: Int]
    ) -> Difference {
        var difference = Difference()
        for (model, count) in counts where count != 0 {
            let before = found[model] ?? 0
            found[model] = before + count > 0 ? before + count : nil
            if before == 0 {
                difference.added.insert(model)
            } else if before + count <= 0 {
                difference.removed.insert(model)
            }
        }
        return difference
    }

    private func attributingErrors<Result>(to step: Step, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SwiftDataError where error.code == .historyValueMissing {
            throw error.with(
                detail: "the history does not contain the destination of this relationship before transaction "
                    + "\(step.transaction); enable preserving values for later changes, and begin after this transaction"
            )
        }
    }
}
