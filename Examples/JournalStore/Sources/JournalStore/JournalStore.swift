import Chronicle
import Foundation
import Synchronization

/// Models in an append-only journal, which is their history as well.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: JournalStoreConfiguration(url: url))
/// ```
///
/// Each save is one record at the end of a plain file; the rows are in memory, as the records tell of them. Several
/// processes may use one journal: each reads what others appended before it answers. See the README for the format and
/// for what it promises.
///
/// It filters and sorts nothing itself: it says so, and the context does.
public final class JournalStore: DataStore {
    public typealias Snapshot = DefaultSnapshot

    public let identifier: String
    public let configuration: JournalStoreConfiguration
    public let schema: Schema
    private let journal: Mutex<Journal>

    /// - Throws: `SwiftDataError.missingDirectory`, `.fileIsReadOnly`, `.notADatabase` for a file that is no journal,
    ///   `.fileOfNewerFormat`, `.damagedFile` for one with damage before its last record, `.backwardMigration`, and
    ///   `.storeIsBusy`. The file is left as it is then. A last record that is not whole is removed.
    public init(_ configuration: JournalStoreConfiguration, schema: Schema) throws {
        let journal: Journal
        do { journal = try Journal(configuration, schema) } catch let error as SwiftDataError {
            throw error.adding(storeIdentifier: error.storeIdentifier ?? configuration.name)
        }
        identifier = journal.identifier
        self.configuration = configuration
        self.schema = schema
        self.journal = Mutex(journal)
    }

    /// Runs what uses the journal, one after the other. Errors name the store.
    func withJournal<Result: Sendable>(_ body: (inout Journal) throws -> Result) throws -> Result {
        do { return try journal.withLock { try body(&$0) } } catch let error as SwiftDataError {
            throw error.adding(storeIdentifier: identifier)
        }
    }

    // MARK: Fetching

    /// All rows in the order of their keys, or the one with an identifier; the rest is left to the context.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        let identifier = descriptor.identifier
        if descriptor.predicate != nil, identifier == nil { throw DataStoreError.preferInMemoryFilter }
        if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let snapshots = try rows(Model.entityName) { table in
            let keys = identifier.map { [table.key($0)].compactMap(\.self) } ?? Array(table.sortedKeys)
            return keys.dropFirst(max(descriptor.fetchOffset ?? 0, 0)).prefix(max(descriptor.fetchLimit ?? .max, 0))
                .map(table.snapshot)
        }
        return DataStoreFetchResult(fetchedSnapshots: snapshots)
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        let descriptor = request.descriptor
        guard descriptor.predicate == nil else { return try fetch(request).fetchedSnapshots.count }
        let rest = try rows(Model.entityName) { $0.rows.count } - max(descriptor.fetchOffset ?? 0, 0)
        return min(max(rest, 0), max(descriptor.fetchLimit ?? .max, 0))
    }

    private func rows<Result: Sendable>(_ entityName: String, _ body: (borrowing Table) -> Result) throws -> Result {
        try withJournal { journal in
            try journal.read { journal in
                guard let number = journal.state.tables.known(entityName) else {
                    throw SwiftDataError.unknownSchema.adding(entityName: entityName)
                }
                return body(journal.state.tables[number])
            }
        }
    }

    // MARK: Saving

    /// Looks at all of it first, writes one record, and then changes the rows in memory.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try withJournal { journal in
            try journal.write { journal in
                var plan = SavePlan(journal.state.tables)
                try plan.add(request, journal.state.tables)
                let changes = plan.changes(journal.state.tables)
                guard changes.count > 0 else { return DataStoreSaveChangesResult(remappedIdentifiers: plan.permanent) }
                let position = try journal.append(changes, request.editingState)
                return DataStoreSaveChangesResult(
                    remappedIdentifiers: plan.permanent,
                    historyToken: JournalToken(storeIdentifier: identifier, position))
            }
        }
    }

    // MARK: Maintenance

    /// Gives back the space of the history that was deleted, by a new file in the place of the old one.
    ///
    /// Models, transactions and tokens stay as they are. Deleting history does it, too, when the greater part of the file
    /// would go. The time is that of reading the journal and writing what is left.
    public func compact() throws {
        try withJournal { try $0.write { try $0.compact() } }
    }
}

extension Table {
    /// The row of an identifier, if there is one.
    fileprivate func key(_ identifier: PersistentIdentifier) -> Int64? {
        guard let key = identifier.integerPrimaryKey, layout.origin.identifier(key) == identifier, rows[key] != nil
        else {
            return nil
        }
        return key
    }

    fileprivate func snapshot(_ key: Int64) -> DefaultSnapshot {
        let row = rows[key] ?? []
        return DefaultSnapshot(
            persistentIdentifier: layout.origin.identifier(key),
            values: row.count == layout.properties.count ? row : Array(row.prefix(layout.properties.count)),
            changed: PropertySet())
    }
}

extension FetchDescriptor {
    /// The identifier that the predicate asks for and for nothing else, as contexts do for `model(for:)` and for the
    /// destination of a relationship: looking through all rows for each would be slow.
    fileprivate var identifier: PersistentIdentifier? {
        typealias Path = PredicateExpressions.KeyPath<PredicateExpressions.Variable<Model>, PersistentIdentifier>
        typealias Identifier = PredicateExpressions.Value<PersistentIdentifier>
        guard let equal = predicate?.expression as? PredicateExpressions.Equal<Path, Identifier>,
            equal.lhs.keyPath == \Model.persistentModelID
        else { return nil }
        return equal.rhs.value
    }
}
