public import ChronicleCore
import ChronicleSQLite

extension DefaultStore: DataStoreLinking {
    /// Returns the destinations of a to-many relationship that is stored in a link table.
    ///
    /// - Parameter request: The relationship and the identifiers of the models whose destinations are fetched.
    /// - Returns: Snapshots of the destinations, and the identifiers of the destinations of each model.
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again. ``SwiftDataError/unknownSchema`` if
    ///   the store does not contain the relationship; add its models to the schema.
    /// - Complexity: One lookup for each identifier and each destination.
    public func fetchLinked<Model>(
        _ request: DataStoreLinksRequest<Model>
    ) throws -> DataStoreLinksResult<Model, DefaultSnapshot> {
        let table = try layout.table(for: Model.self)
        let owner = request.isOfOwners ? request.links.owner : request.links.destination
        let (origin, links) = (try layout.table(named: owner).origin, try layout.linkTable(named: request.links.name))
        let keys = request.identifiers.filter { $0.storeIdentifier == identifier }.compactMap(\.integerPrimaryKey)
        var snapshots: [DefaultSnapshot] = []
        var known = Set<Int64>()
        var destinations: [PersistentIdentifier: [PersistentIdentifier]] = [:]
        let select = { past in try links.select(request.property, of: table, ofMany: keys.count != 1, past: past) }
        try run(select, keys) { statement in
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

    private func run(
        _ sql: (PastTables?) throws -> String, _ keys: [Int64], _ row: (Statement) throws -> Void
    ) throws {
        try attributingErrors {
            try readRows { connection, past in
                let statement = try connection.cached(sql(past))
                defer { statement.reset() }
                if keys.count == 1 {
                    try statement.bind(keys[0], at: 1)
                } else {
                    try statement.bind("[\(keys.map(String.init).joined(separator: ","))]", at: 1)
                }
                while try statement.step() { try row(statement) }
            }
        }
    }
}
