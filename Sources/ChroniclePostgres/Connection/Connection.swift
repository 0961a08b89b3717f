#if Postgres
    import ChronicleCPostgres
    import ChronicleSQL
    import Foundation

    /// A session, which runs one statement at a time. Statements that do not depend on each other's results share a round
    /// trip; see ``pipeline(_:)``. Each statement is prepared once.
    ///
    /// `@unchecked Sendable`: one thread at a time uses a connection, the one to which ``ConnectionPool`` lends it.
    final class Connection: @unchecked Sendable {
        struct Session {
            /// The process as the server knows it: a proxy replaces the identifier that libpq returns.
            let process: Int64
            /// When the session began, which distinguishes it from a later one with the same process identifier.
            let start: Int64

            /// The expression for ``start`` in a query of `pg_stat_activity`, in microseconds: the text of a time depends on
            /// settings of the session. It is `NULL` if the role must not see it; see ``runAsLoginRole(_:_:)``.
            static let startExpression = "(extract(epoch FROM backend_start) * 1000000)::bigint"
        }

        /// The handle is never `nil` between `init` and `close`.
        private(set) var handle: OpaquePointer?
        let settings: ConnectionSettings
        let server: ConnectionSettings.Server
        let schema: String
        var statements = StatementCache()
        var needsBegin = false
        var beginStatement = Connection.begin
        /// The session on the server, or `nil` if a proxy assigns one to each transaction, or if the server does not tell.
        private(set) var session: Session?
        /// Whether the server may have committed the latest transaction, because COMMIT, or a pipeline without BEGIN, was
        /// sent. Otherwise, losing the connection rolls it back.
        var hasSentCommit = false
        /// Whether statements that commit nothing are canceled with the task of a read.
        var isCancellable = true
        /// The closure is called once, before the next statement of ``script(_:)``, which may change definitions.
        var willChangeDefinitions: ((Connection) throws -> Void)?
        /// Transactions within another one are savepoints.
        var transactionDepth = 0

        init(_ settings: ConnectionSettings) throws {
            self.settings = settings
            schema = quoted(settings.schemaName ?? "public")
            let keywords = settings.keywords
            let handle = keywords.map(\.name).withCStrings { names in
                keywords.map(\.value).withCStrings { values in PQconnectdbParams(names, values, 1) }
            }
            server = ConnectionSettings.Server(handle)
            guard let handle, PQstatus(handle) == CONNECTION_OK else {
                defer { PQfinish(handle) }
                throw PostgresError(connecting: handle, to: settings.connectionString)
            }
            self.handle = handle
            // Without a receiver, libpq writes notices to the standard error stream.
            _ = PQsetNoticeReceiver(handle, { _, _ in }, nil)
            do {
                try DistributedEngine.requireNone { parameter($0) }
                // xid8 and pg_current_xact_id() exist since version 13.
                guard PQserverVersion(handle) >= 130_000 else {
                    throw PostgresError(
                        message:
                            "the server has version \(PQserverVersion(handle) / 10_000); PostgreSQL 13 or later is "
                            + "needed")
                }
                guard !settings.usesTransactionPooling else { return }
                try script(settings.setup, mayCommit: false)
                let found = try runAsLoginRole(
                    "SELECT pid, \(Session.startExpression) FROM pg_stat_activity WHERE pid = pg_backend_pid()")
                if found.count == 1, !found.isNull(0, 1) {
                    session = Session(process: found.int64(0, 0), start: found.int64(0, 1))
                }
            } catch {
                close()
                throw error
            }
        }

        deinit { close() }

        /// Returns the qualified and quoted name.
        func table(_ name: String) -> String { "\(schema).\(quoted(name))" }

        var namespace: String { "\(literal(schema))::regnamespace" }

        /// The dialect with qualified names of tables.
        var dialect: PostgreSQLDialect { PostgreSQLDialect(schemaName: settings.schemaName) }

        /// `nil` if the server does not report the parameter.
        func parameter(_ name: String) -> String? {
            handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
        }

        /// Whether the server is a standby server, which may be promoted at any time. `in_hot_standby` does not tell:
        /// servers before version 14 do not report it, a promotion is reported only with the next statement, and a proxy
        /// such as PgBouncer repeats what another server reported earlier.
        func isStandby() throws -> Bool { try run("SELECT pg_is_in_recovery()").bool(0, 0) }

        /// Runs a query of `pg_stat_activity` as the role that logged in. Another one, which `SET ROLE` or a setting of the role
        /// chose, sees neither the start nor the state of the sessions of that role, its own included, and cannot end them.
        func runAsLoginRole(_ sql: String, _ parameters: Parameters = Parameters()) throws -> QueryResult {
            // Both are one transaction, after which the role is the previous one.
            try pipeline {
                $0.add("SELECT pg_catalog.set_config('role', 'none', TRUE)", isPrepared: false)
                $0.add(sql, parameters, isPrepared: false)
            }[1]
        }

        /// Runs `body`, whose statements are not canceled with the task.
        func withoutCancellation<Result>(_ body: () throws -> Result) rethrows -> Result {
            let wasCancellable = isCancellable
            isCancellable = false
            defer { isCancellable = wasCancellable }
            return try body()
        }

        /// Later calls throw an error.
        func close() {
            PQfinish(handle)
            handle = nil
        }

        /// Throws ``PostgresError`` if the connection is closed.
        func open() throws -> OpaquePointer {
            guard let handle else { throw PostgresError(message: "the connection is closed", endsSession: true) }
            return handle
        }

        /// Whether the session still exists, as far as is known without a round trip.
        var isUsable: Bool {
            guard let handle, PQstatus(handle) == CONNECTION_OK else { return false }
            // The end of a session, such as a restart of the server, arrives without a request.
            guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
            var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            // Consuming input reads all of it, except for the end of the stream.
            guard poll(&socket, 1, 0) > 0 else { return true }
            return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
        }

        var serverProcess: Int32 { handle.map(PQbackendPID) ?? 0 }

        /// Includes a failed transaction.
        var isInTransaction: Bool { handle.map { PQtransactionStatus($0) != PQTRANS_IDLE } ?? false }

        var isEncrypted: Bool { handle.map { PQsslInUse($0) == 1 } ?? false }
    }

    extension [String] {
        /// The array is NULL-terminated.
        fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
            let copies = map { strdup($0) }
            defer { copies.forEach { free($0) } }
            let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
            return pointers.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { preconditionFailure("the array contains nil") }
                return body(base)
            }
        }
    }
#endif
