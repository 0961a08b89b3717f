#if Postgres
    import ChronicleCPostgres
    import ChronicleCore

    /// Statements that are sent together. If one fails, the server skips those after it.
    /// <https://www.postgresql.org/docs/current/libpq-pipeline-mode.html>
    struct Pipeline {
        struct Entry {
            let sql: String
            let parameters: Parameters
            /// Whether the statement is used again, so that preparing it pays off.
            let isPrepared: Bool
            var format = ResultFormat.binary
        }

        /// The formats of the protocol. A value of any type has a text.
        enum ResultFormat: Int32 {
            case text = 0
            case binary = 1
        }

        private(set) var entries: [Entry] = []
        /// Whether COMMIT, in the same round trip, ends the transaction of ``Connection/transaction(_:)``.
        var commits = false

        /// The index of the next result.
        var count: Int { entries.count }

        /// Returns the index of the result. `isPrepared`: The statement is used again, so the session should keep its plan.
        @discardableResult
        mutating func add(_ sql: String, _ parameters: Parameters = Parameters(), isPrepared: Bool = true) -> Int {
            entries.append(Entry(sql: sql, parameters: parameters, isPrepared: isPrepared))
            return entries.count - 1
        }

        /// Adds a statement whose result is in the text format.
        mutating func addText(_ sql: String) {
            entries.append(Entry(sql: sql, parameters: Parameters(), isPrepared: false, format: .text))
        }
    }

    extension Connection {
        /// Sends statements in one round trip and returns their results in order. If `add` throws, nothing is sent. Throws
        /// ``PostgresError`` of the first statement that failed, or `CancellationError` if the task of a read was canceled.
        func pipeline(_ add: (inout Pipeline) throws -> Void) throws -> [QueryResult] {
            var pipeline = Pipeline()
            try add(&pipeline)
            return try run(pipeline)
        }

        @discardableResult
        func run(_ sql: String, _ parameters: Parameters = Parameters(), isPrepared: Bool = true) throws -> QueryResult
        {
            var pipeline = Pipeline()
            pipeline.add(sql, parameters, isPrepared: isPrepared)
            return try run(pipeline)[0]
        }

        /// Runs a statement, which is not prepared, and returns the texts of the values.
        func runText(_ sql: String) throws -> QueryResult {
            var pipeline = Pipeline()
            pipeline.addText(sql)
            return try run(pipeline)[0]
        }

        /// See ``pipeline(_:)``.
        ///
        /// - Parameter isTransaction: Whether the statements form a transaction that writes, which may have been committed
        ///   if the connection is lost. Within ``transaction(_:)``, they are a part of the outer one.
        func run(_ pipeline: Pipeline, asTransaction isTransaction: Bool = false) throws -> [QueryResult] {
            guard !pipeline.entries.isEmpty else { return [] }
            if isTransaction, transactionDepth > 0 { return try transaction { try $0.run(pipeline) } }
            if statements.isFull, !isInTransaction {
                statements.removeAll()
                try script("DEALLOCATE ALL", mayCommit: false)
            }
            let commitsTransaction = transactionDepth == 1 && pipeline.commits
            let mayCommit = isTransaction || commitsTransaction && !isReadOnly
            if mayCommit { try checkCancellation() }
            // The server also runs a pipeline without BEGIN as one transaction, in less time. A proxy keeps a session only
            // during a transaction.
            // https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
            let isWhole = transactionDepth == 0 && settings.usesTransactionPooling
            var prefix = Pipeline()
            if needsBegin || isWhole {
                prefix.add(needsBegin ? beginStatement : Connection.begin)
                if settings.usesTransactionPooling { prefix.add(settings.setup) }
            }
            needsBegin = false
            var suffix = Pipeline()
            if isWhole || commitsTransaction { suffix.add("COMMIT") }
            if mayCommit { hasSentCommit = true }
            do {
                let results = try send(prefix.entries + pipeline.entries + suffix.entries, mayCommit: mayCommit)
                return Array(results.dropFirst(prefix.count).dropLast(suffix.count))
            } catch {
                if isWhole { rollBack() }
                guard var failure = error as? PostgresError else { throw error }
                failure.statementIndex = failure.statementIndex.map { $0 - prefix.count }
                throw failure
            }
        }

        /// Within ``transaction(_:)``, passes on each result as soon as it has arrived, while the server executes the next
        /// statements. `body` cannot use the connection. After its first error, or that of the server, it receives no
        /// further results.
        func run(_ pipeline: Pipeline, _ body: (_ index: Int, _ result: QueryResult) throws -> Void) throws {
            // The first statement of a transaction begins it.
            if needsBegin { try run("SELECT 1") }
            if !pipeline.entries.isEmpty { try send(pipeline.entries, body) }
        }

        /// Throws `CancellationError` if the task of a read was canceled before.
        func sendCommit() throws {
            if !isReadOnly {
                try checkCancellation()
                hasSentCommit = true
            }
            var pipeline = Pipeline()
            pipeline.add("COMMIT")
            _ = try send(pipeline.entries, mayCommit: !isReadOnly)
        }

        /// A commit must not be canceled any more.
        private func checkCancellation() throws {
            if isCancellable, ReadCancellation.isCancelled { throw CancellationError() }
        }

        /// What was sent, in the order in which the results arrive.
        private enum Sent {
            case preparation(StatementCache.Key, name: String, sql: String)
            case statement(sql: String)
        }

        private func send(_ entries: [Pipeline.Entry], mayCommit: Bool) throws -> [QueryResult] {
            var results: [QueryResult] = []
            results.reserveCapacity(entries.count)
            try send(entries, mayCommit: mayCommit) { results.append($1) }
            return results
        }

        /// - Parameter mayCommit: Whether the wait for the results has a limit and is not canceled: that would end the wait
        ///   for a synchronous standby server, but not the commit.
        private func send(
            _ entries: [Pipeline.Entry], mayCommit: Bool = false, _ body: (Int, QueryResult) throws -> Void
        ) throws {
            let handle = try open()
            guard PQenterPipelineMode(handle) == 1 else { throw PostgresError(handle) }
            var isFinished = false
            defer {
                // After an error of libpq, the results that are still expected cannot be read any more.
                if !isFinished || PQexitPipelineMode(handle) != 1 { close() }
            }
            var sent: [Sent] = []
            var names: [StatementCache.Key: String] = [:]
            for entry in entries {
                try send(entry, handle, &sent, &names)
            }
            guard PQpipelineSync(handle) == 1, PQflush(handle) == 0 else { throw PostgresError(handle) }
            let failure = try receive(sent, handle, mayCommit: mayCommit, body)
            isFinished = true
            if let failure { throw failure }
        }

        private func send(
            _ entry: Pipeline.Entry, _ handle: OpaquePointer, _ sent: inout [Sent],
            _ names: inout [StatementCache.Key: String]
        ) throws {
            let parameters = entry.parameters
            let count = Int32(parameters.count)
            let isSent: Int32
            if entry.isPrepared, !settings.usesTransactionPooling {
                let key = StatementCache.Key(sql: entry.sql, types: parameters.types)
                let name: String
                if let known = statements.name(of: key) ?? names[key] {
                    name = known
                } else {
                    name = statements.makeName()
                    names[key] = name
                    guard PQsendPrepare(handle, name, entry.sql, count, parameters.types) == 1 else {
                        throw PostgresError(handle, sql: entry.sql)
                    }
                    sent.append(.preparation(key, name: name, sql: entry.sql))
                }
                isSent = parameters.withArguments { values, lengths, formats in
                    PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
                }
            } else {
                isSent = parameters.withArguments { values, lengths, formats in
                    PQsendQueryParams(
                        handle, entry.sql, count, parameters.types, values, lengths, formats, entry.format.rawValue)
                }
            }
            guard isSent == 1 else { throw PostgresError(handle, sql: entry.sql) }
            sent.append(.statement(sql: entry.sql))
        }

        /// Returns the first error of the server or of `body`, which receives the results before it. Throws if the
        /// connection is lost.
        private func receive(
            _ sent: [Sent], _ handle: OpaquePointer, mayCommit: Bool, _ body: (Int, QueryResult) throws -> Void
        ) throws -> (any Error)? {
            var failure: (any Error)?
            let cancellation = CancellationCheck(
                handle, waitLimit(mayCommit: mayCommit), isCancellable: isCancellable && !mayCommit)
            var index = 0
            for item in sent {
                let sql =
                    switch item {
                    case .preparation(_, _, let sql), .statement(let sql): sql
                    }
                try cancellation.wait(sql)
                guard let result = PQgetResult(handle) else { throw PostgresError(handle, sql: sql) }
                var isKept = false
                defer { if !isKept { PQclear(result) } }
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                    switch item {
                    case .preparation(let key, let name, _): statements.add(key, name: name)
                    case .statement:
                        let kept = QueryResult(result)
                        isKept = true
                        guard failure == nil else { break }
                        do { try body(index, kept) } catch { failure = error }
                    }
                case PGRES_PIPELINE_ABORTED: break
                default:
                    var error = PostgresError(result, handle, sql: sql)
                    error.statementIndex = index
                    if PQstatus(handle) != CONNECTION_OK { throw error }
                    if error.needsNewStatements { statements.removeAll() }
                    failure = failure ?? cancellation.error(for: error)
                }
                if case .statement = item { index += 1 }
                // NULL ends the results of a statement.
                while let more = PQgetResult(handle) { PQclear(more) }
            }
            if let error = try receiveEnd(handle, cancellation, at: index) {
                failure = failure ?? cancellation.error(for: error)
            }
            return failure
        }

        /// Returns the error of the commit, such as a violated deferred constraint. Its ``PostgresError/statementIndex`` is
        /// the number of statements. Throws if the connection is lost.
        private func receiveEnd(
            _ handle: OpaquePointer, _ cancellation: CancellationCheck, at index: Int
        ) throws -> PostgresError? {
            func next() throws -> OpaquePointer? {
                try cancellation.wait(nil)
                return PQgetResult(handle)
            }
            var failure: PostgresError?
            var end = try next()
            if let result = end, PQresultStatus(result) != PGRES_PIPELINE_SYNC {
                defer { PQclear(result) }
                var error = PostgresError(result, handle, sql: nil)
                guard PQstatus(handle) == CONNECTION_OK else { throw error }
                error.statementIndex = index
                failure = error
                // NULL ends the results of the commit.
                end = try next() ?? next()
            }
            defer { PQclear(end) }
            guard let end, PQresultStatus(end) == PGRES_PIPELINE_SYNC else {
                // Earlier versions of libpq do not return the end after an error of the commit.
                throw failure ?? PostgresError(handle)
            }
            return failure
        }

        /// Runs statements without parameters, separated by semicolons. Outside of ``transaction(_:)``, they are one
        /// transaction unless they contain others. If they may commit, the wait for their end has a limit.
        func script(_ sql: String, mayCommit: Bool = true) throws {
            try prepareForDefinitions()
            let handle = try open()
            if needsBegin {
                needsBegin = false
                try script(beginStatement, mayCommit: false)
                if settings.usesTransactionPooling { try script(settings.setup, mayCommit: false) }
            }
            guard PQsendQuery(handle, sql) == 1 else { throw PostgresError(handle, sql: sql) }
            let waiting = CancellationCheck(handle, waitLimit(mayCommit: mayCommit), isCancellable: false)
            var failure: PostgresError?
            do {
                while true {
                    try waiting.wait(sql)
                    guard let result = PQgetResult(handle) else { break }
                    defer { PQclear(result) }
                    switch PQresultStatus(result) {
                    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: break
                    default: failure = failure ?? PostgresError(result, handle, sql: sql)
                    }
                }
            } catch let error as PostgresError {
                // The results that are still expected cannot be read any more.
                close()
                throw failure ?? error
            }
            if let failure { throw failure }
        }

        /// Calls ``willChangeDefinitions``, once.
        func prepareForDefinitions() throws {
            guard let prepare = willChangeDefinitions else { return }
            willChangeDefinitions = nil
            try prepare(self)
        }
    }
#endif
