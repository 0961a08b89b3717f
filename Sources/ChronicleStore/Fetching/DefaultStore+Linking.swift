public import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

extension DefaultStore: DataStoreLinking {
    /// Returns the destinations of a to-many relationship that is stored in a link table.
    ///
    /// - Complexity: One lookup for each identifier and each destination.
    public func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        let table = try layout.table(named: request.entityName)
        let origin = try layout.table(named: request.isOfOwners ? request.links.owner : request.links.destination)
            .origin
        _ = try layout.linkTable(named: request.links.name)
        var snapshots: [DefaultSnapshot] = []
        var known = Set<Int64>()
        var destinations: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        try run(request, table) { statement in
            let key = statement.int64(0)
            let found = try statement.row(of: table)
            destinations[origin.identifier(statement.int64(Int32(table.selectedCount))), default: []].append(
                found.identifier)
            guard known.insert(key).inserted else { return }
            snapshots.append(
                DefaultSnapshot(
                    persistentIdentifier: found.identifier, values: found.values, changed: PropertySet()))
        }
        return DataStoreLinksResult(fetchedSnapshots: snapshots, destinations: destinations)
    }

    private func run<Model>(
        _ request: DataStoreLinksRequest<Model>, _ table: EntityTable, _ row: (Statement) throws -> Void
    ) throws {
        try attributingErrors {
            try readRows { connection, past in
                let statement = try connection.cached(linkedRows(request, table, past: past))
                defer { statement.reset() }
                while try statement.step() { try row(statement) }
            }
        }
    }

    /// The rows are in the order of their keys, which is the order of the link table's primary key and of its index. All
    /// columns of the order are selected; see ``FetchSQL/select(_:past:)``.
    func linkedRows<Model>(
        _ request: DataStoreLinksRequest<Model>, _ table: EntityTable, past: PastTables?
    ) throws -> SQLQuery {
        func query(_ tables: some SQLTables) throws -> SQLQuery {
            try FetchSQL.selectLinked(
                request, columns: SQLQuery(raw: table.selection), schema: schema, storeIdentifier: identifier,
                dialect: SQLiteDialect(), tables: tables)
        }
        return if let past { try query(past) } else { try query(ModelTables()) }
    }
}
