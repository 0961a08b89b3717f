public import ChronicleCore
import ChronicleSQLite
import Synchronization

extension DefaultStore: DataStoreBatching {
    /// Deletes the rows with one statement. Foreign keys do what the delete rules say, triggers record it, and no row
    /// comes into memory.
    ///
    /// Left to the context: a delete that has to cascade, or is to be denied, where no foreign key does it (from the side
    /// of a relationship whose other side has no column of its own), and one that cascades deeper than SQLite goes.
    public func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        guard configuration.allowsSave else {
            throw SwiftDataError.storeReadOnly.with(storeIdentifier: identifier)
        }
        let query = try FetchSQL(
            FetchDescriptor(predicate: request.predicate), schema: schema, storeIdentifier: identifier
        ).delete
        let cascade = Cascade(from: try layout.table(for: Model.self).entity, schema)
        guard cascade.isByForeignKeys else { throw DataStoreError.preferInMemoryFilter }
        try translating {
            try database.write { connection in
                do { try delete(query, request.editingState, connection) } catch let error as SQLiteError
                    where cascade.isEndless && error.isUnspecific
                {
                    // A chain of more rows than SQLite cascades through, or an error that the context will meet too.
                    // https://www.sqlite.org/limits.html#max_trigger_depth
                    throw DataStoreError.preferInMemoryFilter
                }
            }
        }
    }

    private func delete(_ query: SQLQuery, _ state: EditingState, _ connection: Connection) throws {
        let header = try connection.immediate(explaining: { referenceError(from: $0, on: connection, deleted: nil) }) {
            let headers = HeaderWriter(self, connection)
            let first = try configuration.recordsHistory ? headers.sealForeignChanges() : nil
            try connection.cached(query).run()
            return try first.flatMap { try headers.write(state, from: $0, isChange: false) }
        }
        // Only now: a transaction that failed took its new source back.
        if let header { sources.withLock { $0[header.source] = header.sourceNumber } }
    }
}

/// The deletes that follow from deleting rows of an entity, or are denied.
private struct Cascade {
    /// Whether a foreign key is there for each of them.
    private(set) var isByForeignKeys = true
    /// Whether they come back to an entity that they started from, so that only the rows say where they end.
    private(set) var isEndless = false
    private var ended: Set<String> = []

    init(from entity: Schema.Entity, _ schema: Schema) {
        follow(entity, schema, path: [])
    }

    private mutating func follow(_ entity: Schema.Entity, _ schema: Schema, path: Set<String>) {
        if path.contains(entity.name) { isEndless = true }
        guard !path.contains(entity.name), !ended.contains(entity.name) else { return }
        for relationship in entity.properties.compactMap(\.relationship)
        where relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
            guard let destination = schema.entitiesByName[relationship.destination] else { continue }
            // The destination's own column is the foreign key; links have a trigger.
            if !relationship.isLinked, (schema.inverse(of: relationship)?.slot ?? -1) < 0 { isByForeignKeys = false }
            guard relationship.deleteRule == .cascade else { continue }
            follow(destination, schema, path: path.union([entity.name]))
        }
        ended.insert(entity.name)
    }
}
