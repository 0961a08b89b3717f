#if Postgres
    import ChronicleCPostgres
    import Foundation

    extension PostgresCluster {
        /// Runs statements in a new session, as `psql --command` does, which takes several times as long: in one transaction unless
        /// they end it.
        ///
        /// - Returns: The rows of all results, without headings; columns are separated by `|`.
        /// - Throws: ``Shell/Failure`` with the message of the server if a statement fails.
        @discardableResult
        package func psql(_ statements: String, database: String = "postgres", user: String? = nil) throws -> String {
            let parameters =
                "\(connectionString(database: database, user: user)) client_encoding=UTF8 application_name=psql"
            let connection = PQconnectdb(parameters)
            defer { PQfinish(connection) }
            guard PQstatus(connection) == CONNECTION_OK else { throw Self.failure(PQerrorMessage(connection)) }
            PQsetNoticeProcessor(connection, { _, _ in }, nil)
            guard PQsendQuery(connection, statements) == 1 else { throw Self.failure(PQerrorMessage(connection)) }
            var (lines, failure): ([String], Shell.Failure?) = ([], nil)
            while let result = PQgetResult(connection) {
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK: lines += Self.lines(result)
                case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
                case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                    // It would wait for the data.
                    throw Shell.Failure(description: "COPY is not supported: \(statements.prefix(300))")
                // The first one: without the server, others follow.
                default: failure = failure ?? Self.failure(PQresultErrorMessage(result))
                }
            }
            if let failure { throw failure }
            return lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
        }

        private static func failure(_ message: UnsafePointer<CChar>?) -> Shell.Failure {
            Shell.Failure(description: message.map { String(cString: $0) } ?? "out of memory")
        }

        private static func lines(_ result: OpaquePointer) -> [String] {
            (0..<PQntuples(result)).map { row in
                (0..<PQnfields(result)).map { column in
                    PQgetvalue(result, row, column).map { String(cString: $0) } ?? ""
                }.joined(separator: "|")
            }
        }

        /// Creates an empty schema with a name that no other test has.
        ///
        /// - Returns: The name of the schema.
        package func makeSchema() throws -> String {
            let name = Self.uniqueName()
            try psql("CREATE SCHEMA \(name)")
            return name
        }

        /// Creates an empty database with a name that no other test has.
        ///
        /// - Returns: The name of the database.
        package func makeDatabase() throws -> String {
            let name = Self.uniqueName()
            try psql("CREATE DATABASE \(name)")
            return name
        }

        private static func uniqueName() -> String {
            "test_\(UUID().uuidString.prefix(13).lowercased().replacingOccurrences(of: "-", with: "_"))"
        }
    }
#endif
