#if Postgres
    import ChronicleCore

    /// Servers that speak the protocol of PostgreSQL and lack what the history needs.
    enum DistributedEngine: String {
        case cockroachDB = "CockroachDB"
        case yugabyteDB = "YugabyteDB"
        case citus = "Citus"
        case auroraDSQL = "Aurora DSQL"

        /// Why the store cannot record a history.
        private var reason: String {
            switch self {
            case .cockroachDB: "it has no advisory locks, and no triggers that receive the rows of a statement"
            case .yugabyteDB:
                "it has no triggers that receive the rows of a statement, no deferrable constraints, and no notifications"
            case .citus: "distributed tables have no triggers"
            case .auroraDSQL: "it has no triggers and no functions in PL/pgSQL"
            }
        }

        private func error(_ detail: String = "") -> SwiftDataError {
            .loadIssueModelContainer.with(
                detail:
                    "the server is \(rawValue)\(detail), on which the store cannot record a history: \(reason); use a server of "
                    + "PostgreSQL")
        }

        /// Recognizes the engine by `server_version`, and by the existence of `crdb_version`.
        private static func engine(serverVersion: String?, hasCockroachVersion: Bool) -> Self? {
            if hasCockroachVersion { return .cockroachDB }
            return serverVersion?.contains("-YB-") == true ? .yugabyteDB : nil
        }

        /// The parameters that the server reports need no round trip.
        static func requireNone(among parameter: (String) -> String?) throws {
            let engine = engine(
                serverVersion: parameter("server_version"), hasCockroachVersion: parameter("crdb_version") != nil)
            if let engine { throw engine.error() }
        }

        /// Throws an error for a server that lacks the language of the functions, or distributes tables.
        static func requireNone(_ connection: Connection, schemaName: String) throws {
            let found = try connection.run(
                """
                SELECT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname = 'plpgsql'), \
                EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'sys'), \
                pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
                """, isPrepared: false)
            if !found.bool(0, 0) {
                if found.bool(0, 1) { throw auroraDSQL.error() }
                throw SwiftDataError.loadIssueModelContainer.with(
                    detail:
                        "the database has no language plpgsql, which the functions of the history need; if the server is "
                        + "PostgreSQL, run CREATE EXTENSION plpgsql as a superuser")
            }
            guard found.bool(0, 2) else { return }
            let tables = try connection.run(
                """
                SELECT c.relname FROM pg_catalog.pg_dist_partition AS d JOIN pg_catalog.pg_class AS c ON c.oid = d.logicalrelid \
                JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 ORDER BY 1 LIMIT 1
                """, Parameters(.text(schemaName)), isPrepared: false)
            if tables.count > 0 { throw citus.error(", which distributes the table \(tables.text(0, 0))") }
        }
    }
#endif
