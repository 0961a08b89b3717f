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

    /// - Throws: `SwiftDataError.missingDirectory`, `.fileReadOnly`, `.notADatabase` for a file that is no journal,
    ///   `.unsupportedFileVersion`, `.damagedFile` for one with damage before its last record, `.backwardMigration`, and
    ///   `.storeBusy`. The file is left as it is then. A last record that is not whole is removed.
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

    /// Runs what uses the journal, one after the other. Errors name the store.
    func withJournal<Result: Sendable>(_ body: (inout Journal) throws -> Result) throws -> Result {
        do { return try journal.withLock { try body(&$0) } } catch let error as SwiftDataError {
            throw error.with(storeIdentifier: identifier)
        }
    }

    // MARK: Fetching

    /// Rows in the order of their keys: all, or those that relationships lead to. The rest is left to the context.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let descriptor = request.descriptor
        let reference = descriptor.reference(schema)
        if descriptor.predicate != nil, reference == nil { throw DataStoreError.preferInMemoryFilter }
        if !descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        let snapshots = try rows(Model.entityName) { table in
            table.keys(reference).dropFirst(max(descriptor.fetchOffset ?? 0, 0))
                .prefix(max(descriptor.fetchLimit ?? .max, 0)).map(table.snapshot)
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
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
                    throw SwiftDataError.unknownSchema.with(entityName: entityName)
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

    /// Gives back the space of the history that was deleted, by a new file in the place of the old one.
    ///
    /// Models, transactions and tokens stay as they are. Deleting history does it, too, when the greater part of the file
    /// would go. The time is that of reading the journal and writing what is left.
    public func compact() throws {
        try withJournal { try $0.write { try $0.compact() } }
    }
}

extension Table {
    /// The keys of all rows, or of those that a reference asks for, in order.
    fileprivate func keys(_ reference: (property: ModelProperty, identifier: PersistentIdentifier)?) -> [Int64] {
        switch reference {
        case (.identifier, let one)?:
            [one.integerPrimaryKey].compactMap(\.self).filter { layout.origin.identifier($0) == one && rows[$0] != nil }
        case (.stored(let property), let one)?: referrers(property, to: one).sorted()
        case nil: Array(rows.keys)
        }
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
