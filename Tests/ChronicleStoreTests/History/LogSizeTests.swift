import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// The size of the write-ahead log. `StoreLoggerTests` report a log that a reader keeps.
@Suite struct LogSizeTests {
    @Test func errorsOfTheCopyAreReportedWithTheSize() throws {
        let file = try TemporaryDirectory().file("growing.store")
        let connection = try Connection(path: file.path, mode: .readWriteCreate)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE Trip(name)")
        // A file with a hole has the size of a log that has grown.
        let other = try TemporaryDirectory().file("other.store")
        let log = URL(fileURLWithPath: other.path + "-wal")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        try handle.truncate(atOffset: UInt64(LogSize.firstLimit))
        try handle.close()
        let reports = Mutex<[(size: Int, error: (any Error)?)]>([])
        let size = LogSize(storePath: other.path) { size, error in reports.withLock { $0.append((size, error)) } }
        // SQLite does not copy the log within a transaction.
        try connection.execute("BEGIN; INSERT INTO Trip VALUES ('Rome')")
        size.check(connection, .now)
        try connection.execute("COMMIT")
        #expect(reports.withLock(\.self).isEmpty)
        for action in connection.takeActionsAfterUse() { action() }
        let report = try #require(reports.withLock(\.self).first)
        #expect(report.size == LogSize.firstLimit && report.error is SQLiteError)
    }
}
