#if Postgres
    import ChronicleCPostgres
    import Foundation

    struct ConnectionSettings: Sendable {
        /// A URI or a string of keywords and values, as libpq accepts them; empty for the environment.
        var connectionString = ""
        /// `nil` if the schema is not known yet.
        var schemaName: String?
        /// `nil` for the limit of the server.
        var statementTimeout: Duration?
        /// The limit of each wait for a lock; `nil` for that of the server.
        var lockTimeout: Duration?
        /// `nil` to wait until the connection is lost.
        var commitTimeout: Duration?
        /// The session looks at others, so each of its statements has to end in ``commitTimeout``.
        private(set) var isProbe = false
        /// A proxy may use another session of the server for each transaction. Sessions then have no prepared statements
        /// and no settings.
        var usesTransactionPooling = false
        /// The server overrides those of the connection string.
        private(set) var server: Server?

        struct Server: Sendable {
            var host: String
            /// A numeric address, or an empty string for a Unix socket.
            var address: String
            var port: String
        }

        /// <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS>
        var keywords: [(name: String, value: String)] {
            // Before `dbname`, so that the connection string overrides them.
            let isTimeoutSet = ProcessInfo.processInfo.environment["PGCONNECT_TIMEOUT"] != nil
            return (isTimeoutSet ? [] : [("connect_timeout", "10")]) + [
                // A server that is no longer there is detected after a minute, not after hours.
                ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "60000"),
                ("dbname", connectionString),
                // Names the sessions in pg_stat_activity, unless the program or its environment names them.
                ("fallback_application_name", ProcessInfo.processInfo.processName),
                ("client_encoding", "UTF8"),
            ] + (isProbe ? [("connect_timeout", "3")] : []) + (server?.keywords ?? [])
        }

        /// The settings of a session that looks at others of a server, and never waits for long.
        func probing(_ server: Server) -> ConnectionSettings {
            var settings = self
            (settings.commitTimeout, settings.isProbe, settings.server) = (.seconds(3), true, server)
            return settings
        }

        /// The setup of a session, or of a transaction if a proxy assigns the sessions.
        var setup: String {
            let isLocal = usesTransactionPooling
            // Saves depend on the default isolation level, because a pipeline without BEGIN is a transaction as well.
            var calls = ["pg_catalog.set_config('default_transaction_isolation', 'read committed', \(isLocal))"]
            if let schemaName {
                // Evaluated from left to right.
                calls += [SearchPath.remember(schemaName, isLocal: isLocal), SearchPath.catalog(isLocal: isLocal)]
            }
            if let statementTimeout {
                calls.append(
                    "pg_catalog.set_config('statement_timeout', '\(statementTimeout.milliseconds)', \(isLocal))")
            }
            if let lockTimeout {
                calls.append("pg_catalog.set_config('lock_timeout', '\(lockTimeout.milliseconds)', \(isLocal))")
            }
            return "SELECT \(calls.joined(separator: ", "))"
        }
    }

    extension ConnectionSettings.Server {
        init(_ handle: OpaquePointer?) {
            func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
            self.init(host: text(PQhost(handle)), address: text(PQhostaddr(handle)), port: text(PQport(handle)))
        }

        /// These override the connection string. libpq ignores empty values, so an address for a Unix socket remains that
        /// of the string, which has none then.
        fileprivate var keywords: [(name: String, value: String)] {
            [("host", host), ("hostaddr", address), ("port", port), ("target_session_attrs", "any")]
        }
    }

    /// Statements resolve functions and operators with the server's path only. A role that may create functions in the
    /// schema of the store could otherwise run code as the role that reads or opens it. Transactions that write models have
    /// the path of the role and the database, on which triggers of other programs may depend, so their statements state the
    /// types of all operands, or the schema of a function.
    enum SearchPath {
        /// The parameter with the path for transactions that write models.
        static let parameter = "chronicle.path"

        /// Keeps the current path, after the schema of the store, for ``models``.
        static func remember(_ schemaName: String, isLocal: Bool) -> String {
            "pg_catalog.set_config('\(parameter)', \(literal(quoted(schemaName)))::text || coalesce(', '::text || "
                + "nullif(pg_catalog.current_setting('search_path'), ''::text), ''::text), \(isLocal))"
        }

        static func catalog(isLocal: Bool) -> String {
            "pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', \(isLocal))"
        }

        static let models = "pg_catalog.set_config('search_path', pg_catalog.current_setting('\(parameter)'), TRUE)"
    }

    extension Duration {
        /// The number is at least 1, because 0 disables a limit of the server.
        var milliseconds: Int64 {
            max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
        }
    }

    func qualified(_ name: String, in schemaName: String) -> String { "\(quoted(schemaName)).\(quoted(name))" }

    /// A function of another schema cannot take the place of the server's.
    func rows(of arrays: [String]) -> String {
        "ROWS FROM (\(arrays.map { "pg_catalog.unnest(\($0))" }.joined(separator: ", ")))"
    }

    func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }

    /// The literal does not depend on the setting `standard_conforming_strings`.
    func literal(_ text: String) -> String {
        let quotes = text.replacingOccurrences(of: "'", with: "''")
        guard quotes.contains("\\") else { return "'\(quotes)'" }
        return " E'\(quotes.replacingOccurrences(of: "\\", with: "\\\\"))'"
    }
#endif
