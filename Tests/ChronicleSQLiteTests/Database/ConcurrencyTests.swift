import ChronicleSQLite
import ChronicleTestSupport
import Synchronization
import Testing

@Suite struct ConcurrencyTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(inMemory: Bool = false) throws -> Database {
        try Database(path: directory.path(), inMemory: inMemory, busyTimeout: .seconds(60)) { connection in
            if !connection.isReadOnly { try connection.enableWAL() }
            try connection.execute("PRAGMA synchronous = OFF")
        }
    }

    /// Reads a number and writes its successor, in two statements without a transaction: only the lock prevents two
    /// threads from reading the same number.
    @Test(arguments: [true, false])
    func writersOfOneDatabaseAreSerialized(_ inMemory: Bool) throws {
        let database = try open(inMemory: inMemory)
        try database.write { try $0.execute("CREATE TABLE t(n); INSERT INTO t VALUES (0)") }
        try onThreads(4) { _ in
            for _ in 0..<200 {
                try database.write { connection in
                    let number = try connection.scalarInt64("SELECT n FROM t") ?? 0
                    let update = try connection.cached("UPDATE t SET n = ?1")
                    try update.bind(number + 1, at: 1)
                    try update.run()
                }
            }
        }
        #expect(try database.read { try $0.scalarInt64("SELECT n FROM t") } == 800)
    }

    /// The same for connections that share only the file, where the transaction isolates them.
    @Test func writersOfOneFileAreSerialized() throws {
        let databases = [try open(), try open()]
        try databases[0].write { try $0.execute("CREATE TABLE t(n); INSERT INTO t VALUES (0)") }
        try onThreads(2) { index in
            for _ in 0..<200 {
                try databases[index].write { connection in
                    try connection.immediate {
                        let number = try connection.scalarInt64("SELECT n FROM t") ?? 0
                        let update = try connection.cached("UPDATE t SET n = ?1")
                        try update.bind(number + 1, at: 1)
                        try update.run()
                    }
                }
            }
        }
        #expect(try databases[1].read { try $0.scalarInt64("SELECT n FROM t") } == 400)
    }

    /// Twice as many readers as idle connections run at the same time, while a writer commits.
    @Test func readersRunConcurrently() throws {
        let database = try open()
        try database.write { try $0.execute("CREATE TABLE t(n); INSERT INTO t VALUES (1)") }
        let inside = Barrier(count: 9)
        let written = Barrier(count: 9)
        try onThreads(9) { index in
            if index == 8 {
                guard inside.meet() else { throw TestError() }
                try database.write { try $0.execute("INSERT INTO t VALUES (2)") }
                guard written.meet() else { throw TestError() }
            } else {
                let counts = try database.read { connection in
                    try connection.deferredRead {
                        let before = try connection.scalarInt64("SELECT count(*) FROM t")
                        guard inside.meet(), written.meet() else { throw TestError() }
                        return [before, try connection.scalarInt64("SELECT count(*) FROM t")]
                    }
                }
                guard counts == [1, 1] else { throw TestError() }
            }
        }
        #expect(try database.read { try $0.scalarInt64("SELECT count(*) FROM t") } == 2)
    }

    /// Each reader sees the sum that every transaction preserves, never a partial one, and no reader waits for a lock.
    @Test func concurrentReadersSeeCompleteTransactions() throws {
        let database = try open()
        try database.write {
            try $0.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (1, 0), (2, 0)")
        }
        let isWriting = Atomic(true)
        try onThreads(3) { index in
            if index == 0 {
                defer { isWriting.store(false, ordering: .releasing) }
                for _ in 0..<300 {
                    try database.write { connection in
                        try connection.immediate {
                            try connection.execute(
                                "UPDATE t SET n = n + 1 WHERE id = 1; UPDATE t SET n = n - 1 WHERE id = 2")
                        }
                    }
                }
            } else {
                repeat {
                    let sum = try database.read { connection in
                        try connection.deferredRead {
                            try (connection.scalarInt64("SELECT n FROM t WHERE id = 1") ?? 0)
                                + (connection.scalarInt64("SELECT n FROM t WHERE id = 2") ?? 0)
                        }
                    }
                    guard sum == 0 else { throw TestError() }
                } while isWriting.load(ordering: .acquiring)
            }
        }
        #expect(try database.read { try $0.int64s("SELECT n FROM t ORDER BY id") } == [300, -300])
    }
}
