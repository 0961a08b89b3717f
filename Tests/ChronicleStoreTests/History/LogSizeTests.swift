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
        let pages = LogSize.firstLimit / Int(try connection.scalarInt64("PRAGMA page_size") ?? 0)
        let reports = Mutex<[(size: Int, error: (any Error)?)]>([])
        let size = LogSize { size, error in reports.withLock { $0.append((size, error)) } }
        size.check(connection, pages - 1, SQLiteError(extendedCode: 10, message: "disk I/O error"))
        #expect(connection.takeActionsAfterUse().isEmpty)
        size.check(connection, pages, SQLiteError(extendedCode: 10, message: "disk I/O error"))
        #expect(reports.withLock(\.self).isEmpty)
        for action in connection.takeActionsAfterUse() { action() }
        let report = try #require(reports.withLock(\.self).first)
        #expect(report.size == LogSize.firstLimit && report.error is SQLiteError)
    }

    @Test func sizesAreReportedWhenTheyHaveDoubled() throws {
        let connection = try Connection(path: ":memory:", mode: .readWriteCreate)
        let pages = LogSize.firstLimit / Int(try connection.scalarInt64("PRAGMA page_size") ?? 0)
        let sizes = Mutex<[Int]>([])
        let size = LogSize { size, _ in sizes.withLock { $0.append(size / LogSize.firstLimit) } }
        // After the third 1, the log was empty for a while.
        for factor in [1, 1, 2, 3, 4, 3, 4, 0, 0, 0, 1, 2] { size.check(connection, factor * pages, nil) }
        for action in connection.takeActionsAfterUse() { action() }
        #expect(sizes.withLock(\.self) == [1, 2, 4, 1, 2])
    }
}
