#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// The description of a save for its row of `chronicle_pending`. ``begin(_:)`` adds a statement directly after BEGIN
    /// and before any change. The triggers insert the row at the first change, from a parameter of the session that ends
    /// with the transaction. So a save without an effect leaves nothing, and a role that writes models needs no privilege
    /// on the table.
    struct PendingTransaction {
        /// Identifies the transaction. An unknown commit is resolved by looking for it.
        let checkValue = Int64.random(in: .min ... .max)
        let editingState: EditingState

        private static let process = String(ProcessInfo.processInfo.processIdentifier)
        static let bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        /// The same for all saves of the process.
        private static let program = "\"process\":\(process.jsonString),\"bundle\":\(bundle.jsonString)"

        /// Also sets the search path for the changes. See ``begin(_:)``.
        func begin(_ pipeline: inout Pipeline, recordsHistory: Bool) throws {
            if recordsHistory { try begin(&pipeline) } else { pipeline.add("SELECT \(SearchPath.models)") }
        }

        /// Also sets the search path of transactions that write models. Throws ``SwiftDataError/valueOutOfRange`` if the
        /// author, the name of the context, or the metadata contain a NUL character.
        func begin(_ pipeline: inout Pipeline) throws {
            try SwiftDataError.requireStorable(editingState.author, "author of the context")
            try SwiftDataError.requireStorable(editingState.contextName, "name of the context")
            for (key, value) in editingState.metadata {
                try SwiftDataError.requireStorable(key + value, "metadata of the context")
            }
            pipeline.add(
                "SELECT pg_catalog.set_config('\(HistoryTables.header)', $1, TRUE), \(SearchPath.models)",
                Parameters(.text(header)))
        }

        /// JSON, written by hand: an encoder takes a third of the client's time in a small save.
        private var header: String {
            var text = "{\(Self.program),\"check\":\(checkValue),\"timestamp\":\(Date().timeIntervalSinceReferenceDate)"
            if let author = editingState.author { text += ",\"author\":\(author.jsonString)" }
            if let name = editingState.contextName { text += ",\"context\":\(name.jsonString)" }
            if !editingState.metadata.isEmpty {
                let pairs = editingState.metadata.map { "\($0.jsonString):\($1.jsonString)" }
                text += ",\"metadata\":{\(pairs.joined(separator: ","))}"
            }
            return text + "}"
        }

        /// Returns the keys in ascending order, by the numbers of their entities; `nil` if no transaction with the check
        /// value was committed.
        func committedInserts(_ connection: Connection) throws -> [Int64: [Int64]]? {
            try connection.numberTransactions()
            let found = try connection.run(
                "SELECT 1 FROM \(connection.schema).chronicle_transaction WHERE check_value = $1",
                Parameters(.int64(checkValue)))
            guard found.count > 0 else { return nil }
            let inserts = try connection.run(
                """
                SELECT c.entity, c.primary_key FROM \(connection.schema).chronicle_transaction AS h JOIN \(connection.schema).chronicle_change AS c \
                ON c.transaction = h.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                WHERE h.check_value = $1 AND c.kind = 'i' ORDER BY c.primary_key
                """, Parameters(.int64(checkValue)))
            var keys: [Int64: [Int64]] = [:]
            for row in 0..<inserts.count { keys[inserts.int64(row, 0), default: []].append(inserts.int64(row, 1)) }
            return keys
        }

        /// `nil` if the committed transaction recorded nothing. Numbers it, which is another commit.
        func token(_ connection: Connection, storeIdentifier: String) throws -> DefaultHistoryToken? {
            try connection.numberTransactions()
            let found = try connection.run(
                "SELECT position FROM \(connection.schema).chronicle_transaction WHERE check_value = $1",
                Parameters(.int64(checkValue)))
            guard found.count > 0 else { return nil }
            return DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: found.int64(0, 0), checkValue: checkValue)
        }
    }
#endif
