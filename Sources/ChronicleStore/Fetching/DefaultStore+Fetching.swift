public import ChronicleCore
import ChronicleSQLite

extension DefaultStore {
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let table = try layout.table(for: Model.self)
        let snapshots = try run(request, { $0.select(table.selection) }) { statement in
            var snapshots: [DefaultSnapshot] = []
            while try statement.step() { snapshots.append(statement.snapshot(table)) }
            return snapshots
        }
        return DataStoreFetchResult(fetchedSnapshots: snapshots)
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
        let query = query(try FetchSQL(request.descriptor, schema: schema, storeIdentifier: identifier))
        return try translating {
            try database.read { connection in
                let statement = try connection.cached(query.sql)
                defer { statement.reset() }
                for (index, value) in query.bindings.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
                return try read(statement)
            }
        }
    }
}

extension Statement {
    /// The row that the statement stands at: the primary key, then the columns.
    func snapshot(_ table: EntityTable) -> DefaultSnapshot {
        let values = [PropertyValue](unsafeUninitializedCapacity: table.columns.count) { buffer, count in
            for index in table.columns.indices {
                (buffer.baseAddress! + index).initialize(to: value(Int32(index + 1), table.columns[index]))
            }
            count = table.columns.count
        }
        return DefaultSnapshot(
            persistentIdentifier: table.origin.identifier(int64(0)), values: values, changed: PropertySet())
    }
}
