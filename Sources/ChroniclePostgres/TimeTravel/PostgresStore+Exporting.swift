#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore

    extension PostgresStore: DataStoreExporting {
        /// Calls a closure with all models and all links in one read transaction.
        ///
        /// Others can write meanwhile. The server keeps the rows that they replace until the method returns.
        ///
        /// - Returns: The token of the newest transaction.
        /// - Throws: The error that `row` throws, or one of these:
        ///   - `SwiftDataError.unsupportedFeature` if the store is read as of an earlier position. Export the present models.
        ///   - `SwiftDataError.historyDisabled` if the store does not record its history. Enable it in the configuration.
        ///   - `SwiftDataError.undecodableValue` if another program stored the name of an unknown entity.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        /// - Complexity: Proportional to the number of models and links. The memory does not depend on it.
        public func exportRows(
            _ row: (DataStoreExportedRow<DefaultSnapshot>) throws -> Void
        ) throws -> DefaultHistoryToken {
            try requirePresent {
                "a snapshot contains the present models, and the store is read as of position \($0); export from a container "
                    + "without a position"
            }
            try requireHistory()
            return try attributingErrors {
                // Not repeated, because the closure has received rows.
                try pool.use { connection in
                    try connection.numberTransactions()
                    return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY") {
                        connection in
                        var unknowns = PastUnknowns(storeIdentifier: identifier, position: 0)
                        unknowns.interruptions = try interruptions(connection)
                        try unknowns.requireAllRecorded()
                        let state = try HistoryState(connection.run(HistoryState.select(connection)))
                        for entity in schema.entities where entity.superentity == nil {
                            try forEachRow(of: try layout.table(named: entity.name), nil, connection) {
                                try row(.model($0))
                            }
                        }
                        for links in layout.linksByName.values.sorted(by: { $0.name < $1.name }) {
                            try export(links, connection, row)
                        }
                        return state.newestToken(identifier)
                    }
                }
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
            try connection.run(
                "DECLARE chronicle_links NO SCROLL CURSOR FOR SELECT owner, destination FROM "
                    + "\(connection.table(links.name))\(condition) ORDER BY owner, destination", isPrepared: false)
            while true {
                let result = try connection.run("FETCH 1000 FROM chronicle_links", isPrepared: false)
                for index in 0..<result.count {
                    try row(
                        .link(
                            DataStoreLink(
                                links, owner: owner.identifier(result.int64(index, 0)),
                                destination: destination.identifier(result.int64(index, 1)))))
                }
                if result.count < 1_000 { break }
            }
            try connection.run("CLOSE chronicle_links", isPrepared: false)
        }
    }
#endif
