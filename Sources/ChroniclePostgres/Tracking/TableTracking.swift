#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// Begins and ends the recording of another program's tables, in the transaction of a connection whose schema is that of the
    /// history.
    struct TableTracking {
        let connection: Connection
        /// Of the tracked tables.
        let schemaName: String

        private var schema: String { connection.schema }
        private var catalog: Catalog { Catalog(connection) }

        // MARK: The state of the tables

        func hasHistory() throws -> Bool {
            try connection.hasRelation("chronicle_tracked", in: connection.settings.schemaName ?? "")
        }

        /// Includes recorded tables that do not exist any more.
        func tables() throws -> [PostgresTracking.Table] {
            let states = try hasHistory() ? TrackedState.all(connection).values.filter(\.isRecorded) : []
            let tables = try TrackedTable.all(connection, in: schemaName)
            var result = tables.map { table in
                let state = states.first { $0.table == table.name }
                let reason = state.map { $0.interruption(table) }
                let found: PostgresTracking.Table.State =
                    switch reason {
                    case .some(let reason?): .interrupted(reason: reason)
                    case .some(nil): .recorded
                    case nil: table.reason.map { .unsupported(reason: $0) } ?? .notRecorded
                    }
                return PostgresTracking.Table(name: table.name, state: found, isOrdinary: table.isOrdinary)
            }
            for state in states where !tables.contains(where: { $0.name == state.table }) {
                result.append(
                    PostgresTracking.Table(
                        name: state.table, state: .interrupted(reason: state.interruption(nil) ?? ""), isOrdinary: true)
                )
            }
            return result.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }

        // MARK: Recording

        func track(_ names: [String]?, preservesValues: Bool?) throws -> [PostgresTracking.Table] {
            try requireNoStore()
            // A missing or unsuitable table is reported before a missing privilege.
            _ = try selected(names)
            return try SealedCatalog.recordingChanges(connection) {
                try record(names, preservesValues: preservesValues)
            }
        }

        private func record(_ names: [String]?, preservesValues: Bool?) throws -> [PostgresTracking.Table] {
            let isNew = try !hasHistory()
            if isNew { try createHistory(preservesValues: preservesValues ?? true) }
            for statement in HistoryTables.functions(schema).flatMap(\.statements) { try connection.script(statement) }
            if let preservesValues, !isNew { try setPreservesValues(preservesValues) }
            try renameEntities()
            try stopMissingTables()
            var selected = try self.selected(names)
            // Before the tables are locked, so that programs wait only for the keys that are new by then.
            for table in selected { try numberKeys(of: table) }
            let changed = try selected.filter { try needsDefinitions($0) }
            var recorded: Set<String> = []
            if !changed.isEmpty {
                try lock(changed)
                let present = try TrackedTable.all(connection, in: schemaName)
                for index in selected.indices {
                    guard let table = present.first(where: { $0.oid == selected[index].oid }),
                        table.name == selected[index].name
                    else { throw changedMeanwhile(selected[index]) }
                    selected[index] = table
                }
                for table in selected where changed.contains(where: { $0.oid == table.oid }) {
                    if try record(table) { recorded.insert(table.name) }
                }
                if isNew {
                    // The history does not contain the existing rows.
                    try MetaTable(connection).setRecordedSince(gap: 0)
                } else if !recorded.isEmpty {
                    try HistoryLayout.addGap(connection)
                }
            }
            return try tables().map { table in
                var table = table
                table.isNew = recorded.contains(table.name)
                return table
            }
        }

        private func requireNoStore() throws {
            if try connection.hasRelation("chronicle_meta", in: schemaName) {
                throw SwiftDataError.unsupportedFeature.with(
                    detail: "the schema \(schemaName) contains a Chronicle store, which records its history by itself")
            }
        }

        private func selected(_ names: [String]?) throws -> [TrackedTable] {
            func unsupported(_ detail: String) -> SwiftDataError { .unsupportedFeature.with(detail: detail) }
            let all = try TrackedTable.all(connection, in: schemaName)
            guard let names else {
                let tables = all.filter { $0.reason == nil }
                guard tables.isEmpty else { return tables }
                let reason = all.first { $0.isOrdinary }.flatMap(\.reason).map { "; the first one: \($0)" } ?? ""
                throw unsupported("the schema \(schemaName) has no table that can be recorded\(reason)")
            }
            return try names.map { name in
                guard let table = all.first(where: { $0.name == name }) else {
                    throw unsupported("the schema \(schemaName) has no table \(name)")
                }
                if let reason = table.reason { throw unsupported("the table \(name) cannot be recorded: \(reason)") }
                return table
            }
        }

        private func changedMeanwhile(_ table: TrackedTable) -> SwiftDataError {
            .storeBusy.with(detail: "another program changed the table \(table.name) at the same time; try again")
        }

        private func createHistory(preservesValues: Bool) throws {
            let found = try connection.run(
                "SELECT count(*) FROM pg_namespace WHERE nspname = $1",
                Parameters(.text(connection.settings.schemaName ?? "")), isPrepared: false)
            if found.int64(0, 0) > 0 {
                throw SwiftDataError.unsupportedFeature.with(
                    detail:
                        "the database already contains the schema \(schema), which is needed for the history; remove or "
                        + "rename it")
            }
            try connection.script("CREATE SCHEMA \(schema)")
            let statements =
                [MetaTable.createTable(schema)] + Catalog.createTables(schema)
                + HistoryTables.createTables(schema, except: [])
                + TrackedState.createTables(schema) + HistoryTables.functions(schema).flatMap(\.statements)
                + HistoryTables.orderTrigger(schema)
            for statement in statements { try connection.script(statement) }
            let meta = MetaTable(connection)
            try meta.set(.storeIdentifier, UUID().uuidString)
            try meta.set(.format, String(MetaTable.currentFormat))
            try meta.set(.schemaName, connection.settings.schemaName ?? "")
            try meta.set(.tracked, schemaName)
            try meta.set(.history, "on")
            try meta.set(.preservesValues, preservesValues ? "on" : "off")
            try connection.run("UPDATE \(schema).chronicle_history SET is_recording = TRUE", isPrepared: false)
        }

        private var preservesValues: Bool {
            get throws { try MetaTable(connection).text(.preservesValues) == "on" }
        }

        /// The triggers follow in ``record(_:)``.
        private func setPreservesValues(_ preservesValues: Bool) throws {
            guard try self.preservesValues != preservesValues else { return }
            try MetaTable(connection).set(.preservesValues, preservesValues ? "on" : "off")
            for entity in try catalog.entities() {
                for var attribute in entity.attributes {
                    attribute.preservation.setDefault(preservesValues ? .limited : .none)
                    try catalog.update(attribute, of: entity)
                }
            }
        }

        private func state(of name: String) throws -> (entity: RecordedEntity, state: TrackedState)? {
            guard let entity = try catalog.entities().first(where: { $0.name == name }),
                let state = try TrackedState.all(connection)[entity.number]
            else { return nil }
            return (entity, state)
        }

        private func recorder(_ table: TrackedTable, _ entity: RecordedEntity) -> TrackedRecorder {
            TrackedRecorder(table: table, entity: entity, schema: schema, schemaName: schemaName)
        }

        private func needsDefinitions(_ table: TrackedTable) throws -> Bool {
            guard let known = try state(of: table.name), known.state.isRecorded, known.state.interruption(table) == nil
            else {
                return true
            }
            return try digest(recorder(table, known.entity)) != known.state.definition
        }

        private func digest(_ recorder: TrackedRecorder) throws -> String {
            let text = (recorder.triggerStatements + recorder.viewStatements).joined(separator: "\n")
            return try connection.run("SELECT md5($1)", Parameters(.text(text)), isPrepared: false).text(0, 0)
        }

        private func lock(_ tables: [TrackedTable]) throws {
            try DefinitionLock.acquire(
                tables.sorted { $0.name < $1.name }.map {
                    "LOCK TABLE \($0.isPartitioned ? "" : "ONLY ")\(qualified($0.name, in: schemaName)) IN ACCESS EXCLUSIVE MODE"
                } + ["LOCK TABLE \(schema).chronicle_history IN EXCLUSIVE MODE"], connection)
        }

        /// Returns the entity of a table, with a table of its keys.
        private func entity(of table: TrackedTable) throws -> RecordedEntity {
            if let known = try state(of: table.name) {
                if !known.state.hasOtherKey(table) { return known.entity }
                try retire(known.entity)
            }
            return try catalog.entity(named: table.name)
        }

        private func numberKeys(of table: TrackedTable) throws {
            let recorder = recorder(table, try entity(of: table))
            guard let create = recorder.createKeyTable, let number = recorder.numberRows else { return }
            try connection.script(create)
            try connection.run(number, isPrepared: false)
            // The owner of the history seals the keys, and can be another role.
            let owner = try connection.run(
                """
                SELECT quote_ident(pg_get_userbyid(m.relowner)) FROM pg_class AS m, pg_class AS k \
                WHERE m.oid = to_regclass($1) AND k.oid = to_regclass($2) AND m.relowner <> k.relowner \
                AND k.relowner = current_user::regrole
                """, Parameters(.text("\(schema).chronicle_meta"), .text(recorder.keyTable)), isPrepared: false)
            if owner.count > 0 {
                try connection.script("GRANT SELECT ON \(recorder.keyTable) TO \(owner.text(0, 0))")
            }
        }

        /// Returns whether changes may not have been recorded before.
        private func record(_ table: TrackedTable) throws -> Bool {
            var entity = try entity(of: table)
            let state = try TrackedState.all(connection)[entity.number]
            let isInterrupted = state.map { !$0.isRecorded || $0.interruption(table) != nil } ?? true
            if isInterrupted {
                try updateAttributes(of: &entity, table, state)
                try numberKeys(of: table)
            }
            let recorder = recorder(table, entity)
            if isInterrupted { try dropTriggers(of: entity.number) }
            for statement in recorder.triggerStatements + recorder.viewStatements { try connection.script(statement) }
            try TrackedState(
                entity: entity.number, table: table.name, oid: table.oid, key: table.key, columns: table.columns,
                file: table.file, columnVersions: table.columnVersions, partitions: table.partitions.versions,
                isRecorded: true, isRecordedByRow: table.isRecordedByRow, definition: digest(recorder), triggers: "",
                failure: nil, present: nil
            ).store(connection)
            if isInterrupted {
                try connection.run(
                    "DELETE FROM \(schema).chronicle_interruption WHERE entity = \(entity.number)", isPrepared: false)
            }
            return isInterrupted
        }

        /// A column keeps its number in the history if it was renamed, and gets another one if its values have another type.
        private func updateAttributes(
            of entity: inout RecordedEntity, _ table: TrackedTable, _ state: TrackedState?
        ) throws {
            let names = Set(table.attributes.map(\.name))
            for index in entity.attributes.indices where entity.attributes[index].isPresent {
                let name = entity.attributes[index].name
                let earlier = state?.columns.first { $0.name == name }
                if !names.contains(name), let state, state.oid == table.oid, let earlier,
                    let renamed = table.attributes.first(where: { $0.number == earlier.number }),
                    !entity.attributes.contains(where: { $0.isPresent && $0.name == renamed.name })
                {
                    entity.attributes[index].name = renamed.name
                }
                let column = table.attributes.first { $0.name == entity.attributes[index].name }
                if column?.attributeType.name != entity.attributes[index].type {
                    entity.attributes[index].isPresent = false
                }
                try catalog.update(entity.attributes[index], of: entity)
            }
            let definition = try table.definition()
            try catalog.register(definition, &entity, preservesValues: preservesValues)
            try catalog.setDefinition(definition, of: entity)
        }

        /// Triggers belong to a table, whatever its name is.
        private func renameEntities() throws {
            let tables = try TrackedTable.all(connection, in: schemaName)
            for (number, state) in try TrackedState.all(connection) where state.isRecorded {
                guard let present = state.present, present.name != state.table,
                    !tables.contains(where: { $0.name == state.table }),
                    let table = tables.first(where: { $0.oid == present.oid }),
                    let entity = try catalog.entities().first(where: { $0.number == number }),
                    try !catalog.entities().contains(where: { $0.name == table.name })
                else { continue }
                try connection.script("DROP VIEW IF EXISTS \(connection.table(entity.name))")
                try catalog.rename(entity, to: table.name)
                try catalog.setDefinition(table.definition(), of: entity)
                try connection.run(
                    "UPDATE \(schema).chronicle_tracked SET relation = $1, definition = '' WHERE entity = $2",
                    Parameters(.text(table.name), .int64(number)), isPrepared: false)
            }
        }

        /// The history remains under another name.
        private func retire(_ entity: RecordedEntity) throws {
            try stop(entity.number)
            try connection.script("DROP VIEW IF EXISTS \(connection.table(entity.name))")
            try connection.script("DROP FUNCTION IF EXISTS \(schema).chronicle_rows_\(entity.number)()")
            let names = Set(try catalog.entities().map(\.name))
            var number = 1
            while names.contains("\(entity.name) (\(number))") { number += 1 }
            try catalog.rename(entity, to: "\(entity.name) (\(number))")
            try connection.run(
                "UPDATE \(schema).chronicle_entity SET definition = NULL WHERE id = \(entity.number)", isPrepared: false
            )
            try connection.run(
                "UPDATE \(schema).chronicle_tracked SET relation = '' WHERE entity = \(entity.number)",
                isPrepared: false)
        }

        // MARK: Ending

        func stop(_ names: [String]?) throws {
            try requireTracked()
            let states = try TrackedState.all(connection).values.filter(\.isRecorded)
            for name in names ?? [] where !states.contains(where: { $0.table == name }) {
                throw SwiftDataError.unsupportedFeature.with(detail: "the table \(name) is not recorded")
            }
            let stopped = states.filter { names?.contains($0.table) ?? true }
            try lockTables(of: stopped)
            for state in stopped { try stop(state.entity) }
        }

        private func lockTables(of states: [TrackedState]) throws {
            let found = Set(states.compactMap(\.present?.oid))
            let tables = try TrackedTable.all(connection, in: schemaName).filter { found.contains($0.oid) }
            if !tables.isEmpty { try lock(tables) }
        }

        private func stop(_ entity: Int64) throws {
            try dropTriggers(of: entity)
            try connection.run(
                "UPDATE \(schema).chronicle_tracked SET is_recorded = FALSE WHERE entity = \(entity)", isPrepared: false
            )
        }

        private func dropTriggers(of entity: Int64) throws {
            let functions = try connection.run(
                """
                SELECT proname FROM pg_proc WHERE pronamespace = \(connection.namespace) \
                AND proname ~ '^chronicle_(insert|update|delete|truncate|row)_\(entity)$'
                """, isPrepared: false)
            for row in 0..<functions.count {
                try connection.script("DROP FUNCTION \(connection.table(functions.text(row, 0)))() CASCADE")
            }
        }

        private func stopMissingTables() throws {
            let tables = try TrackedTable.all(connection, in: schemaName)
            for state in try TrackedState.all(connection).values where state.isRecorded {
                if !tables.contains(where: { $0.name == state.table && $0.isOrdinary }) { try stop(state.entity) }
            }
        }

        func untrack() throws {
            try requireTracked()
            try lockTables(of: TrackedState.all(connection).values.filter(\.isRecorded))
            // With the functions, the triggers of the tables, but nothing else of them.
            try connection.script("DROP SCHEMA \(schema) CASCADE")
        }

        private func requireTracked() throws {
            guard try hasHistory() else {
                throw SwiftDataError.unsupportedFeature.with(detail: "the schema \(schemaName) is not tracked")
            }
        }
    }
#endif
