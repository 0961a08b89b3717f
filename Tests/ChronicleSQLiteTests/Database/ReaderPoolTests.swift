import ChronicleTestSupport
import Synchronization
import Testing

@testable import ChronicleSQLite

/// Which connection a reader gets, and which ones stay open.
@Suite struct ReaderPoolTests {
    /// The connections that a pool opened, in this order.
    private final class Opened: @unchecked Sendable {
        // Protected by the mutex; a test looks into a connection when no reader has it.
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

    /// - Parameter sql: what is done with every connection when it is opened.
    private func pool(_ capacity: Int, preparing sql: String = "") -> ReaderPool {
        ReaderPool(capacity: capacity) { [opened] in try opened.open(sql) }
    }

    /// Reads on so many connections at once, each inside of the one before.
    private func nest(_ depth: Int, in pool: ReaderPool) throws {
        guard depth > 0 else { return }
        try pool.use { connection throws in
            #expect(try connection.scalarInt64("SELECT 1") == 1)
            try nest(depth - 1, in: pool)
        }
    }

    @Test func oneReaderAfterTheOtherNeedsOneConnection() throws {
        let pool = pool(4)
        try pool.openFirstConnection()
        for _ in 0..<5 { try nest(1, in: pool) }
        #expect(opened.connections.count == 1 && opened.openCount == 1)
    }

    @Test func theConnectionUsedLastIsTheNext() throws {
        let pool = pool(4)
        try nest(3, in: pool)
        // The outermost reader came back last.
        try pool.use { first throws in
            #expect(first === opened.connections[0])
            try pool.use { #expect($0 === opened.connections[1]) }
        }
        #expect(opened.connections.count == 3)
    }

    @Test(arguments: 0...3)
    func whatIsBeyondTheCapacityIsClosed(_ capacity: Int) throws {
        let pool = pool(capacity)
        try nest(3, in: pool)
        #expect(opened.connections.count == 3 && opened.openCount == capacity)
        // Those that stayed are used again, and only the others are opened anew.
        try nest(3, in: pool)
        #expect(opened.connections.count == 6 - capacity && opened.openCount == capacity)
    }

    @Test func readersOnManyThreadsHaveAConnectionEach() throws {
        let (pool, threads) = (pool(2), 6)
        let barrier = Barrier(count: threads)
        let seen = Mutex<Set<ObjectIdentifier>>([])
        try onThreads(threads) { _ in
            try pool.use { connection throws in
                seen.withLock { _ = $0.insert(ObjectIdentifier(connection)) }
                // None of them gives its connection back before all of them have one.
                #expect(barrier.meet())
            }
        }
        #expect(seen.withLock { $0.count } == threads)
        #expect(opened.connections.count == threads && opened.openCount == 2)
    }

    @Test func closingEndsWhatIsIdleNowAndTheRestWhenItComesBack() throws {
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

    @Test func anErrorOfAReaderKeepsItsConnection() throws {
        let pool = pool(1)
        #expect(throws: Oops()) { try pool.use { _ in throw Oops() } }
        try nest(1, in: pool)
        #expect(opened.connections.count == 1)
    }

    @Test func anErrorOfOpeningIsTheReadersAndTheNextOneTriesAgain() throws {
        let failures = Atomic(1)
        let pool = ReaderPool(capacity: 1) { [opened] in
            if failures.exchange(0, ordering: .relaxed) > 0 { throw Oops() }
            return try opened.open("")
        }
        #expect(throws: Oops()) { try pool.use { _ in } }
        try nest(1, in: pool)
        #expect(opened.openCount == 1)
    }

    @Test func aTransactionLeftOpenIsRolledBackBeforeTheNextReader() throws {
        let pool = pool(1)
        #expect(try sqliteError { try pool.use { try $0.execute("BEGIN; CREATE TABLE t(a)") } }.isMisuse)
        try pool.use { connection throws in
            #expect(!connection.isInTransaction)
            #expect(try connection.scalarInt64("SELECT count(*) FROM sqlite_schema") == 0)
        }
        #expect(opened.connections.count == 1)
    }

    /// As after a rollback that failed.
    @Test func aConnectionThatComesBackInATransactionIsClosed() throws {
        let pool = pool(1, preparing: "BEGIN")
        try pool.openFirstConnection()
        #expect(opened.connections.count == 1 && opened.openCount == 0)
        try pool.openFirstConnection()
        #expect(opened.connections.count == 2 && opened.openCount == 0)
    }
}
