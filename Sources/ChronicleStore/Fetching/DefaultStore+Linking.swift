public import ChronicleCore
import ChronicleSQLite

extension DefaultStore: DataStoreLinking {
    public func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let table = try layout.table(for: Model.self)
        let links = try layout.linkTable(named: request.links.name)
        guard request.identifier.storeIdentifier == identifier, let key = request.identifier.integerPrimaryKey else {
            return DataStoreFetchResult(fetchedSnapshots: [])
        }
        let sql = links.select(request.property, of: table)
        return try translating {
            try database.read { connection in
                let statement = try connection.cached(sql)
                defer { statement.reset() }
                try statement.bind(key, at: 1)
                var snapshots: [DefaultSnapshot] = []
                while try statement.step() {
                    snapshots.append(
                        DefaultSnapshot(
                            persistentIdentifier: table.origin.identifier(statement.int64(0)),
                            values: statement.values(table), changed: PropertySet()))
                }
                return DataStoreFetchResult(fetchedSnapshots: snapshots)
            }
        }
    }
}
