import ChronicleSQLite
import ChronicleTestSupport
import Testing

@Suite struct DatabaseTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func open(readOnly: Bool = false, maximumReaders: Int = 4) throws -> Database {
        try Database(path: directory.path(), readOnly: readOnly, maximumReaders: maximumReaders) { connection in
            if !connection.isReadOnly { try connection.enableWAL() }
        }
    }

    func memory() throws -> Database { try Database(path: "", inMemory: true) }

    @Test func readersSeeCommittedChanges() throws {
        let database = try open()
        try database.write { connection in
            try connection.immediate {
                try connection.execute("CREATE TABLE t(a)")
                #expect(try database.read { try $0.int64s("SELECT count(*) FROM sqlite_schema") } == [0])
            }
        }
        #expect(try database.read { try $0.int64s("SELECT count(*) FROM sqlite_schema") } == [1])
    }

    @Test func readersCannotWrite() throws {
        let database = try open()
        #expect(try sqliteError { try database.read { try $0.execute("CREATE TABLE t(a)") } }.isReadOnly)
    }

    @Test func nestedReadUsesAnotherConnection() throws {
        let database = try open(maximumReaders: 1)
        try database.read { first in
            try database.read { second in
                #expect(first !== second)
                let one = try database.read { third in
                    #expect(third !== first && third !== second)
                    return try third.scalarInt64("SELECT 1")
                }
                #expect(one == 1)
            }
        }
    }

    @Test func idleReadersAreKeptUpToTheMaximum() throws {
        let database = try open(maximumReaders: 1)
        let (first, second) = try database.read { first in try database.read { second in (first, second) } }
        #expect([first, second].count { $0.isClosed } == 1)
        try database.read { #expect($0 === (first.isClosed ? second : first)) }
    }

    @Test func nestedWriteUsesTheSameConnection() throws {
        let database = try open()
        try database.write { outer in
            try outer.immediate {
                try outer.execute("CREATE TABLE t(a)")
                try database.write { inner in
                    #expect(inner === outer)
                    #expect(inner.isInTransaction)
                }
                // Only the outermost call rolls back.
                #expect(outer.isInTransaction)
            }
        }
        #expect(try database.read { try $0.int64s("SELECT count(*) FROM t") } == [0])
    }

    @Test func inMemoryDatabaseUsesOneConnection() throws {
        let database = try memory()
        try database.write { writer in
            try writer.execute("CREATE TABLE t(a)")
            try writer.immediate {
                try writer.execute("INSERT INTO t VALUES (1)")
                let rows = try database.read { reader in
                    try database.read { nested in
                        #expect(nested === writer)
                        return try reader.deferredRead { try nested.int64s("SELECT a FROM t") }
                    }
                }
                #expect(rows == [1])
            }
        }
        #expect(try database.read { outer in try database.read { try $0.int64s("SELECT a FROM t") } } == [1])
    }

    @Test func inMemoryDatabasesAreSeparate() throws {
        let one = try memory()
        let other = try memory()
        try one.write { try $0.execute("CREATE TABLE t(a)") }
        #expect(try other.read { try $0.scalarInt64("SELECT count(*) FROM sqlite_schema") } == 0)
    }

    @Test func readOnlyDatabaseRejectsWrites() throws {
        #expect(try sqliteError { _ = try open(readOnly: true) }.isCannotOpen)
        let writing = try open()
        try writing.write { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let database = try open(readOnly: true)
        #expect(database.isReadOnly)
        #expect(try database.read { try $0.int64s("SELECT a FROM t") } == [1])
        #expect(try sqliteError { try database.write { _ in throw TestError() } }.isReadOnly)
    }

    @Test func openingThrowsTheErrorOfConfigure() throws {
        #expect(throws: TestError()) { try Database(path: directory.path()) { _ in throw TestError() } }
        #expect(throws: TestError()) { try Database(path: "", inMemory: true) { _ in throw TestError() } }
    }

    @Test(arguments: [true, false])
    func openTransactionIsRolledBackAndReported(_ inMemory: Bool) throws {
        let database = inMemory ? try memory() : try open()
        try database.write { try $0.execute("CREATE TABLE t(a)") }
        #expect(try sqliteError { try database.write { try $0.execute("BEGIN; INSERT INTO t VALUES (1)") } }.isMisuse)
        #expect(throws: TestError()) {
            try database.write {
                try $0.execute("BEGIN; INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(try sqliteError { try database.read { try $0.execute("BEGIN; SELECT a FROM t") } }.isMisuse)
        try database.write { #expect(!$0.isInTransaction) }
        try database.read { #expect(!$0.isInTransaction) }
        #expect(try database.read { try $0.int64s("SELECT a FROM t") } == [])
    }

    /// An open cursor would keep its snapshot and prevent checkpoints from completing.
    @Test func unfinishedCursorIsReset() throws {
        let database = try open()
        try database.write { try $0.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)") }
        let left = try database.read { connection in
            let cursor = try connection.cached("SELECT a FROM t")
            #expect(try cursor.step())
            #expect(try checkpointIsBlocked(database))
            return cursor
        }
        #expect(!left.isBusy)
        #expect(try !checkpointIsBlocked(database))
    }

    private func checkpointIsBlocked(_ database: Database) throws -> Bool {
        try database.write { writer in
            try writer.execute("PRAGMA busy_timeout = 0; INSERT INTO t VALUES (0)")
            return try writer.scalarInt64("PRAGMA wal_checkpoint(TRUNCATE)") == 1
        }
    }

    @Test func closingLeavesOneFileAndLaterCallsThrow() throws {
        let database = try open()
        try database.write { try $0.execute("CREATE TABLE t(a)") }
        #expect(try database.read { try $0.int64s("SELECT a FROM t") } == [])
        #expect(directory.contains("store.sqlite-wal"))
        database.close()
        database.close()
        #expect(!directory.contains("store.sqlite-wal"))
        #expect(!directory.contains("store.sqlite-shm"))
        #expect(try sqliteError { try database.read { _ in throw TestError() } }.isMisuse)
        #expect(try sqliteError { try database.write { _ in throw TestError() } }.isMisuse)
    }

    @Test func activeReaderIsClosedAfterItsRead() throws {
        let database = try open()
        let (reader, one) = try database.read { reader in
            database.close()
            return (reader, try reader.scalarInt64("SELECT 1"))
        }
        #expect(one == 1)
        #expect(reader.isClosed)
    }
}
