#if Postgres
    import ChronicleCPostgres
    import Foundation

    /// Where a store connects to, and how its sessions are set up.
    struct ConnectionSettings: Sendable {
        /// A connection URI or a string of keywords and values, as libpq accepts them; empty for the environment.
        var connectionString = ""
        /// The schema of the store's tables, or `nil` if it is not known yet.
        var schemaName: String?
        /// The limit of each statement, or `nil` for that of the server.
        var statementTimeout: Duration?
        /// The limit of each wait for a lock, or `nil` for that of the server.
        var lockTimeout: Duration?
        /// How long the client waits for the end of a commit, or `nil` to wait until the connection is lost.
        var commitTimeout: Duration?
        /// Whether the session looks at others, so that each of its statements has to end in ``commitTimeout``.
        private(set) var isProbe = false
        /// Whether a proxy may use another session of the server for each transaction. Sessions then have no prepared
        /// statements and no settings.
        var usesTransactionPooling = false
        /// The server to connect to instead of those of the connection string.
        private(set) var server: Server?

        /// The address of one server.
        struct Server: Sendable {
            var host: String
            /// The numeric address, or an empty string for a Unix socket.
            var address: String
            var port: String
        }

        /// The keywords for libpq.
        ///
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

        /// A statement that sets up a session, or a transaction if a proxy assigns the sessions.
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
        /// The server of a connection.
        init(_ handle: OpaquePointer?) {
            func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
            self.init(host: text(PQhost(handle)), address: text(PQhostaddr(handle)), port: text(PQport(handle)))
        }

        /// The keywords that override those of a connection string. libpq ignores empty values, so an address for a Unix socket
        /// remains that of the string, which has none then.
        fileprivate var keywords: [(name: String, value: String)] {
            [("host", host), ("hostaddr", address), ("port", port), ("target_session_attrs", "any")]
        }
    }

    /// The search paths with which the functions and operators of statements are resolved.
    ///
    /// A session finds only the functions of the server. A role that may create functions in the schema of the store could
    /// otherwise run code as the role that reads or opens the store. Transactions that write models have the path of the role
    /// and the database, on which triggers of other programs may depend, so their statements state the types of all operands,
    /// or the schema of a function.
    enum SearchPath {
        /// The parameter of a session with the path for transactions that write models.
        static let parameter = "chronicle.path"

        /// Returns the expression that keeps the current path, after the schema of the store, for ``models``.
        static func remember(_ schemaName: String, isLocal: Bool) -> String {
            "pg_catalog.set_config('\(parameter)', \(literal(quoted(schemaName)))::text || coalesce(', '::text || "
                + "nullif(pg_catalog.current_setting('search_path'), ''::text), ''::text), \(isLocal))"
        }

        /// Returns the expression that sets the path to that of the server's functions.
        static func catalog(isLocal: Bool) -> String {
            "pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', \(isLocal))"
        }

        /// The expression that sets the path for a transaction that writes models.
        static let models = "pg_catalog.set_config('search_path', pg_catalog.current_setting('\(parameter)'), TRUE)"
    }

    extension Duration {
        /// The number of milliseconds, at least 1, because 0 disables a limit of the server.
        var milliseconds: Int64 {
            max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
        }
    }

    /// Returns the name of a table, an index or a function with that of its schema, as an SQL identifier.
    func qualified(_ name: String, in schemaName: String) -> String { "\(quoted(schemaName)).\(quoted(name))" }

    /// Returns the rows whose columns are arrays. A function of another schema cannot take the place of the server's.
    func rows(of arrays: [String]) -> String {
        "ROWS FROM (\(arrays.map { "pg_catalog.unnest(\($0))" }.joined(separator: ", ")))"
    }

    /// Returns a name as an SQL identifier.
    func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }

    /// Returns a text as an SQL literal, whatever the setting `standard_conforming_strings` is.
    func literal(_ text: String) -> String {
        let quotes = text.replacingOccurrences(of: "'", with: "''")
        guard quotes.contains("\\") else { return "'\(quotes)'" }
        return " E'\(quotes.replacingOccurrences(of: "\\", with: "\\\\"))'"
    }
#endif
