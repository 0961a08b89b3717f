#if Postgres
    public import ChronicleCore
    import ChronicleCPostgres

    /// An error of a PostgreSQL server or of the connection to it: the `SwiftDataError.underlying` error of errors that a
    /// ``PostgresStore`` throws. Its description contains no values of models, which the `DETAIL` of the server may
    /// contain.
    public struct PostgresError: LoggableError, Hashable, Sendable {
        /// The server's error code, such as `23505` (<https://www.postgresql.org/docs/current/errcodes-appendix.html>), or
        /// `nil` for an error of the connection.
        public let sqlState: String?
        /// The primary message of the server, or that of libpq.
        public let message: String
        /// The statement that failed, without its bound values; `nil` if there was none.
        public internal(set) var sql: String?
        /// The name of the table that the error refers to, if the server reports one.
        public internal(set) var table: String?
        /// The name of the column that the error refers to, if the server reports one.
        public internal(set) var column: String?
        /// The name of the violated constraint, if the server reports one.
        public internal(set) var constraint: String?
        /// The index of the statement in its pipeline, or the number of its statements for the commit.
        var statementIndex: Int?
        /// The connection cannot be used any more.
        let endsSession: Bool
        /// What to do about a connection that could not be opened.
        var recommendation: String?
        /// A standby server canceled the statement, because it has to apply a change of the primary server.
        private(set) var isRecoveryConflict = false
        /// The client stopped waiting for the end of a commit, which may succeed later.
        private(set) var isCommitTimeout = false

        init(_ result: OpaquePointer?, _ connection: OpaquePointer, sql: String?) {
            func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
            // The codes are the characters of the protocol, which Swift does not import.
            // https://www.postgresql.org/docs/current/protocol-error-fields.html
            func field(_ code: Unicode.Scalar) -> String? { field(Int32(code.value)) }
            let sqlState = field("C")
            self.sqlState = sqlState
            message = field("M") ?? Self.firstLine(PQerrorMessage(connection))
            (self.sql, table, column, constraint) = (sql, field("t"), field("c"), field("n"))
            endsSession = PQstatus(connection) != CONNECTION_OK || sqlState.map(Self.isEndOfSession) == true
            // Version 13 does not report the state of the server, and a proxy may repeat that of another one.
            let isStandby = PQparameterStatus(connection, "in_hot_standby").map { String(cString: $0) == "on" } == true
            isRecoveryConflict =
                sqlState.map { ["40001", "40P01"].contains($0) } == true
                && (isStandby || message.contains("with recovery"))
        }

        init(_ connection: OpaquePointer?, sql: String? = nil) {
            sqlState = nil
            message = connection.map { Self.firstLine(PQerrorMessage($0)) } ?? "libpq is out of memory"
            self.sql = sql
            endsSession = connection.map { PQstatus($0) != CONNECTION_OK } ?? true
        }

        /// Creates the error of a connection that could not be opened, without its connection string.
        init(connecting connection: OpaquePointer?, to connectionString: String) {
            (sqlState, sql, endsSession) = (nil, nil, true)
            guard let connection else {
                message = "libpq is out of memory"
                return
            }
            // libpq's message about a connection string quotes the part that is not valid, perhaps a password.
            guard Self.isValid(connectionString) else {
                message = "the connection string is not valid"
                recommendation = "correct its syntax"
                return
            }
            message = Self.failedAttempts(PQerrorMessage(connection))
            if PQconnectionNeedsPassword(connection) == 1 {
                recommendation =
                    "the server requires a password: add it to the connection string, to PGPASSWORD, or to the file "
                    + "~/.pgpass"
            } else if PQconnectionUsedPassword(connection) == 1 {
                recommendation = "correct the name of the role, its password, or the database"
            } else {
                recommendation = "correct the connection string, or start the server"
            }
        }

        private static func isValid(_ connectionString: String) -> Bool {
            // As libpq does: a string without these is the name of a database.
            let isName =
                !connectionString.contains("=")
                && !["postgres://", "postgresql://"].contains(where: connectionString.hasPrefix)
            let options = PQconninfoParse(connectionString, nil)
            defer { PQconninfoFree(options) }
            return isName || options != nil
        }

        /// Returns the messages for the addresses that libpq tried, without its hints, which are indented lines.
        private static func failedAttempts(_ text: UnsafeMutablePointer<CChar>?) -> String {
            let lines = text.map { String(cString: $0).split(whereSeparator: \.isNewline) } ?? []
            var messages: [String] = []
            for line in lines where line.first?.isWhitespace == false && !messages.contains(String(line)) {
                messages.append(String(line))
            }
            return messages.isEmpty ? "the server cannot be reached" : messages.joined(separator: "; ")
        }

        /// Creates an error that this library detected.
        init(message: String, sqlState: String? = nil, endsSession: Bool = false) {
            (self.sqlState, self.message, self.endsSession) = (sqlState, message, endsSession)
        }

        init(commitTimeout limit: Duration) {
            self.init(
                message:
                    "the server did not confirm the commit within \(limit), for example because a synchronous standby "
                    + "server does not respond",
                endsSession: true)
            isCommitTimeout = true
        }

        /// The message of libpq may have several lines, and hints about values of parameters in the later ones.
        private static func firstLine(_ text: UnsafeMutablePointer<CChar>?) -> String {
            guard let text else { return "" }
            let lines = String(cString: text).split(whereSeparator: \.isNewline)
            return lines.first.map(String.init) ?? "the connection to the server was lost"
        }

        /// Class 08 and the operator interventions that end the session.
        private static func isEndOfSession(_ sqlState: String) -> Bool {
            sqlState.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05"].contains(sqlState)
        }

        public var description: String {
            var text =
                sqlState.map { "PostgreSQL error \($0): \(message)" } ?? "PostgreSQL connection error: \(message)"
            if let constraint { text += " (constraint \(constraint))" }
            // A statement for many rows is long; `sql` has all of it. That of a violated constraint does not explain it.
            if !isConstraintViolation, let sql {
                text += " while running: \(sql.prefix(200))\(sql.utf8.count > 200 ? " …" : "")"
            }
            return text
        }
    }

    extension PostgresError {
        /// A table changed, or a proxy assigned another session, so that the statement must be prepared again.
        var needsNewStatements: Bool {
            // "cached plan must not change result type" is reported as `feature_not_supported`.
            sqlState == "26000" || isChangedResult || sqlState == "42P05"
        }

        /// Another program changed the columns that a prepared statement returns.
        var isChangedResult: Bool { sqlState == "0A000" && message.contains("cached plan") }

        /// A serialization failure, a deadlock, or a lock that was not available in time: the transaction can succeed if it
        /// is repeated.
        var isConflict: Bool { ["40001", "40P01", "55P03"].contains(sqlState) }

        /// The session lacks its prepared statements, or has those of another client.
        var isProxied: Bool {
            // The other client's session also lacks the parameters of this one.
            sqlState == "26000" || sqlState == "42P05"
                || sqlState == "42704" && message.contains(SearchPath.parameter)
        }

        var isLockTimeout: Bool { sqlState == "55P03" }

        /// The statement was canceled by this library, an administrator, or a time limit.
        var isCanceled: Bool { sqlState == "57014" }

        var isUniqueViolation: Bool { sqlState == "23505" }
        var isForeignKeyViolation: Bool { sqlState == "23503" }
        /// Class 23: any violated constraint.
        var isConstraintViolation: Bool { sqlState?.hasPrefix("23") == true }
        /// Class 53 without "too many connections": the disk or the memory of the server is full.
        var isFull: Bool { sqlState == "53100" || sqlState == "53200" }
        /// `undefined_table`, `undefined_column`, `undefined_function`, `invalid_schema_name`, `datatype_mismatch`:
        /// another program changed the tables.
        var isSchemaMismatch: Bool {
            ["42P01", "42703", "42883", "3F000", "42804", "42P10"].contains(sqlState)
        }
        var isPrivilegeViolation: Bool { sqlState == "42501" }
        /// `read_only_sql_transaction`: a standby server, or `default_transaction_read_only`.
        var isReadOnly: Bool { sqlState == "25006" }
        var isTooManyConnections: Bool { sqlState == "53300" }
    }
#endif
