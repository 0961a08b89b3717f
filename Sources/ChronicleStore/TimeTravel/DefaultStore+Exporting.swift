public import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

extension DefaultStore: DataStoreExporting {
    /// Calls a closure with all models and all links in one read transaction.
    ///
    /// Other connections can write meanwhile, but the write-ahead log grows. A store in memory has a single connection, so
    /// other requests wait.
    ///
    /// - Throws: The errors of the protocol's requirement, ``SwiftDataError/unsupportedFeature`` if the store is read as of an
    ///   earlier position, and ``SwiftDataError/historyValueMissing`` if the program of a ``TrackedDatabase`` has changed a table
    ///   since the schema was followed; call ``TrackedDatabase/followSchemaChanges()``.
    /// - Complexity: Proportional to the number of models and links. The memory does not depend on it.
    public func exportRows(_ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void) throws -> DefaultHistoryToken
    {
        if let past {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "a snapshot contains the present models, and the store is read as of position "
                    + "\(past.position); export from a container without a position",
                storeIdentifier: identifier)
        }
        return try readingHistory { connection in
            try requireRecorded(nil, connection)
            let newest = try HistoryPositions(connection).newestToken(of: identifier)
            for entity in schema.entities where entity.superentity == nil {
                let table = try layout.table(named: entity.name)
                let statement = try connection.prepare(
                    "SELECT \(table.selection) FROM \(quoted(table.name)) AS \(FetchSQL.table) ORDER BY 1")
                while try statement.step() {
                    let (identifier, values) = try statement.row(of: table)
                    try row(
                        .model(
                            DefaultSnapshot(
                                persistentIdentifier: identifier, values: values, changed: PropertySet())))
                }
            }
            for table in layout.linkTablesByName.values.sorted(by: { $0.links.name < $1.links.name }) {
                try export(table.links, connection, row)
            }
            return newest
        }
    }

    private func export(
        _ links: Schema.Links, _ connection: Connection,
        _ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void
    ) throws {
        let owner = try layout.table(named: links.owner).origin
        let destination = try layout.table(named: links.destination).origin
        // The table of a symmetric relationship contains both directions of each link.
        let condition = links.isSymmetric ? " WHERE owner <= destination" : ""
        let statement = try connection.prepare(
            "SELECT owner, destination FROM \(quoted(links.name))\(condition) ORDER BY owner, destination")
        while try statement.step() {
            try row(
                .link(
                    DataStoreLink(
                        links, owner: owner.identifier(statement.int64(0)),
                        destination: destination.identifier(statement.int64(1)))))
        }
    }
}
