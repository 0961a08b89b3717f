import ChronicleCSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleSQLite

/// SQLite opens a log for reading if it cannot open it for writing, for example because too many files are open.
@Suite(.serialized) struct ReadOnlyLogTests {
    private let directory: TemporaryDirectory
    /// Keeps the log, so that it can be opened for reading.
    private let other: Connection

    init() throws {
        directory = try TemporaryDirectory()
        other = try Connection(path: directory.path(), mode: .readWriteCreate)
        try other.enableWAL()
        try other.execute("CREATE TABLE t(a)")
        try FailingLog.register()
    }

    private func open(failures: Int) throws -> Database {
        FailingLog.remaining.store(failures, ordering: .relaxed)
        return try Database(path: "file:\(directory.path())?vfs=\(FailingLog.name)", busyTimeout: .zero) { connection in
            if !connection.isReadOnly { try connection.enableWAL() }
        }
    }

    private func insert(_ connection: Connection) throws {
        try connection.immediate { try connection.execute("INSERT INTO t VALUES (1)") }
    }

    @Test(arguments: 0...2)
    func theWriterIsOpenedAgain(_ failures: Int) throws {
        let database = try open(failures: failures)
        try database.write { try insert($0) }
        #expect(try other.scalarInt64("SELECT count(*) FROM t") == 1)
    }

    @Test(arguments: 0...2)
    func theMaintenanceConnectionIsOpenedAgain(_ failures: Int) throws {
        let database = try open(failures: 0)
        FailingLog.remaining.store(failures, ordering: .relaxed)
        try database.maintain { try insert($0) }
        #expect(try other.scalarInt64("SELECT count(*) FROM t") == 1)
    }

    @Test func theConnectionThatLocksWritersIsOpenedAgain() throws {
        let database = try open(failures: 0)
        try database.write { try insert($0) }
        FailingLog.remaining.store(1, ordering: .relaxed)
        try database.write { (connection) throws in
            #expect(try sqliteError { try connection.checkpoint() }.isReadOnly)
            #expect(try connection.checkpoint() == 0)
        }
    }

    @Test func aLogThatStaysReadOnlyIsReported() throws {
        let error = try sqliteError { _ = try open(failures: .max) }
        #expect(error.isReadOnly && error.message.contains("-wal"), "\(error)")
    }

    /// The check does not wait for another writer, and is not mistaken for it.
    @Test func aLockedDatabaseCanBeOpened() throws {
        try other.immediate {
            let database = try open(failures: 0)
            #expect(try database.read { try $0.scalarInt64("SELECT count(*) FROM t") } == 0)
            #expect(try sqliteError { try database.write { try insert($0) } }.isBusy)
            #expect(try sqliteError { _ = try open(failures: .max) }.isReadOnly)
        }
    }
}

/// A file system whose logs can only be opened for reading a number of times, as SQLite does after a failure.
private enum FailingLog {
    static let name = "failing-log"
    static let remaining = Atomic(0)

    private static let registration: Int32 = {
        guard let system = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: system.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup(name))
        copy.pointee.xOpen = { vfs, path, file, flags, outFlags in
            var flags = flags
            if flags & SQLITE_OPEN_WAL != 0, FailingLog.remaining.load(ordering: .relaxed) > 0 {
                FailingLog.remaining.wrappingSubtract(1, ordering: .relaxed)
                flags = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
            }
            return sqlite3_vfs_find(nil).pointee.xOpen(vfs, path, file, flags, outFlags)
        }
        return sqlite3_vfs_register(copy, 0)
    }()

    static func register() throws { try #require(registration == SQLITE_OK) }
}
