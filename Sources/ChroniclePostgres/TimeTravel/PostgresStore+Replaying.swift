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
            try attributingErrors { try pool.read { try replayedToken($0) } }
        }

        func replayedToken(_ connection: Connection) throws -> DefaultHistoryToken? {
            guard let text = try MetaTable.text(.replayed, connection) else { return nil }
            do {
                return try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8))
            } catch is DecodingError {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row '\(MetaName.replayed.text)' of chronicle_meta is not a token; restore it",
                    storeIdentifier: identifier)
            }
        }

        /// Moves the position in the transaction of a save, after comparing the rows that the save changes.
        func apply(_ step: HistoryReplayStep, _ connection: Connection) throws {
            // Two replays wait for each other. Without a row there is nothing to lock, and the second insert fails.
            try connection.run(
                "SELECT FROM \(connection.schema).chronicle_meta WHERE name = $1 FOR UPDATE",
                Parameters(.text(MetaName.replayed.text)))
            guard try replayedToken(connection) == step.previous else {
                throw SwiftDataError.historyReplayConflict.with(
                    detail: "another replay to the store has continued; replay the export again")
            }
            for row in step.expected { try require(row, connection) }
            let token = String(decoding: try JSONEncoder().encode(step.token), as: UTF8.self)
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

        /// Throws an error unless a row has the expected values.
        private func require(_ expected: DefaultSnapshot, _ connection: Connection) throws {
            let identifier = expected.persistentIdentifier
            let table = try layout.table(named: identifier.entityName)
            func conflict(_ detail: String, _ slot: Int? = nil) -> SwiftDataError {
                .historyReplayConflict.with(
                    detail: detail, entityName: identifier.entityName,
                    propertyName: slot.map { table.entity.storedProperties[$0].name },
                    persistentIdentifier: identifier)
            }
            let fetch = try FetchSQL(
                FetchDescriptor<RemovedModel>(), of: table.entity, lookup: .identifiers([identifier]), schema: schema,
                storeIdentifier: self.identifier, dialect: layout.dialect)
            let reader = RowReader(table: table, result: try connection.run(fetch.select(table.selection)))
            guard reader.count == 1 else { throw conflict("the replica deleted the model") }
            let values = try reader.row(0).values
            for slot in expected.changed where slot >= values.count || values[slot] != expected.values[slot] {
                throw conflict("the replica changed the value", slot)
            }
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
            guard results[1].int64(0, 0) > request.deleted.count else { return }
            throw SwiftDataError.historyReplayConflict.with(
                detail: "a delete rule would delete models that exist in the source, because the replica changed their "
                    + "relationships or another program wrote the source without foreign keys",
                entityName: request.deleted.first?.persistentIdentifier.entityName)
        }
    }

    extension MetaName {
        /// The token of the source that a replica has reached.
        static let replayed = MetaName("replayed")
    }
#endif
