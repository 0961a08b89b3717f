#if Postgres
    import Foundation

    /// Where a store connects to, and how its sessions are set up.
    struct ConnectionSettings: Sendable {
        /// A connection URI or a string of keywords and values, as libpq accepts them; empty for the environment.
        var connectionString = ""
        /// The schema that is first in the search path of a session, or `nil` to leave the path as it is.
        var schemaName: String?
        /// The limit of each statement, or `nil` for that of the server.
        var statementTimeout: Duration?
        /// The limit of each wait for a lock, or `nil` for that of the server.
        var lockTimeout: Duration?
        /// Whether a proxy may use another session of the server for each transaction. Sessions then have no prepared
        /// statements and no settings.
        var usesTransactionPooling = false

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
            ]
        }

        /// A statement that sets up a session, or a transaction if a proxy assigns the sessions; `nil` if there is
        /// nothing to set.
        var setup: String? {
            let isLocal = usesTransactionPooling
            var calls: [String] = []
            if let schemaName {
                // The rest of the path stays, for the triggers of other programs.
                calls.append(
                    "set_config('search_path', quote_ident(\(literal(schemaName))) || coalesce(', ' || "
                        + "nullif(current_setting('search_path'), ''), ''), \(isLocal))")
            }
            if let statementTimeout {
                calls.append("set_config('statement_timeout', '\(statementTimeout.milliseconds)', \(isLocal))")
            }
            if let lockTimeout {
                calls.append("set_config('lock_timeout', '\(lockTimeout.milliseconds)', \(isLocal))")
            }
            return calls.isEmpty ? nil : "SELECT \(calls.joined(separator: ", "))"
        }
    }

    extension Duration {
        /// The number of milliseconds, at least 1, because 0 disables a limit of the server.
        var milliseconds: Int64 {
            max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
        }
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
