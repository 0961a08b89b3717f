#if Postgres
    import ChronicleCore
    import Foundation

    /// The description of a save for its row of `chronicle_pending`: its author, its check value, and so on.
    ///
    /// The transaction of a save is one pipeline, or several. ``begin(_:)`` adds statements to the first one, directly
    /// after BEGIN and before any change; ``end(_:)`` adds statements to the last one, directly before COMMIT. Nothing
    /// else may need a round trip.
    ///
    /// The triggers insert the row at the first change, from a parameter of the session that ends with the transaction.
    /// So a save without an effect leaves nothing, and a role that writes models needs no privilege on the table.
    struct PendingTransaction {
        /// The random number that identifies the transaction. An unknown commit is resolved by looking for it.
        let checkValue = Int64.random(in: .min ... .max)
        let editingState: EditingState

        /// The values for the triggers. They read the parameter as JSON.
        private struct Header: Encodable {
            let check: Int64
            let timestamp: Double
            let author: String?
            let context: String?
            let process: String
            let bundle: String
            let metadata: [String: String]?
        }

        private static let process = String(ProcessInfo.processInfo.processIdentifier)
        private static let bundle = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

        /// Adds the statements before the first change.
        ///
        /// - Throws: ``SwiftDataError/valueOutOfRange`` if the author, the name of the context, or the metadata contain a
        ///   NUL character.
        func begin(_ pipeline: inout Pipeline) throws {
            let state = editingState
            let texts =
                [("author", state.author), ("name", state.contextName)].map { ($0, $1 ?? "") }
                + state.metadata.map { ("transactionMetadata", $0.key + $0.value) }
            if let (name, _) = texts.first(where: { $1.utf8.contains(0) }) {
                throw SwiftDataError.valueOutOfRange.with(
                    detail:
                        "the \(name) of the context contains a NUL character, which PostgreSQL cannot store; remove it")
            }
            let header = Header(
                check: checkValue, timestamp: Date().timeIntervalSinceReferenceDate, author: state.author,
                context: state.contextName, process: Self.process, bundle: Self.bundle,
                metadata: state.metadata.isEmpty ? nil : state.metadata)
            let json = String(decoding: try JSONEncoder().encode(header), as: UTF8.self)
            pipeline.add("SELECT set_config('\(HistoryTables.header)', $1, TRUE)", Parameters(.text(json)))
        }

        /// Adds the statements after the last change.
        func end(_ pipeline: inout Pipeline) {}

        /// Returns the keys of the rows that the transaction inserted, in the order of the changes, by the numbers of their
        /// entities; `nil` if no transaction with the check value was committed.
        func committedInserts(_ connection: Connection) throws -> [Int64: [Int64]]? {
            try connection.run("SELECT chronicle_number()")
            let found = try connection.run(
                "SELECT 1 FROM chronicle_transaction WHERE check_value = $1", Parameters(.int64(checkValue)))
            guard found.count > 0 else { return nil }
            let inserts = try connection.run(
                """
                SELECT c.entity, c.primary_key FROM chronicle_transaction AS h JOIN chronicle_change AS c \
                ON c.transaction = h.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                WHERE h.check_value = $1 AND c.kind = 'i' ORDER BY c.id
                """, Parameters(.int64(checkValue)))
            var keys: [Int64: [Int64]] = [:]
            for row in 0..<inserts.count { keys[inserts.int64(row, 0), default: []].append(inserts.int64(row, 1)) }
            return keys
        }

        /// Returns the token of the transaction after its commit, or `nil` if it recorded nothing.
        ///
        /// It numbers the transaction, which is another commit.
        func token(_ connection: Connection, storeIdentifier: String) throws -> DefaultHistoryToken? {
            try connection.run("SELECT chronicle_number()")
            let found = try connection.run(
                "SELECT position FROM chronicle_transaction WHERE check_value = $1", Parameters(.int64(checkValue)))
            guard found.count > 0 else { return nil }
            return DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: found.int64(0, 0), checkValue: checkValue)
        }
    }
#endif
