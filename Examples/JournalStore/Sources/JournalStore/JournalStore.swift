import Chronicle
import Foundation
import Synchronization

/// A store that keeps models in an append-only journal, which is also their history.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self, configurations: JournalStoreConfiguration(url: url))
/// ```
///
/// Each save appends one record to a file; the rows, as the records describe them, are in memory. Several processes may
/// use one journal: each reads what others appended before a fetch or a save. See the README for the format and the
/// guarantees.
///
/// The store does not filter or sort; it leaves that to the context.
public final class JournalStore: DataStore {
    public typealias Snapshot = DefaultSnapshot

    public let identifier: String
    public let configuration: JournalStoreConfiguration
    public let schema: Schema
    private let journal: Mutex<Journal>

    /// - Throws: `SwiftDataError.missingDirectory`, `.fileReadOnly`, `.notADatabase` for a file that is not a journal,
    ///   `.unsupportedFileVersion`, `.damagedFile` for damage before the last record, `.backwardMigration`, or
    ///   `.storeBusy`. The file is unchanged then. An incomplete last record is removed.
    public init(_ configuration: JournalStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        let journal: Journal
        do { journal = try Journal(configuration, schema) } catch let error as SwiftDataError {
            throw error.with(storeIdentifier: error.storeIdentifier ?? configuration.name)
        }
        identifier = journal.identifier
        self.configuration = configuration
        self.schema = schema
        self.journal = Mutex(journal)
    }

    /// Runs `body` with exclusive access to the journal in this process, and adds the store's identifier to its errors.
    func withJournal<Result: Sendable>(_ body: (inout Journal) throws -> Result) throws -> Result {
        do { return try journal.withLock { try body(&$0) } } catch let error as SwiftDataError {
            throw error.with(storeIdentifier: identifier)
        }
    }

    // MARK: Fetching

    /// Returns rows in the order of their keys: all, or those of a lookup. The context filters and sorts them.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        if descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let snapshots = try rows(Model.entityName) { table in
            table.keys(request.lookup).dropFirst(max(descriptor.fetchOffset ?? 0, 0))
                .prefix(max(descriptor.fetchLimit ?? .max, 0)).map(table.snapshot)
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        let descriptor = request.descriptor
        guard descriptor.predicate == nil, request.lookup == nil else {
            return try fetch(request).fetchedSnapshots.count
        }
        let rest = try rows(Model.entityName) { $0.rows.count } - max(descriptor.fetchOffset ?? 0, 0)
        return min(max(rest, 0), max(descriptor.fetchLimit ?? .max, 0))
    }

    private func rows<Result: Sendable>(_ entityName: String, _ body: (borrowing Table) -> Result) throws -> Result {
        try withJournal { journal in
            try journal.read { journal in
                guard let number = journal.state.tables.known(entityName) else {
                    throw SwiftDataError.unknownSchema.with(entityName: entityName)
                }
                return body(journal.state.tables[number])
            }
        }
    }

    // MARK: Saving

    /// Validates all changes first, writes one record, and then changes the rows in memory.
    public func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try withJournal { journal in
            try journal.write { journal in
                var plan = SavePlan(journal.state.tables)
                try plan.add(request, journal.state.tables)
                let changes = plan.changes(journal.state.tables)
                var token: JournalToken?
                if changes.count > 0 {
                    let position = try journal.append(changes, request.editingState)
                    token = JournalToken(storeIdentifier: identifier, position)
                }
                return DataStoreSaveChangesResult(
                    for: identifier, inserted: request.inserted, insertedIdentifiers: plan.identifiers,
                    historyToken: token)
            }
        }
    }

    // MARK: Maintenance

    /// Reclaims the space of deleted history by replacing the file with a new one.
    ///
    /// Models, transactions and tokens do not change. Deleting history also compacts if the greater part of the file
    /// can be removed. The time is that of reading the journal and writing the remaining content.
    public func compact() throws {
        try withJournal { try $0.write { try $0.compact() } }
    }
}

extension Table {
    /// The keys of all rows, or of those that a lookup describes, in order.
    fileprivate func keys(_ lookup: DataStoreLookup?) -> [Int64] {
        switch lookup {
        case .identifiers(let identifiers)?: identifiers.compactMap(key).sorted()
        case .references(let property, let identifiers)?:
            identifiers.reduce(into: Set()) { $0.formUnion(referrers(property, to: $1)) }.sorted()
        case .values(let properties, let combinations)?:
            layout.constraints.firstIndex(of: properties.map(\.slot)).map { constraint in
                combinations.compactMap { holder(constraint, of: $0) }.sorted()
            } ?? []
        case nil: Array(rows.keys)
        }
    }

    /// The key of the row with an identifier, or `nil` if there is none.
    private func key(_ identifier: PersistentIdentifier) -> Int64? {
        guard let key = identifier.integerPrimaryKey, layout.origin.identifier(key) == identifier, rows[key] != nil
        else { return nil }
        return key
    }

    private func referrers(_ property: Schema.Property, to one: PersistentIdentifier) -> Set<Int64> {
        guard let number = layout.references.firstIndex(where: { $0.column == property.slot }),
            one.storeIdentifier == layout.origin.storeIdentifier,
            one.entityName == layout.references[number].destination, let key = one.integerPrimaryKey
        else { return [] }
        return referrers(number, to: key)
    }

    fileprivate func snapshot(_ key: Int64) -> DefaultSnapshot {
        let row = rows[key] ?? []
        return DefaultSnapshot(
            persistentIdentifier: layout.origin.identifier(key),
            values: row.count == layout.properties.count ? row : Array(row.prefix(layout.properties.count)),
            changed: PropertySet())
    }
}
