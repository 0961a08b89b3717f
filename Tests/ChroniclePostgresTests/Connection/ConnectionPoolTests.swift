#if Postgres
    import ChronicleTestSupport
    import Dispatch
    import Foundation
    import Synchronization
    import Testing

    @testable import ChroniclePostgres

    @Suite(.requiresPostgres) struct ConnectionPoolTests {
        let settings: ConnectionSettings

        init() throws {
            settings = ConnectionSettings(connectionString: try PostgresCluster.shared.get().connectionString())
        }

        @Test func connectionsAreReused() throws {
            let pool = ConnectionPool(settings, limit: 3, waitLimit: .seconds(10))
            let processes = try (0..<5).map { _ in try pool.use { $0.serverProcess } }
            #expect(Set(processes).count == 1)
        }

        @Test func threadsWaitForAConnection() throws {
            let pool = ConnectionPool(settings, limit: 2, waitLimit: .seconds(60))
            let processes = Mutex<Set<Int32>>([])
            let running = Atomic(0)
            let most = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 16) { _ in
                do {
                    try pool.use { connection in
                        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                        // Keeps the connection in use, so that other threads have to wait for one.
                        try connection.run("SELECT pg_sleep(0.001)")
                        processes.withLock { _ = $0.insert(connection.serverProcess) }
                        running.subtract(1, ordering: .relaxed)
                    }
                } catch { Issue.record(error) }
            }
            #expect(most.load(ordering: .relaxed) <= 2)
            #expect((1...2).contains(processes.withLock(\.count)))
        }

        @Test func waitIsBounded() throws {
            let pool = ConnectionPool(settings, limit: 1, waitLimit: .milliseconds(20))
            try pool.use { _ in
                let error = try #require(throws: PostgresError.self) { try pool.use { _ in } }
                #expect(error.isConflict)
            }
            // The wait that ended did not take the connection.
            _ = try pool.use { try $0.run("SELECT 1") }
        }

        @Test func openTransactionIsRolledBack() throws {
            let pool = ConnectionPool(settings, limit: 1, waitLimit: .seconds(10))
            try pool.use { (connection: Connection) throws -> Void in
                try connection.script("CREATE TEMPORARY TABLE t(a int)")
                try connection.script("BEGIN; INSERT INTO t VALUES (1)")
            }
            try pool.use { (connection: Connection) throws -> Void in
                #expect(!connection.isInTransaction)
                #expect(try connection.run("SELECT count(*) FROM t").int64(0, 0) == 0)
            }
        }

        @Test func endedSessionsAreReplaced() throws {
            let pool = ConnectionPool(settings, limit: 2, waitLimit: .seconds(10))
            let first = try pool.use { $0.serverProcess }
            try Connection(settings).run(
                "SELECT pg_terminate_backend($1::int, 10000)", Parameters(.int64(Int64(first))))
            let second = try pool.use { connection in
                try connection.run("SELECT 1")
                return connection.serverProcess
            }
            #expect(first != second)
        }

        @Test func readIsRepeatedAfterTheEndOfItsSession() throws {
            let pool = ConnectionPool(settings, limit: 2, waitLimit: .seconds(10))
            var attempts = 0
            let value = try pool.read { connection in
                attempts += 1
                if attempts == 1 {
                    try Connection(settings).run(
                        "SELECT pg_terminate_backend($1::int, 10000)",
                        Parameters(.int64(Int64(connection.serverProcess))))
                }
                return try connection.run("SELECT 1").int64(0, 0)
            }
            #expect(value == 1)
            #expect(attempts == 2)
        }

        @Test func closedPoolThrows() throws {
            let pool = ConnectionPool(settings, limit: 1, waitLimit: .seconds(10))
            try pool.use { (connection: Connection) throws -> Void in
                pool.close()
                // A connection in use remains open until it is returned.
                try connection.run("SELECT 1")
            }
            #expect(throws: PostgresError.self) { try pool.use { _ in } }
        }
    }
#endif
