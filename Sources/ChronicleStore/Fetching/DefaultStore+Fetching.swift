public import ChronicleCore
import ChronicleSQLite

extension DefaultStore {
    public func fetch<Model>(
        _ request: DataStoreFetchRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let table = try layout.table(for: Model.self)
        return try translating {
            try database.read { connection in
                let statement = try connection.cached("SELECT \(table.columnList.joined(separator: ", ")) FROM \(quoted(table.entity.name)) ORDER BY id")
                defer { statement.reset() }
                var snapshots: [DefaultSnapshot] = []
                while try statement.step() { snapshots.append(statement.snapshot(table)) }
                return DataStoreFetchResult(fetchedSnapshots: snapshots)
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
