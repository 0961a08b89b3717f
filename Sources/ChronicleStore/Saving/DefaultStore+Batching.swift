public import ChronicleCore
import ChronicleSQLite
import Synchronization

extension DefaultStore: DataStoreBatching {
    /// Deletes the rows that match a request with one statement, without loading them. Foreign keys apply the delete
    /// rules, and triggers record the changes.
    ///
    /// - Parameter request: The model and the predicate of the rows to delete.
    /// - Throws: One of the following errors.
    ///   - ``DataStoreError/preferInMemoryFilter`` if the context must delete the models one by one: a delete cascades
    ///     or is denied through a relationship without a foreign key, or cascades deeper than SQLite supports. Contexts
    ///     handle this error.
    ///   - ``SwiftDataError/deleteDenied`` if a required reference to a row exists. Delete the referencing models
    ///     first.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving. Change the configuration.
    ///   - ``SwiftDataError/unsupportedPredicate`` for expressions without an SQL equivalent. Rewrite them.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    /// - Complexity: Proportional to the visited rows and the deleted rows.
    public func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
        try requireWriteAccess()
        let query = try FetchSQL(
            FetchDescriptor(predicate: request.predicate), includeSubclasses: request.includeSubclasses,
            schema: schema, storeIdentifier: identifier
        ).delete
        let entity = try layout.table(for: Model.self).entity
        let cascade = Cascade(
            from: schema.kinds(of: entity.name).sorted().compactMap { schema.entitiesByName[$0] }, schema)
        guard cascade.isByForeignKeys else { throw DataStoreError.preferInMemoryFilter }
        defer { startAutomaticPurge() }
        try attributingErrors {
            try database.write { connection in
                do { try delete(query, request.editingState, connection) } catch let error as SQLiteError
                    where cascade.isRecursive && error.isGenericError
                {
                    // The cascade is deeper than SQLite supports, or the context will encounter the same error.
                    // https://www.sqlite.org/limits.html#max_trigger_depth
                    throw DataStoreError.preferInMemoryFilter
                }
            }
        }
    }

    private func delete(_ query: SQLQuery, _ state: EditingState, _ connection: Connection) throws {
        let header = try connection.immediate(mapError: { referenceError(from: $0, on: connection, deleted: nil) }) {
            var headers = HeaderWriter(self, connection)
            let first = try configuration.recordsHistory ? headers.sealExternalChanges() : nil
            try connection.setTriggersEnabled(true)
            try connection.cached(query).run()
            return try first.flatMap { try headers.write(state, from: $0, isChange: false) }
        }
        // After the transaction, because a failed transaction also rolls back its header and source.
        if let header { latestHeader.withLock { $0 = header } }
    }
}

/// The deletes that follow from deleting rows of an entity, or that deny it.
private struct Cascade {
    /// Whether each of them is performed by a foreign key or a trigger.
    private(set) var isByForeignKeys = true
    /// Whether they form a cycle, so that their depth depends on the rows.
    private(set) var isRecursive = false
    private var visited: Set<String> = []

    init(from entities: [Schema.Entity], _ schema: Schema) {
        for entity in entities { follow(entity, schema, path: []) }
    }

    private mutating func follow(_ entity: Schema.Entity, _ schema: Schema, path: Set<String>) {
        if path.contains(entity.name) { isRecursive = true }
        guard !path.contains(entity.name), !visited.contains(entity.name) else { return }
        for relationship in entity.properties.compactMap(\.relationship)
        where relationship.deleteRule == .cascade || relationship.deleteRule == .deny {
            guard let destination = schema.entitiesByName[relationship.destination] else { continue }
            // The column of the inverse is the foreign key; link tables have a trigger.
            if !relationship.isLinked, (schema.inverse(of: relationship)?.slot ?? -1) < 0 { isByForeignKeys = false }
            guard relationship.deleteRule == .cascade else { continue }
            for kind in schema.kinds(of: destination.name).sorted() {
                guard let destination = schema.entitiesByName[kind] else { continue }
                follow(destination, schema, path: path.union([entity.name]))
            }
        }
        visited.insert(entity.name)
    }
}
