import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct WALTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func fileStaysInWALMode() throws {
        let first = try Connection(path: directory.path(), mode: .readWriteCreate)
        try first.enableWAL()
        try first.enableWAL()
        first.close()
        let second = try Connection(path: directory.path(), mode: .readWrite)
        #expect(try second.scalarText("PRAGMA journal_mode") == "wal")
    }

    @Test func inMemoryDatabaseIgnoresWAL() throws {
        let connection = try Connection.inMemory()
        try connection.enableWAL()
        #expect(try connection.scalarText("PRAGMA journal_mode") == "memory")
    }

    @Test func concurrentConnectionsEnableWAL() throws {
        let path = directory.path()
        let start = Barrier(count: 8)
        try onThreads(8) { _ in
            guard start.meet() else { throw TestError() }
            let connection = try Connection(path: path, mode: .readWriteCreate, busyTimeout: .seconds(30))
            try connection.enableWAL()
            guard try connection.scalarText("PRAGMA journal_mode") == "wal" else { throw TestError() }
        }
    }

    /// SQLite itself waits while another connection holds an exclusive lock, but fails immediately for a reserved lock.
    @Test(arguments: ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
    func permanentLockIsBusyAfterTheTimeout(_ begin: String) throws {
        let holder = try Connection(path: directory.path(), mode: .readWriteCreate)
        try holder.execute("CREATE TABLE t(a)")
        try holder.execute(begin)
        let waiting = try Connection(path: directory.path(), mode: .readWrite, busyTimeout: .milliseconds(50))
        let start = ContinuousClock.now
        #expect(try sqliteError { try waiting.enableWAL() }.isBusy)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
        try holder.execute("COMMIT")
        try waiting.enableWAL()
    }

    @Test func otherFilesThrow() throws {
        try directory.write(Array(repeating: 0x61, count: 2000), to: "letter.txt")
        let letter = try Connection(path: directory.path("letter.txt"), mode: .readWrite)
        #expect(try sqliteError { try letter.enableWAL() }.isNotADatabase)

        try Connection(path: directory.path(), mode: .readWriteCreate).execute("CREATE TABLE t(a)")
        let reader = try Connection(path: directory.path(), mode: .readOnly)
        #expect(throws: SQLiteError.self) { try reader.enableWAL() }
    }

    // MARK: Work after a commit

    @Test func tidyingReportsErrors() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let reported = Mutex<[String]>([])
        connection.didCheckpoint = { _, _, error in reported.withLock { $0.append("\(error.map { "\($0)" } ?? "")") } }
        connection.tidy { try $0.execute("no statement") }
        let errors = reported.withLock(\.self)
        #expect(errors.count == 1 && errors[0].contains("syntax error"))
    }

    // MARK: Headers

    /// Closing a descriptor of the file would release the lock.
    @Test func readingTheHeaderKeepsTheLocks() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("locked.sqlite")
        _ = try Shell.sqlite3(file, "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let reader = try Connection(path: file.path, mode: .readOnly)
        try reader.execute("BEGIN; SELECT * FROM t")
        for path in [file.path, "file:\(file.path)?immutable=1"] {
            let other = try Connection(path: path, mode: .readOnly)
            #expect(try other.fileHeader(20)[19] == 1)
            #expect(try other.fileHeader(1 << 20).isEmpty)
            other.close()
        }
        #expect(throws: (any Error).self) { _ = try Shell.sqlite3(file, "INSERT INTO t VALUES (2)", timeout: 0) }
        try reader.execute("COMMIT")
        _ = try Shell.sqlite3(file, "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (2)")
        let other = try Connection(path: file.path, mode: .readOnly)
        #expect(try other.fileHeader(20)[19] == 2)
    }
}
