#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    extension PostgresStore {
        /// Runs an SQL query that reads the models, with a view for each entity.
        ///
        /// A view has the name of the class, and a column for the primary key `_rowid_`, each attribute and each to-one
        /// relationship, with the values that the tables contain. PostgreSQL converts names to lowercase unless they are
        /// quoted. The links of a relationship are a view such as `"Item.tags"` with the columns `owner` and `destination`. For
        /// a store that ``store(asOf:)`` returned, the views contain the models as of its position. For other stores, there are
        /// also the views `"Trip_history"` and `"Trip_revisions"` for an entity `Trip`, unless an entity has such a name or it
        /// has more than 63 bytes.
        ///
        /// ```swift
        /// try store.query(#"SELECT author, count(*) FROM "Trip_history" GROUP BY author"#) { print($0) }
        /// ```
        ///
        /// The views are temporary. The query has a connection beside those of the pool, and a read-only transaction with one
        /// snapshot that is rolled back. It can also read other tables with the names of their schemas. A function that it calls
        /// can do what the role may do, except for changing rows, such as reading files of the server or ending other sessions:
        /// for text of others, use a role with few privileges.
        ///
        /// - Parameters:
        ///   - sql: One `SELECT`, `VALUES`, `TABLE` or `WITH` that changes nothing, or an `EXPLAIN`.
        ///   - replacesUnknownValues: Whether values that the history does not contain are NULL instead of an error, and unknown
        ///     links are missing.
        ///   - columns: A closure that receives the names of the columns before the first row.
        ///   - row: A closure that receives the values of each row. Integers and Booleans are integers, floating-point numbers
        ///     are reals, and `bytea` is binary data. Values of other types, such as `numeric` and dates, are the texts that
        ///     PostgreSQL prints.
        /// - Throws:
        ///   - `SwiftDataError.unsupportedFeature` if PostgreSQL rejects the statement, with its message, or if the statement
        ///     does more than read; correct it. The same error on a standby server, which has no temporary views; connect to
        ///     the primary server.
        ///   - `SwiftDataError.historyValueMissing` if it uses a value that the history does not contain. Use a later position.
        ///   - `SwiftDataError.historyTokenExpired` if the history after the position is incomplete. Use a later one.
        ///   - `SwiftDataError.storeReadOnly` if the role lacks the privilege `TEMPORARY` on the database. Grant it.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        ///   - An error of a closure, which ends the query.
        /// - Complexity: That of the query, with up to 1,000 rows in memory. The history and the revisions of an entity take time
        ///   proportional to the length of the history and the number of the models, also if few of their rows are needed. For a
        ///   position, each query writes the rows of its tables that have changed since to a temporary table.
        public func query(
            _ sql: String, replacesUnknownValues: Bool = false, columns: ([String]) throws -> Void = { _ in },
            row: ([PropertyValue]) throws -> Void
        ) throws {
            try attributingErrors {
                guard !sql.utf8.contains(0) else { throw rejection("it contains a NUL character") }
                guard !pool.isShared else { throw rejection("a context of a migration stage has no queries in SQL") }
                let connection = try pool.makeConnection()
                defer { connection.close() }
                try requireTemporaryViews(connection)
                let views = QueryViews(for: sql, self)
                if views.includeHistory { try connection.numberTransactions() }
                func run(_ connection: Connection, _ tables: PastTables?) throws {
                    try connection.run(Self.queryFormat, isPrepared: false)
                    try views.create(connection, tables, replacesUnknownValues: replacesUnknownValues)
                    try connection.run("SET TRANSACTION READ ONLY", isPrepared: false)
                    try read(sql, connection, columns: columns, row: row)
                    // A session that a proxy shares would keep the views.
                    connection.rollBack()
                }
                // A default of the role or the database may be read-only.
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE"
                if let past {
                    try past.read(connection, begin, run)
                } else {
                    try connection.transaction(begin) { try run($0, nil) }
                }
            }
        }

        /// Texts of values do not depend on settings. All rows of a cursor are read.
        private static let queryFormat =
            "SELECT "
            + [
                ("bytea_output", "hex"), ("extra_float_digits", "1"), ("DateStyle", "ISO"),
                ("IntervalStyle", "postgres"),
                ("TimeZone", "UTC"), ("cursor_tuple_fraction", "1"),
            ].map { "pg_catalog.set_config('\($0)', '\($1)', TRUE)" }.joined(separator: ", ")

        private func requireTemporaryViews(_ connection: Connection) throws {
            let found = try connection.run(
                """
                SELECT pg_is_in_recovery(), has_database_privilege(current_database(), 'TEMPORARY'), \
                quote_ident(current_database()), quote_ident(current_user)
                """, isPrepared: false)
            guard !found.bool(0, 0) else {
                throw SwiftDataError.unsupportedFeature.with(
                    detail:
                        "a standby server cannot create the temporary views of a query; connect to the primary server",
                    storeIdentifier: identifier)
            }
            guard found.bool(0, 1) else {
                throw SwiftDataError.storeReadOnly.with(
                    detail: "the role may not create the temporary views of a query; run GRANT TEMPORARY ON DATABASE "
                        + "\(found.text(0, 2)) TO \(found.text(0, 3)) as the owner of the database",
                    storeIdentifier: identifier)
            }
        }

        /// The statement of a cursor can only be a query, and the protocol refuses several statements.
        private func read(
            _ sql: String, _ connection: Connection, columns: ([String]) throws -> Void,
            row: ([PropertyValue]) throws -> Void
        ) throws {
            func pass(_ result: QueryResult) throws {
                let indices = result.columnNames.indices
                for number in 0..<result.count { try row(indices.map { result.printedValue(number, $0) }) }
            }
            if sql.drop(while: \.isWhitespace).prefix(7).lowercased() == "explain" {
                let result = try explainingErrors { try connection.runText(sql) }
                try columns(result.columnNames)
                try pass(result)
                return
            }
            _ = try explainingErrors {
                try connection.run("DECLARE chronicle_query NO SCROLL CURSOR FOR \(sql)", isPrepared: false)
            }
            let size = 1_000
            var isFirst = true
            while true {
                let result = try explainingErrors { try connection.runText("FETCH \(size) FROM chronicle_query") }
                if isFirst { try columns(result.columnNames) }
                isFirst = false
                try pass(result)
                if result.count < size { return }
            }
        }

        /// The errors of the statement that its author can correct.
        private func explainingErrors<Result>(_ body: () throws -> Result) throws -> Result {
            do { return try body() } catch let error as PostgresError
                where error.isRejection && PastTable.unknownValue(error) == nil
            {
                if error.isReadOnly { throw rejection("the SQL may only read: \(error.message)", error) }
                let advice =
                    ["42601", "0A000", "42P11"].contains(error.sqlState)
                    ? "; a query is one SELECT, VALUES, TABLE, WITH or EXPLAIN that only reads" : ""
                throw rejection("PostgreSQL rejects the SQL: \(error.message)\(advice)", error)
            }
        }

        private func rejection(_ detail: String, _ error: PostgresError? = nil) -> SwiftDataError {
            .unsupportedFeature.with(detail: detail, storeIdentifier: identifier, underlying: error)
        }
    }

    extension PostgresError {
        /// The server refused a statement because of what it says, or of the values that it uses.
        /// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
        fileprivate var isRejection: Bool {
            [
                "08P01", "0A", "0L", "0P", "20", "21", "22", "23", "25", "26", "2F", "34", "38", "39", "3F", "42", "44",
                "54",
                "55000", "P0",
            ].contains { sqlState?.hasPrefix($0) == true }
        }
    }

    extension QueryResult {
        /// Returns a value of a result in the text format.
        fileprivate func printedValue(_ row: Int, _ column: Int) -> PropertyValue {
            if isNull(row, column) { return .null }
            let text = text(row, column)
            let value: PropertyValue? =
                switch type(column) {
                case 16: .integer(text == "t" ? 1 : 0)
                // bigint, smallint, integer and oid
                case 20, 21, 23, 26: Int64(text).map { .integer($0) }
                case 700, 701: Double(text).map { .real($0) }
                case 17 where text.hasPrefix("\\x"):
                    Data(hexadecimal: UnsafeRawBufferPointer(rebasing: bytes(row, column).dropFirst(2))).map {
                        .blob($0)
                    }
                default: nil
                }
            return value ?? .text(text)
        }
    }
#endif
