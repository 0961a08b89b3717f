#if Postgres
    public import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore
    import Foundation

    extension PostgresStore {
        /// Returns the position in the history of the source that the store has reached.
        ///
        /// - Returns: A token of the source, or `nil` if nothing was replayed to the store.
        public func replayedHistoryToken() throws -> DefaultHistoryToken? {
            try attributingErrors { try pool.read { try MetaTable($0).replayedToken() } }
        }

        /// Moves the position in the transaction of a save, after comparing the rows that the save changes.
        func apply(_ step: HistoryReplayStep, _ connection: Connection) throws {
            // Two replays wait for each other. Without a row there is nothing to lock, and the second insert fails.
            try connection.run(
                "SELECT FROM \(connection.schema).chronicle_meta WHERE name = $1 FOR UPDATE",
                Parameters(.text(MetaName.replayed.text)))
            try step.requirePosition(MetaTable(connection))
            try step.requireExpected(schema) { expected in
                guard var values = try values(of: expected.persistentIdentifier, connection) else { return nil }
                for slot in expected.changed where slot < values.count {
                    // See ``RowValues``.
                    guard case .integer(let integer) = expected.values[slot],
                        values[slot] == Double(exactly: integer).map(PropertyValue.real)
                    else { continue }
                    values[slot] = expected.values[slot]
                }
                return values
            }
            let token = try step.storedToken
            if step.previous == nil {
                let inserted = try connection.run(
                    "INSERT INTO \(connection.schema).chronicle_meta(name, value) VALUES ($1, $2) "
                        + "ON CONFLICT (name) DO NOTHING RETURNING 1",
                    Parameters(.text(MetaName.replayed.text), .text(token)))
                guard inserted.count == 0 else { return }
                throw SwiftDataError.historyReplayConflict.with(
                    detail: "another replay to the store has begun; replay the export again")
            }
            try MetaTable.set(.replayed, token, connection)
        }

        private func values(of identifier: PersistentIdentifier, _ connection: Connection) throws -> [PropertyValue]? {
            let table = try layout.table(named: identifier.entityName)
            let fetch = try FetchSQL(
                FetchDescriptor<UntypedModel>(), of: table.entity, lookup: .identifiers([identifier]), schema: schema,
                storeIdentifier: self.identifier, dialect: layout.dialect)
            let reader = try RowReader(table: table, result: try connection.run(fetch.select(table.selection)))
            return reader.count == 1 ? try reader.row(0).values : nil
        }

        /// Throws an error if a delete rule deleted rows that the source did not delete.
        func requireListedDeletes(
            _ request: DataStoreSaveChangesRequest<DefaultSnapshot>, _ connection: Connection
        ) throws {
            guard configuration.recordsHistory else { return }
            // The path of transactions that write models is also that of triggers at the commit.
            let results = try connection.pipeline { pipeline in
                pipeline.add("SELECT \(SearchPath.catalog(isLocal: true))")
                pipeline.add(
                    "SELECT count(*) FROM \(connection.schema).chronicle_change "
                        + "WHERE transaction = pg_current_xact_id_if_assigned() AND kind = 'd'")
                pipeline.add("SELECT \(SearchPath.models)")
            }
            try HistoryReplayStep.requireListed(request.deleted, recordedCount: results[1].int64(0, 0))
        }
    }
#endif
