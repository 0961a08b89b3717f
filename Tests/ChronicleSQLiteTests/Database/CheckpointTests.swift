import ChronicleCSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleSQLite

/// Checkpoints of a database, with a file system that runs code while a connection copies the log.
@Suite(.serialized) struct CheckpointTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try CheckpointFileSystem.register()
        try open().write { try $0.execute("CREATE TABLE t(thread INTEGER, number INTEGER, filler BLOB)") }
    }

    private func open(_ busyTimeout: Duration = .zero) throws -> Database {
        try Database(path: CheckpointFileSystem.url(directory.path()), busyTimeout: busyTimeout) { connection in
            if !connection.isReadOnly { try connection.enableWAL() }
            try connection.execute("PRAGMA synchronous = OFF")
        }
    }

    private func connect() throws -> Connection {
        try Connection(path: CheckpointFileSystem.url(directory.path()), mode: .readWrite, busyTimeout: .zero)
    }

    private func insert(_ connection: Connection, rows: Int = 1) throws {
        try connection.immediate {
            for _ in 0..<rows { try connection.execute("INSERT INTO t VALUES (0, 0, zeroblob(4000))") }
        }
    }

    private func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path() + "-wal")
        return try #require(attributes[.size] as? NSNumber).intValue
    }

    // MARK: The end of the process

    /// The number of bytes of the file itself.
    private func fileSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path())
        return try #require(attributes[.size] as? NSNumber).intValue
    }

    @Test func theLogIsCopiedAtExit() throws {
        let database = try open()
        try database.write { try insert($0, rows: 20) }
        let before = try fileSize()
        // The connection is in use.
        try database.write { _ in database.checkpointAtExit() }
        #expect(try fileSize() == before)
        // Another connection writes.
        let other = try connect()
        try other.execute("BEGIN IMMEDIATE")
        database.checkpointAtExit()
        #expect(try fileSize() == before)
        other.rollback()
        database.checkpointAtExit()
        #expect(try fileSize() >= before + 20 * 4_096)
        let copy = directory.path("copy")
        try FileManager.default.copyItem(atPath: directory.path(), toPath: copy)
        #expect(try Connection(path: copy, mode: .readOnly).scalarInt64("SELECT count(*) FROM t") == 20)
        database.close()
        database.checkpointAtExit()
        #expect(throws: SQLiteError.self) { try database.write { _ in } }
    }

    /// Another thread that uses the connection does not delay the end of the process.
    @Test func theEndDoesNotWait() throws {
        let database = try open()
        try database.write { try insert($0, rows: 20) }
        let before = try fileSize()
        let (isUsed, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            try? database.write { _ in
                isUsed.signal()
                isDone.wait()
            }
            isUsed.signal()
        }
        thread.start()
        isUsed.wait()
        database.checkpointAtExit()
        #expect(try fileSize() == before)
        isDone.signal()
        isUsed.wait()
        database.checkpointAtExit()
        #expect(try fileSize() > before)
    }

    // MARK: When

    @Test func noConnectionRunsCheckpointsOfSQLite() throws {
        let pragma = "PRAGMA wal_autocheckpoint"
        let database = try open()
        #expect(try database.write { try $0.scalarInt64(pragma) } == 0)
        #expect(try database.maintain { try $0.scalarInt64(pragma) } == 0)
        #expect(try connect().scalarInt64(pragma) == 0)
    }

    @Test func theLogIsCopiedAndReused() throws {
        let database = try open()
        for _ in 0..<50 { try database.write { try insert($0, rows: 100) } }
        // The commit that exceeds the limit may be any one of 100 rows, and an insert writes about one page.
        #expect(try logSize() < 1_200 * 4_200)
        #expect(try database.write { try $0.checkpoint() } == 0)
        #expect(try database.read { try $0.scalarInt64("SELECT count(*) FROM t") } == 5_000)
    }

    @Test func aReaderKeepsALaterPartOfTheLog() throws {
        let database = try open()
        try database.read { reader in
            try reader.deferredRead {
                _ = try reader.scalarInt64("SELECT count(*) FROM t")
                try database.write { try insert($0, rows: 10) }
                #expect(try #require(try database.write { try $0.checkpoint() }) >= 10)
            }
        }
        #expect(try database.write { try $0.checkpoint() } == 0)
    }

    @Test func aCheckpointThatAnotherWriterPreventsIsRepeated() throws {
        let (database, other) = (try open(), try connect())
        let remaining = Mutex<[Int]>([])
        try database.write { connection in
            connection.automaticCheckpointPages = 1
            connection.didCheckpoint = { _, pages, _ in remaining.withLock { $0.append(pages) } }
            nonisolated(unsafe) let other = other
            connection.didCommit = { _ in try? other.execute("BEGIN IMMEDIATE") }
            try insert(connection)
            #expect(other.isInTransaction && remaining.withLock(\.isEmpty))
            #expect(try connection.checkpoint() == nil)
            #expect(try !connection.truncateLog())
            try other.execute("ROLLBACK")
            connection.didCommit = nil
            try insert(connection)
        }
        #expect(remaining.withLock(\.self) == [0])
    }

    @Test func theLogIsNotCopiedInATransaction() throws {
        let database = try open()
        try database.write { connection in
            try connection.immediate { () throws in
                #expect(try sqliteError { try connection.checkpoint() }.isMisuse)
                #expect(try sqliteError { _ = try connection.truncateLog() }.isMisuse)
            }
        }
    }

    @Test func databasesInMemoryHaveNoLog() throws {
        let database = try Database(path: "", inMemory: true)
        #expect(try database.write { try $0.checkpoint() } == 0)
        #expect(try database.write { try $0.truncateLog() })
    }

    @Test func theLogIsTruncatedUnlessAReaderUsesIt() throws {
        let database = try open()
        try database.write { try insert($0) }
        try database.read { reader in
            try reader.deferredRead {
                _ = try reader.scalarInt64("SELECT count(*) FROM t")
                try database.write { try insert($0) }
                #expect(try !database.write { try $0.truncateLog() })
            }
        }
        #expect(try logSize() > 0)
        #expect(try database.write { try $0.truncateLog() })
        #expect(try logSize() == 0)
    }

    // MARK: Safety

    /// A connection begins a checkpoint, and another one resets the log with a commit.
    private func commitDuring(_ checkpoint: (Connection, Connection) throws -> Void) throws -> Bool {
        let database = try open()
        let (writer, checkpointer) = (try connect(), try connect())
        // The checkpointer has read an earlier state than the one that it copies.
        _ = try checkpointer.scalarInt64("SELECT count(*) FROM t")
        try insert(writer, rows: 20)
        let path = CheckpointFileSystem.url(directory.path())
        let hasCommitted = Mutex(false)
        CheckpointFileSystem.duringNextCheckpoint {
            guard let other = try? Connection(path: path, mode: .readWrite, busyTimeout: .zero) else { return }
            let result = Result { try insert(other) }
            if case .success = result { hasCommitted.withLock { $0 = true } }
        }
        defer { CheckpointFileSystem.duringNextCheckpoint(nil) }
        try checkpoint(writer, checkpointer)
        _ = database
        return hasCommitted.withLock(\.self)
    }

    private func rows() throws -> Int64? { try connect().scalarInt64("SELECT count(*) FROM t") }

    /// The defect that the lock of writers avoids.
    @Test(.enabled(if: SQLiteLibrary.hasLogResetDefect(SQLiteLibrary.versionNumber)))
    func aCheckpointWithoutTheLockLosesPages() throws {
        let hasCommitted = try commitDuring { writer, checkpointer in
            // A complete checkpoint, after which the next commit resets the log.
            #expect(try writer.copyLog(SQLITE_CHECKPOINT_PASSIVE) == 0)
            _ = try checkpointer.copyLog(SQLITE_CHECKPOINT_PASSIVE)
        }
        #expect(hasCommitted)
        // Rows are missing, or the table is damaged.
        let count = Result { try rows() }
        #expect((try? count.get()) != 21)
    }

    @Test func noConnectionWritesDuringACheckpoint() throws {
        for truncates in [false, true] {
            try connect().execute("DELETE FROM t")
            let hasCommitted = try commitDuring { (writer, checkpointer) throws in
                #expect(try writer.copyLog(SQLITE_CHECKPOINT_PASSIVE) == 0)
                let path = CheckpointFileSystem.url(directory.path())
                let lock = Checkpointer(path: path, location: nil, busyTimeout: .zero)
                checkpointer.checkpointer = lock
                if truncates {
                    #expect(try checkpointer.truncateLog())
                } else {
                    #expect(try checkpointer.checkpoint() == 0)
                }
                lock.close()
            }
            #expect(!hasCommitted)
            #expect(try rows() == 20)
            #expect(try connect().scalarText("PRAGMA integrity_check") == "ok")
        }
    }

    /// Threads with databases of their own commit, copy and truncate the log all the time. A thread that copies the log waits
    /// for a commit of another thread at the critical moment.
    @Test func threadsThatCommitAndCopyTheLogLoseNothing() throws {
        let (threads, commits) = (3, 60)
        let committed = Atomic(0)
        CheckpointFileSystem.duringEveryCheckpoint {
            let before = committed.load(ordering: .relaxed)
            for _ in 0..<50 where committed.load(ordering: .relaxed) == before { sched_yield() }
        }
        defer { CheckpointFileSystem.duringEveryCheckpoint(nil) }
        try onThreads(threads) { thread in
            var random = TestSeed.generator(thread)
            let database = try open(.seconds(60))
            for number in 1...commits {
                try database.write { connection in
                    connection.automaticCheckpointPages = Int32.random(in: 1...8, using: &random)
                    try connection.immediate {
                        let size = Int.random(in: 0...9_000, using: &random)
                        try connection.execute("INSERT INTO t VALUES (\(thread), \(number), zeroblob(\(size)))")
                        try connection.execute("DELETE FROM t WHERE thread = \(thread) AND number = \(number - 10)")
                    }
                    committed.wrappingAdd(1, ordering: .relaxed)
                    if Int.random(in: 0..<20, using: &random) == 0 { _ = try connection.truncateLog() }
                }
                // This connection has not read what the others committed.
                if Bool.random(using: &random) { _ = try database.maintain { try $0.checkpoint() } }
                let numbers = try database.read {
                    try $0.int64s("SELECT number FROM t WHERE thread = \(thread) ORDER BY number")
                }
                try #require(numbers == (max(1, number - 9)...number).map(Int64.init), "\(TestSeed.description)")
            }
        }
        #expect(try connect().scalarText("PRAGMA integrity_check") == "ok", "\(TestSeed.description)")
        #expect(try rows() == Int64(threads * 10), "\(TestSeed.description)")
    }
}

/// A file system that runs code while a connection copies the log.
///
/// SQLite calls `xUnfetch` at the critical moment: after a checkpoint has read the header of the log's index, and before it
/// reads how much was copied, if another connection has committed since the connection read last.
private enum CheckpointFileSystem {
    private static let name = "checkpoints"
    private static let next = Mutex<(@Sendable () -> Void)?>(nil)
    private static let every = Mutex<(@Sendable () -> Void)?>(nil)
    nonisolated(unsafe) private static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private static let areMethodsSet = Mutex(false)

    static func url(_ path: String) -> String { "file:\(path)?vfs=\(name)" }

    static func duringNextCheckpoint(_ body: (@Sendable () -> Void)?) { next.withLock { $0 = body } }

    static func duringEveryCheckpoint(_ body: (@Sendable () -> Void)?) { every.withLock { $0 = body } }

    private static func run() {
        let body = next.withLock { next in
            defer { next = nil }
            return next
        }
        body?()
        every.withLock(\.self)?()
    }

    private static func replaceMethods(of file: UnsafeMutablePointer<sqlite3_file>) {
        guard let original = file.pointee.pMethods else { return }
        areMethodsSet.withLock { areSet in
            if areSet { return }
            areSet = true
            methods.initialize(to: original.pointee)
            // Memory is not mapped.
            methods.pointee.xUnfetch = { _, _, _ in
                CheckpointFileSystem.run()
                return SQLITE_OK
            }
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    private static let registration: Int32 = {
        guard let system = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: system.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup(name))
        copy.pointee.xOpen = { vfs, path, file, flags, outFlags in
            let code = sqlite3_vfs_find(nil).pointee.xOpen(vfs, path, file, flags, outFlags)
            if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file {
                CheckpointFileSystem.replaceMethods(of: file)
            }
            return code
        }
        return sqlite3_vfs_register(copy, 0)
    }()

    static func register() throws { try #require(registration == SQLITE_OK) }
}
