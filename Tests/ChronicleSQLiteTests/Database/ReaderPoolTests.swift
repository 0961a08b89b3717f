import ChronicleTestSupport
import Synchronization
import Testing

@testable import ChronicleSQLite

/// Which connection a reader gets, and which connections stay open.
@Suite struct ReaderPoolTests {
    /// The connections that a pool opened, in order.
    private final class Opened: @unchecked Sendable {
        // Protected by the mutex; a test uses a connection only while no reader has it.
        private var list: [Connection] = []
        private let mutex = Mutex(())

        var connections: [Connection] { mutex.withLock { _ in list } }
        var openCount: Int { connections.count { !$0.isClosed } }

        func open(_ sql: String) throws -> Connection {
            let connection = try Connection.inMemory()
            try connection.execute(sql)
            mutex.withLock { _ in list.append(connection) }
            return connection
        }
    }

    private let opened = Opened()

    /// - Parameter sql: The SQL to run on every new connection.
    private func pool(_ capacity: Int, preparing sql: String = "") -> ReaderPool {
        ReaderPool(capacity: capacity) { [opened] in try opened.open(sql) }
    }

    /// Runs nested reads on the given number of connections.
    private func nest(_ depth: Int, in pool: ReaderPool) throws {
        guard depth > 0 else { return }
        try pool.use { connection throws in
            #expect(try connection.scalarInt64("SELECT 1") == 1)
            try nest(depth - 1, in: pool)
        }
    }

    @Test func sequentialReadersShareOneConnection() throws {
        let pool = pool(4)
        try pool.openFirstConnection()
        for _ in 0..<5 { try nest(1, in: pool) }
        #expect(opened.connections.count == 1 && opened.openCount == 1)
    }

    @Test func mostRecentlyUsedConnectionIsReused() throws {
        let pool = pool(4)
        try nest(3, in: pool)
        // The outermost reader returned its connection last.
        try pool.use { first throws in
            #expect(first === opened.connections[0])
            try pool.use { #expect($0 === opened.connections[1]) }
        }
        #expect(opened.connections.count == 3)
    }

    @Test(arguments: 0...3)
    func connectionsBeyondTheCapacityAreClosed(_ capacity: Int) throws {
        let pool = pool(capacity)
        try nest(3, in: pool)
        #expect(opened.connections.count == 3 && opened.openCount == capacity)
        // The idle connections are reused, and only the others are opened.
        try nest(3, in: pool)
        #expect(opened.connections.count == 6 - capacity && opened.openCount == capacity)
    }

    @Test func concurrentReadersHaveSeparateConnections() throws {
        let (pool, threads) = (pool(2), 6)
        let barrier = Barrier(count: threads)
        let seen = Mutex<Set<ObjectIdentifier>>([])
        try onThreads(threads) { _ in
            try pool.use { connection throws in
                seen.withLock { _ = $0.insert(ObjectIdentifier(connection)) }
                // None of them returns its connection before all of them have one.
                #expect(barrier.meet())
            }
        }
        #expect(seen.withLock { $0.count } == threads)
        #expect(opened.connections.count == threads && opened.openCount == 2)
    }

    @Test func closingClosesActiveConnectionsWhenReturned() throws {
        let pool = pool(4)
        try nest(2, in: pool)
        try pool.use { used throws in
            pool.close()
            #expect(opened.openCount == 1 && !used.isClosed)
            #expect(try used.scalarInt64("SELECT 1") == 1)
            #expect(try sqliteError { try pool.use { _ in } }.isMisuse)
        }
        #expect(opened.openCount == 0)
        #expect(try sqliteError { try pool.openFirstConnection() }.isMisuse)
        #expect(opened.connections.count == 2)
        pool.close()
    }

    @Test func readerErrorKeepsTheConnection() throws {
        let pool = pool(1)
        #expect(throws: TestError()) { try pool.use { _ in throw TestError() } }
        try nest(1, in: pool)
        #expect(opened.connections.count == 1)
    }

    @Test func openingErrorIsThrownAndRetriedByTheNextReader() throws {
        let failures = Atomic(1)
        let pool = ReaderPool(capacity: 1) { [opened] in
            if failures.exchange(0, ordering: .relaxed) > 0 { throw TestError() }
            return try opened.open("")
        }
        #expect(throws: TestError()) { try pool.use { _ in } }
        try nest(1, in: pool)
        #expect(opened.openCount == 1)
    }

    @Test func openTransactionIsRolledBackBeforeTheNextReader() throws {
        let pool = pool(1)
        #expect(try sqliteError { try pool.use { try $0.execute("BEGIN; CREATE TABLE t(a)") } }.isMisuse)
        try pool.use { connection throws in
            #expect(!connection.isInTransaction)
            #expect(try connection.scalarInt64("SELECT count(*) FROM sqlite_schema") == 0)
        }
        #expect(opened.connections.count == 1)
    }

    /// As after a failed rollback.
    @Test func connectionReturnedInATransactionIsClosed() throws {
        let pool = pool(1, preparing: "BEGIN")
        try pool.openFirstConnection()
        #expect(opened.connections.count == 1 && opened.openCount == 0)
        try pool.openFirstConnection()
        #expect(opened.connections.count == 2 && opened.openCount == 0)
    }
}
