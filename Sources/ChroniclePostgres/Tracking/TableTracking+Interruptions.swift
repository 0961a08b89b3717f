#if Postgres
    package import ChronicleCore
    import ChronicleSQLStore

    // Changes of recorded tables by their program that Chronicle has not followed. Until the tables are recorded again, rows as of
    // a position would be those of another table, or lack changes.
    extension TableTracking {
        /// Returns why the recording of tables is interrupted, by name. A renamed table has an entry for both names.
        ///
        /// Omits tables with additional columns, because the history has the values of all others, and tables that can no longer
        /// be recorded.
        func interruptions() throws -> [String: String] {
            guard try hasHistory() else { return [:] }
            let names = Dictionary(
                try Catalog(connection).entities().map { ($0.number, $0.name) }, uniquingKeysWith: { $1 })
            let tables = try TrackedTable.all(connection, in: schemaName)
            var reasons: [String: String] = [:]
            var formerNames: [String: String] = [:]
            for (number, state) in try TrackedState.all(connection) where state.isRecorded {
                let table = tables.first { $0.name == state.table }
                if let table, table.isOrdinary, table.reason != nil, !table.isOfOtherRole { continue }
                guard let reason = state.interruption(table, isRead: true) else { continue }
                let name = names[number] ?? state.table
                reasons[name] = reason
                if let present = state.present, present.name != state.table { formerNames[present.name] = name }
            }
            for (name, former) in formerNames where reasons[name] == nil {
                reasons[name] = "the table was renamed from \(former)"
            }
            return reasons
        }
    }

    extension PostgresStore {
        /// Returns the reasons of ``TableTracking/interruptions()`` in an open transaction; empty for a store of models.
        func interruptions(_ connection: Connection) throws -> [String: String] {
            guard let tracked = layout.tracked else { return [:] }
            return try TableTracking(connection: connection, schemaName: tracked.schemaName).interruptions()
        }

        /// Returns an error for each tracked table whose recording is interrupted, in the order of the names.
        package func interruptedRecordings() throws -> [SwiftDataError] {
            guard isTracked else { return [] }
            let reasons = try attributingErrors { try pool.read { try interruptions($0) } }
            return reasons.sorted { $0.key < $1.key }.map {
                SwiftDataError.interruptedRecording(of: $0.key, $0.value).with(storeIdentifier: identifier)
            }
        }
    }
#endif
