#if Postgres
    import ChronicleCore

    extension PostgresStore {
        /// Deletes all models of the store and its history, in one transaction.
        ///
        /// The tables and the ``identifier`` remain, so other contexts and processes can keep using the store:
        ///
        /// - Fetches find no rows, and a save that updates a deleted row throws `SwiftDataError.modelNotFound`.
        /// - Tokens from before throw `SwiftDataError.historyTokenExpired`, and consumers of the history are reset.
        /// - New rows have new primary keys: an identifier from before never identifies another model.
        ///
        /// Also deletes the rows of models that the schema does not contain. The tables of other programs, and the names
        /// and settings of consumers, remain.
        ///
        /// - Throws: One of the following errors. Nothing was deleted.
        ///   - `SwiftDataError.storeReadOnly` if the configuration does not allow saving, or the role does not own the
        ///     tables.
        ///   - `SwiftDataError.deleteDenied` if a table of another program references a model. Delete its rows first.
        ///   - `SwiftDataError.storeBusy` if another session keeps a table locked. Try again.
        ///   - `SwiftDataError.storeUnavailable` if the server cannot be reached. Try again.
        ///   - `CancellationError` if the task was canceled. Call `ModelContainer.erase()`, which is not canceled.
        /// - Complexity: Proportional to the number of rows and to the length of the history.
        public func erase() throws {
            try requireWriteAccess()
            try requireModels()
            try attributingErrors {
                try pool.use { connection in
                    do {
                        try connection.transaction { connection in
                            let tables = try modelTables(connection)
                            if !tables.isEmpty {
                                // In contrast to TRUNCATE … CASCADE, this does not empty tables of other programs.
                                let names = tables.map(connection.table).joined(separator: ", ")
                                try connection.withModelPath { try connection.script("TRUNCATE \(names)") }
                            }
                            try HistoryLayout.erase(connection)
                        }
                    } catch let error as PostgresError where error.sqlState == "0A000" {
                        throw SwiftDataError.deleteDenied.with(
                            detail:
                                "a table of another program references models (\(error.message)); delete its rows, and "
                                + "remove its foreign key",
                            underlying: error)
                    }
                }
                didCommit()
            }
        }

        /// Returns the tables of all entities that the store ever had, and of the links between them.
        private func modelTables(_ connection: Connection) throws -> [String] {
            let result = try connection.run(
                """
                SELECT DISTINCT c.relname FROM pg_class AS c JOIN \(connection.schema).chronicle_entity AS e \
                ON c.relname = e.name OR starts_with(c.relname::text, e.name || '.') \
                WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p') ORDER BY 1
                """)
            return (0..<result.count).map { result.text($0, 0) }
        }
    }
#endif
