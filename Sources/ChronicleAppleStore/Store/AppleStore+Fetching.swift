public import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore
import Foundation

extension AppleStore {
    /// Returns the rows that match a request.
    ///
    /// - Throws: The errors of the protocol's requirement. `SwiftDataError.undecodableValue` if the file contains a value
    ///   that cannot be read, such as one in a missing file of external data; copy all files of the store.
    ///   `SwiftDataError.storeBusy` if another program writes to the file meanwhile; try again.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        var snapshots: [DefaultSnapshot] = []
        try fetchRows(request) { identifier, row in
            snapshots.append(DefaultSnapshot(persistentIdentifier: identifier, row: row, changed: PropertySet()))
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }

    /// Passes the rows that match a request to a closure. A change by another program is noticed after the last row: use
    /// the rows only if the call returns.
    ///
    /// - Throws: The errors of ``fetch(_:)``, such as `SwiftDataError.storeBusy`, and the error that `row` throws.
    public func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        try fetchRows(request, of: entity(for: Model.self), row)
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        let query = try translate(request, of: entity(for: Model.self)).count
        return try reading { connection in
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            return try statement.step() ? Int(clamping: statement.int64(0)) : 0
        }
    }

    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        let entity = try entity(for: Model.self)
        let query = try translate(request, of: entity).identifiers
        let decoder = RowDecoder(entity, self)
        return try reading { connection in
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            var identifiers: [PersistentIdentifier] = []
            while try statement.step() { identifiers.append(try decoder.identifier(statement)) }
            return identifiers
        }
    }

    /// Calls a closure with each model of an entity, and of those that inherit from it, without their classes.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity of ``schema``.
    ///   - identifiers: The models to return, or `nil` for all.
    ///   - row: A closure that receives the models in ascending order of their primary keys.
    /// - Throws: The error that `row` throws. `SwiftDataError.unknownSchema` if the schema has no such entity.
    ///   `SwiftDataError.undecodableValue` if the file contains a value that cannot be read.
    /// - Complexity: O(*n*), where *n* is the number of rows of the entity. Rows are not collected.
    public func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>? = nil,
        _ row: (DefaultSnapshot) throws -> Void
    ) throws {
        let request = DataStoreFetchRequest<UntypedModel>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()),
            lookup: identifiers.map(DataStoreLookup.identifiers))
        try fetchRows(request, of: entity(named: entityName)) { identifier, values in
            try row(DefaultSnapshot(persistentIdentifier: identifier, row: values, changed: PropertySet()))
        }
    }

    /// Returns the number of models of an entity, and of those that inherit from it, without their classes.
    ///
    /// - Parameter entityName: The name of an entity of ``schema``.
    /// - Returns: The number of models.
    /// - Throws: `SwiftDataError.unknownSchema` if the schema has no such entity.
    /// - Complexity: O(*n*), where *n* is the number of rows.
    public func fetchCount(ofEntity entityName: String) throws -> Int {
        let request = DataStoreFetchRequest<UntypedModel>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()))
        let query = try translate(request, of: entity(named: entityName)).count
        return try reading { connection in
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            return try statement.step() ? Int(clamping: statement.int64(0)) : 0
        }
    }

    private func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        let decoder = RowDecoder(entity, self)
        let query = try translate(request, of: entity).select(decoder.columns.selection(SQLiteQueries.dialect))
        try reading(isRepeatable: false) { connection in
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            while try statement.step() {
                let (identifier, values) = try decoder.row(statement)
                try row(identifier, values)
            }
        }
    }

    func translate<Model>(_ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity) throws -> FetchSQL {
        do {
            return try FetchSQL(
                request.descriptor, of: entity, lookup: request.lookup, excluding: request.excludedIdentifiers,
                schema: schema, storeIdentifier: identifier, dialect: SQLiteQueries.dialect, tables: tables)
        } catch SwiftDataError.unsupportedPredicate {
            throw DataStoreError.preferInMemoryFilter
        } catch SwiftDataError.unsupportedSortDescriptor {
            throw DataStoreError.preferInMemorySort
        }
    }

    private func entity<Model: PersistentModel>(for type: Model.Type) throws -> Schema.Entity {
        guard let entity = schema.entity(for: type) else { return try entity(named: Model.entityName) }
        return entity
    }

    func entity(named name: String) throws -> Schema.Entity {
        guard let entity = schema.entitiesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain this entity; use a name of the store's schema",
                entityName: name, storeIdentifier: identifier)
        }
        return entity
    }
}

extension AppleStore: DataStoreLinking {
    /// Returns the destinations of a many-to-many relationship, or of a to-many relationship without an inverse.
    ///
    /// - Complexity: Proportional to the number of links of the relationship, unless the table has an index.
    public func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        let entity = try entity(for: Model.self)
        let decoder = RowDecoder(entity, self)
        let query = try FetchSQL.selectLinked(
            request, columns: decoder.columns.selection(SQLiteQueries.dialect), schema: schema,
            storeIdentifier: identifier, dialect: SQLiteQueries.dialect, tables: tables)
        let origin = origin(of: request.isOfOwners ? request.links.owner : request.links.destination)
        let sourceColumn = Int32(decoder.columns.names.count)
        return try reading { connection in
            var snapshots: [DefaultSnapshot] = []
            var known: Set<PersistentIdentifier> = []
            var destinations: [PersistentIdentifier: [PersistentIdentifier]] = [:]
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            while try statement.step() {
                let (identifier, values) = try decoder.row(statement)
                let source = origin.identifier(statement.int64(sourceColumn))
                // The table of another program may contain a pair twice.
                if destinations[source]?.last == identifier { continue }
                destinations[source, default: []].append(identifier)
                guard known.insert(identifier).inserted else { continue }
                snapshots.append(DefaultSnapshot(persistentIdentifier: identifier, row: values, changed: PropertySet()))
            }
            return DataStoreLinksResult(fetchedSnapshots: snapshots, destinations: destinations)
        }
    }
}
