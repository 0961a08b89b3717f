public import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

extension DefaultStore {
    /// Returns snapshots of the rows that match a request.
    ///
    /// - Complexity: Depends on the number of rows that SQLite visits; indexes reduce it.
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        var snapshots: [DefaultSnapshot] = []
        try fetchRows(request) { identifier, row in
            snapshots.append(DefaultSnapshot(persistentIdentifier: identifier, row: row, changed: PropertySet()))
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }

    public func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        try fetchRows(request, of: Model.self == UntypedModel.self ? entity(named: request.entityName) : nil, row)
    }

    /// Calls a closure with each model of an entity, and of those that inherit from it, without their classes.
    ///
    /// Use it in programs that show the content of any store, such as inspectors; see ``schema(ofFileAt:)``. In a store
    /// that ``store(asOf:)`` returns, the rows are those as of its position.
    ///
    /// - Parameters:
    ///   - entityName: The name of an entity of ``schema``.
    ///   - identifiers: The models to return, or `nil` for all.
    ///   - row: A closure that receives the models in ascending order of their primary keys. It does not use the store.
    /// - Throws: The error that `row` throws. ``SwiftDataError/unknownSchema`` if the schema has no such entity.
    ///   ``SwiftDataError/historyValueMissing`` as of a position if the history lacks a value; use a later position.
    ///   ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    /// - Complexity: O(*n*), where *n* is the number of rows of the entity, or of identifiers. Rows are not collected.
    public func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>? = nil,
        _ row: (DefaultSnapshot) throws -> Void
    ) throws {
        let entity = try entity(named: entityName)
        let request = DataStoreFetchRequest<UntypedModel>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()),
            lookup: identifiers.map(DataStoreLookup.identifiers))
        try fetchRows(request, of: entity) { identifier, values in
            try row(DefaultSnapshot(persistentIdentifier: identifier, row: values, changed: PropertySet()))
        }
    }

    /// Returns the number of models of an entity, and of those that inherit from it, without their classes.
    ///
    /// - Parameter entityName: The name of an entity of ``schema``.
    /// - Returns: The number of models, as of the position of the store if it has one.
    /// - Throws: ``SwiftDataError/unknownSchema`` if the schema has no such entity. ``SwiftDataError/storeBusy`` if the
    ///   file stays locked; try again.
    /// - Complexity: O(*n*), where *n* is the number of rows.
    public func fetchCount(ofEntity entityName: String) throws -> Int {
        let request = DataStoreFetchRequest<UntypedModel>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()))
        return try run(request, of: entity(named: entityName), { $0.count(past: $1) }) { statement, _ in
            try statement.step() ? Int(statement.int64(0)) : 0
        }
    }

    private func entity(named name: String) throws -> Schema.Entity {
        guard let entity = schema.entitiesByName[name] else {
            throw SwiftDataError.unknownSchema.with(
                detail: "the store does not contain this entity; use a name of the store's schema",
                entityName: name, storeIdentifier: identifier)
        }
        return entity
    }

    private func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity?,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        let table = try layout.table(named: entity?.name ?? Model.entityName)
        if case .values(let properties, let combinations) = request.lookup, combinations.count > 1, past == nil {
            return try fetchRows(request, of: entity, table, with: properties, combinations, row)
        }
        if past == nil, try fetchPackedRows(request, of: entity, table, row) { return }
        try run(request, of: entity, { $0.select(SQLQuery(raw: table.selection), past: $1) }, loadsModels: true) {
            statement, past in
            try statement.forEachRow(of: table, past, row)
        }
    }

    /// Fetches rows with the SQL function `chronicle_row`. Returns `false` if SQLite sorts them, there are too many
    /// columns, or they belong to several entities, so that they must be read by columns.
    private func fetchPackedRows<Model>(
        _ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity?, _ table: EntityTable,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws -> Bool {
        guard table.kinds == nil,
            let call = Connection.rowCall(table.selection, count: table.selectedCount).map(SQLQuery.init(raw:))
        else { return false }
        let fetch = try FetchSQL(
            request.descriptor, of: entity, lookup: request.lookup, excluding: request.excludedIdentifiers,
            schema: schema, storeIdentifier: identifier, past: nil)
        // Without an index, SQLite visits all rows in the order of their keys.
        let isCondition =
            fetch.condition == nil && !fetch.excludesRows && fetch.limit == nil && request.descriptor.sortBy.isEmpty
            // A predicate without a condition may have joined other tables.
            && request.descriptor.predicate == nil
        let query: SQLQuery =
            isCondition
            ? "SELECT 1 \(fetch.rows) NOT INDEXED WHERE \(call) ORDER BY \(raw: FetchSQL.table).\(raw: RecorderSQL.key)"
            : fetch.select(call, past: nil)
        return try attributingErrors {
            try database.read { connection in
                let statement = try connection.cached(query)
                defer { statement.reset() }
                let reader = PackedRowReader(table, capacity: isCondition ? PackedRowReader.batchSize : 1)
                let origin = table.origin
                return try connection.readRows(
                    of: statement, with: reader, PackedRowReader.callback, isCondition: isCondition
                ) {
                    try reader.forEach(origin, row)
                }
            }
        }
    }

    /// Fetches rows by combinations of unique values with a lookup for each. For a single query, SQLite would collect the
    /// combinations and sort the rows, which takes longer.
    private func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity?, _ table: EntityTable,
        with properties: [Schema.Property], _ combinations: DataStoreLookup.Combinations,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        let example = DataStoreLookup.Combinations(combinations.prefix(1))
        let query = try FetchSQL(
            request.descriptor, of: entity, lookup: .values(properties, in: example),
            excluding: request.excludedIdentifiers, schema: schema, storeIdentifier: identifier, past: nil
        ).select(SQLQuery(raw: table.selection), past: nil)
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead {
                    let statement = try connection.cached(query)
                    defer { statement.reset() }
                    for combination in combinations {
                        statement.reset()
                        for (index, value) in combination.enumerated() {
                            try statement.bind(value, at: Int32(index) + 1)
                        }
                        try statement.forEachRow(of: table, nil, row)
                    }
                }
            }
        }
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try run(request, { $0.count(past: $1) }) { statement, _ in try statement.step() ? Int(statement.int64(0)) : 0 }
    }

    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        let table = try layout.table(for: Model.self)
        return try run(request, { $0.identifiers(past: $1) }) { statement, _ in
            var identifiers: [PersistentIdentifier] = []
            while try statement.step() {
                let member = try table.kinds?.member(statement, of: table, column: 1).table ?? table
                identifiers.append(member.origin.identifier(statement.int64(0)))
            }
            return identifiers
        }
    }

    /// - Parameter loadsModels: Whether the rows are those of models, whose relationships can be read.
    private func run<Model, Result>(
        _ request: DataStoreFetchRequest<Model>, of entity: Schema.Entity? = nil,
        _ query: (FetchSQL, PastTables?) -> SQLQuery,
        loadsModels: Bool = false,
        _ read: (Statement, PastTables?) throws -> Result
    ) throws -> Result {
        func makeQuery(_ past: PastTables?) throws -> SQLQuery {
            query(
                try FetchSQL(
                    request.descriptor, of: entity, lookup: request.lookup, excluding: request.excludedIdentifiers,
                    schema: schema, storeIdentifier: identifier, past: past), past)
        }
        let present = try past == nil ? makeQuery(nil) : nil
        return try attributingErrors {
            try readRows { connection, tables in
                if let past, let tables {
                    let name = try layout.table(named: entity?.name ?? Model.entityName).name
                    try past.requireKnownDestinations(of: name, loadsModels: loadsModels, tables)
                }
                let statement = try connection.cached(present ?? makeQuery(tables))
                defer { statement.reset() }
                return try read(statement, tables)
            }
        }
    }

    func readRows<Result>(_ body: (Connection, PastTables?) throws -> Result) throws -> Result {
        guard let past else { return try database.read { try body($0, nil) } }
        return try past.read(database) { try body($0, $1) }
    }
}

extension EntityTable.Kinds {
    /// A row of an entity that only other programs know is an instance of the root entity. Throws
    /// ``SwiftDataError/undecodableValue`` if the table does not include its entity.
    fileprivate func member(
        _ statement: Statement, of table: EntityTable, column: Int32? = nil
    ) throws -> (table: EntityTable, columns: [Int32]) {
        let column = column ?? self.column
        let name = statement.isNull(column) ? root : statement.text(column)
        guard let member = members[name] ?? members[root] else {
            throw SwiftDataError.undecodableValue.with(
                detail: "the row belongs to the entity \(name), which the schema does not contain; add its class",
                entityName: table.entity.name, propertyName: Schema.entityAttribute,
                persistentIdentifier: table.origin.identifier(statement.int64(0)))
        }
        return (member.table ?? table, member.columns)
    }
}

extension Statement {
    func values(_ table: EntityTable, _ columns: [Int32]) -> [PropertyValue] {
        columns.indices.map { value(columns[$0], $0, of: table) }
    }

    fileprivate func forEachRow(
        of table: EntityTable, _ past: PastTables?,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming DataStoreRow) throws -> Void
    ) throws {
        let unknown = past?.unknowns.lists[table.name] ?? [:]
        guard table.kinds != nil || !unknown.isEmpty else {
            let builder = DataStoreRowBuilder(slotCount: table.conversions.count)
            while try step() {
                for slot in 0..<table.conversions.count { set(Int32(slot + 1), slot, of: table, in: builder) }
                try row(table.origin.identifier(int64(0)), builder.finish())
            }
            return
        }
        while try step() {
            if let value = unknown[int64(0)], let past { throw past.unknowns.error(value) }
            let (identifier, values) = try self.row(of: table)
            try row(identifier, DataStoreRow(values))
        }
    }

    func row(of table: EntityTable) throws -> (identifier: PersistentIdentifier, values: [PropertyValue]) {
        guard let kinds = table.kinds else { return (table.origin.identifier(int64(0)), values(table)) }
        let (member, columns) = try kinds.member(self, of: table)
        return (member.origin.identifier(int64(0)), values(member, columns))
    }

    /// The values without the primary key in the first column.
    func values(_ table: EntityTable) -> [PropertyValue] {
        var values: [PropertyValue] = []
        values.reserveCapacity(table.conversions.count)
        for slot in 0..<table.conversions.count { values.append(value(Int32(slot + 1), slot, of: table)) }
        return values
    }
}
