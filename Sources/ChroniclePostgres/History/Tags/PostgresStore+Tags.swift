#if Postgres
    public import ChronicleCore
    import Foundation

    extension PostgresStore: HistoryTagging {
        public func historyTags() throws -> [HistoryTag<DefaultHistoryToken>] {
            try readingHistory { positions in
                let result = try positions.connection.run(
                    "SELECT name, position, check_value, date FROM \(positions.connection.schema).chronicle_tag")
                return (0..<result.count).map { row in
                    HistoryTag(
                        name: result.text(row, 0),
                        token: DefaultHistoryToken(
                            storeIdentifier: identifier, position: result.int64(row, 1),
                            checkValue: result.isNull(row, 2) ? nil : result.int64(row, 2)),
                        date: Date(timeIntervalSinceReferenceDate: result.double(row, 3)))
                }
            }
        }

        /// Names the newest position of the history.
        ///
        /// - Throws: The errors of the protocol's requirement, and `SwiftDataError.valueOutOfRange` if the name contains a
        ///   NUL character. Nothing was changed in that case.
        public func tagHistory(_ name: String, replacing: Bool) throws -> HistoryTag<DefaultHistoryToken> {
            try SwiftDataError.requireStorable(name, "name of the tag", storeIdentifier: identifier)
            return try changingRecords { connection in
                let state = try HistoryState(connection.run(HistoryState.select(connection)))
                let tag = HistoryTag(name: name, token: state.newestToken(identifier), date: Date())
                var parameters = Parameters(.text(name), .int64(state.position))
                if let checkValue = tag.token.checkValue(in: identifier) {
                    parameters.append(checkValue)
                } else {
                    parameters.appendNull(.int8)
                }
                parameters.append(tag.date.timeIntervalSinceReferenceDate)
                let conflict =
                    replacing
                    ? "UPDATE SET position = excluded.position, check_value = excluded.check_value, date = excluded.date"
                    : "NOTHING"
                let inserted = try connection.run(
                    """
                    INSERT INTO \(connection.schema).chronicle_tag(name, position, check_value, date) VALUES ($1, $2, $3, $4) \
                    ON CONFLICT (name) DO \(conflict)
                    """, parameters)
                guard inserted.affectedRows == 1 else {
                    throw SwiftDataError.duplicateHistoryTag.with(
                        detail: "the store already has a tag \"\(name)\"; replace or delete it, or choose another name",
                        storeIdentifier: identifier)
                }
                return tag
            }
        }

        public func deleteHistoryTag(_ name: String) throws -> Bool {
            if name.utf8.contains(0) { return false }
            return try changingRecords { connection in
                try connection.run(
                    "DELETE FROM \(connection.schema).chronicle_tag WHERE name = $1", Parameters(.text(name))
                ).affectedRows
                    == 1
            }
        }

        /// Runs `body` after all committed transactions were numbered.
        func changingRecords<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            try requireWriteAccess()
            try requireHistory()
            return try attributingErrors {
                try pool.use { connection in
                    try connection.numberTransactions()
                    return try connection.transaction { try body($0) }
                }
            }
        }
    }

    extension SwiftDataError {
        /// PostgreSQL cannot store a NUL character.
        static func requireStorable(_ text: String?, _ what: String, storeIdentifier: String? = nil) throws {
            guard let text, text.utf8.contains(0) else { return }
            throw SwiftDataError.valueOutOfRange.with(
                detail: "the \(what) contains a NUL character, which PostgreSQL cannot store; remove it",
                storeIdentifier: storeIdentifier)
        }
    }
#endif
