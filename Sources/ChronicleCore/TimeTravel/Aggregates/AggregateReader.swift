import Foundation

/// Reads the history of a model together with that of the models that paths of relationships reach.
struct AggregateReader {
    typealias Store = any HistoryProviding<DefaultHistoryTransaction>

    private let root: PersistentIdentifier
    private let provider: Store
    private let tree: RelationshipTree
    private let schema: Schema
    /// The store as of ``newest``.
    private let rows: PresentRelationships
    private let lower: DefaultHistoryToken?
    private let upper: DefaultHistoryToken
    private let newest: DefaultHistoryToken

    /// - Parameters:
    ///   - token: The position after which the changes are read, or `nil` for that after which the history is complete.
    ///   - asOf: The last position, or `nil` for the newest one.
    init(
        _ root: PersistentIdentifier, _ paths: [String], in provider: Store, _ schema: Schema,
        after token: DefaultHistoryToken?, asOf: DefaultHistoryToken?
    ) throws {
        tree = try RelationshipTree(paths, of: root.entityName, schema)
        let newest = try provider.currentHistoryToken()
        guard let store = provider as? any DataStore, type(of: store).capabilities.contains(.earlierPositions),
            let newest
        else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "\(type(of: provider)) cannot be read as of a position, which the history of related models "
                    + "requires; read the history of each model instead")
        }
        (self.root, self.provider, self.schema, self.newest) = (root, provider, schema, newest)
        rows = PresentRelationships(store: try provider.store(asOf: newest))
        lower =
            try token
            ?? provider.fetchModelHistory(ModelHistoryRequest(root, order: .reverse, limit: 1)).completeAfter
        upper = asOf ?? newest
    }

    private func makeMembership() throws -> AggregateMembership {
        var membership = AggregateMembership(root, tree, schema, rows)
        // Most reads end at the newest position.
        guard upper != newest else { return membership }
        try provider.forEachChange(after: upper, through: newest) { _, change in membership.addLater(change) }
        return membership
    }

    func entries() throws -> [ModelHistoryEntry<DefaultHistoryTransaction>] {
        var membership = try makeMembership()
        try forEachChange { transaction, change, number in membership.add(change, number, of: transaction) }
        var spans = try membership.spans()
        var entries: [ModelHistoryEntry<DefaultHistoryTransaction>] = []
        try forEachChange { transaction, change, number in
            guard let paths = spans.paths(to: change.changedPersistentIdentifier, at: number) else { return }
            var entry = ModelHistoryEntry(transaction: transaction, change: change)
            entry.paths = paths.map { tree.paths[$0] }
            entries.append(entry)
        }
        return entries
    }

    /// Returns the models at the last position with their paths, the root first.
    func members() throws -> [(model: PersistentIdentifier, paths: [String])] {
        var membership = try makeMembership()
        return Self.list(root, tree, try membership.members())
    }

    /// Returns the models that the paths reach at the first or the last position, and the root.
    func membersAtBothEnds() throws -> Set<PersistentIdentifier> {
        var membership = try makeMembership()
        try forEachChange { transaction, change, number in membership.add(change, number, of: transaction) }
        let last = try membership.members()
        return try membership.firstMembers().reduce(last.reduce([root]) { $0.union($1) }) { $0.union($1) }
    }

    private static func list(
        _ root: PersistentIdentifier, _ tree: RelationshipTree, _ found: [Set<PersistentIdentifier>]
    ) -> [(model: PersistentIdentifier, paths: [String])] {
        var paths: [PersistentIdentifier: [String]] = [root: []]
        var order = [root]
        for (path, models) in zip(tree.paths, found) {
            for model in models.sorted() {
                if paths[model] == nil { order.append(model) }
                paths[model, default: []].append(path)
            }
        }
        return order.map { ($0, paths[$0] ?? []) }
    }

    /// Both reads number the changes alike, because history is only added at its end, and an incomplete read throws an error.
    func forEachChange(
        _ body: (DefaultHistoryTransaction, HistoryChange, _ number: Int) throws -> Void
    ) throws {
        var number = 0
        try provider.forEachChange(after: lower, through: upper) { transaction, change in
            try body(transaction, change, number)
            number += 1
        }
    }
}
