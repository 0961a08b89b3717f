public import ChronicleCore
import ChronicleSQLite

extension DefaultStore: DataStoreExcluding {
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        var snapshots: [DefaultSnapshot] = []
        try fetchRows(request) { identifier, values in
            snapshots.append(
                DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet()))
        }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
    }

    public func fetchRows<Model>(
        _ request: DataStoreFetchRequest<Model>,
        _ row: (_ identifier: PersistentIdentifier, _ values: consuming [PropertyValue]) throws -> Void
    ) throws {
        let table = try layout.table(for: Model.self)
        try run(request, { $0.select(table.selection) }) { statement in
            while try statement.step() {
                try row(table.origin.identifier(statement.int64(0)), statement.values(table))
            }
        }
    }

    public func fetchCount<Model>(_ request: DataStoreFetchRequest<Model>) throws -> Int {
        try run(request, \.count) { try $0.step() ? Int($0.int64(0)) : 0 }
    }

    public func fetchIdentifiers<Model>(_ request: DataStoreFetchRequest<Model>) throws -> [PersistentIdentifier] {
        let origin = try layout.table(for: Model.self).origin
        return try run(request, \.identifiers) { statement in
            var identifiers: [PersistentIdentifier] = []
            while try statement.step() { identifiers.append(origin.identifier(statement.int64(0))) }
            return identifiers
        }
    }

    private func run<Model, Result>(
        _ request: DataStoreFetchRequest<Model>, _ query: (FetchSQL) -> SQLQuery,
        _ read: (Statement) throws -> Result
    ) throws -> Result {
        let query = query(
            try FetchSQL(
                request.descriptor, excluding: request.excludedIdentifiers, schema: schema,
                storeIdentifier: identifier))
        return try translating {
            try database.read { connection in
                let statement = try connection.cached(query)
                defer { statement.reset() }
                return try read(statement)
            }
        }
    }
}

extension Statement {
    /// The row that the statement stands at, without the primary key in its first column.
    func values(_ table: EntityTable) -> [PropertyValue] {
        var values: [PropertyValue] = []
        values.reserveCapacity(table.storages.count)
        for slot in 0..<table.storages.count { values.append(value(Int32(slot + 1), slot, of: table)) }
        return values
    }
}
