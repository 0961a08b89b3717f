#if Postgres
    package import ChronicleCore
    import ChronicleSQLStore

    // What a program has done to recorded tables that the history does not have yet. Until the tables are recorded again, rows as
    // of a position would be those of another table, or lack changes.
    extension TableTracking {
        /// Returns the reasons by the names of the tables, which are those in the history, and the present ones of renamed tables.
        ///
        /// Tables with additional columns are not among them, because the history has the values of all other columns, nor those
        /// that cannot be recorded any more.
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

        /// Returns an error for each tracked table that its program has changed, if the history does not have the change yet. The
        /// tables are those whose rows as of a position are unknown until they are recorded again.
        package func interruptedRecordings() throws -> [SwiftDataError] {
            guard isTracked else { return [] }
            let reasons = try attributingErrors { try pool.read { try interruptions($0) } }
            return reasons.sorted { $0.key < $1.key }.map {
                SwiftDataError.interruptedRecording(of: $0.key, $0.value).with(storeIdentifier: identifier)
            }
        }
    }
#endif
