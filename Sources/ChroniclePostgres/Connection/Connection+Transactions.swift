#if Postgres
    import ChronicleCPostgres

    extension Connection {
        /// The statement does not depend on the defaults of the database or the role, because the store relies on seeing
        /// what others commit meanwhile.
        static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

        var isReadOnly: Bool { beginStatement.hasSuffix("READ ONLY") }

        /// Commits `body`, or rolls it back if it throws. BEGIN is sent together with the first statement. A transaction
        /// within a transaction is a savepoint.
        func transaction<Result>(
            _ begin: String = Connection.begin, _ body: (Connection) throws -> Result
        ) throws -> Result {
            if transactionDepth > 0 { return try savepoint(body) }
            transactionDepth = 1
            beginStatement = begin
            needsBegin = true
            hasSentCommit = false
            defer {
                transactionDepth = 0
                needsBegin = false
            }
            do {
                let result = try body(self)
                if !needsBegin { try commit() }
                return result
            } catch {
                rollBack()
                throw error
            }
        }

        /// Lasts until the connection is closed, so that a proxy assigns the session to this connection until then.
        func beginUntilClosed() throws {
            try script(
                "\(Self.begin); SET LOCAL idle_in_transaction_session_timeout = 0; "
                    + "SELECT \(SearchPath.catalog(isLocal: true))", mayCommit: false)
            transactionDepth = 1
        }

        /// Runs `body` with the search path of sessions that write models, on which triggers of other programs may depend.
        func withModelPath(_ body: () throws -> Void) throws {
            try run("SELECT \(SearchPath.models)", isPrepared: false)
            try body()
            try run("SELECT \(SearchPath.catalog(isLocal: true))", isPrepared: false)
        }

        private func savepoint<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            let name = "chronicle_\(transactionDepth)"
            try run("SAVEPOINT \(name)")
            transactionDepth += 1
            defer { transactionDepth -= 1 }
            do {
                let result = try body(self)
                try run("RELEASE SAVEPOINT \(name)")
                return result
            } catch {
                // If this fails, the transaction fails as well.
                do { try script("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)") } catch { close() }
                throw error
            }
        }

        private func commit() throws {
            // The last pipeline may have committed it.
            if let handle, PQtransactionStatus(handle) == PQTRANS_IDLE { return }
            // COMMIT of a failed transaction rolls it back and reports success.
            guard let handle, PQtransactionStatus(handle) != PQTRANS_INERROR else {
                throw PostgresError(message: "the transaction failed before it was committed", sqlState: "25P02")
            }
            try sendCommit()
        }

        /// Closes the connection if the rollback fails, which has the same effect.
        func rollBack() {
            needsBegin = false
            guard let handle, PQtransactionStatus(handle) != PQTRANS_IDLE else { return }
            do { try script("ROLLBACK") } catch { close() }
        }
    }
#endif
