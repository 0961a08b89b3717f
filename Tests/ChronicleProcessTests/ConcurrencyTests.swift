import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Several processes that use one file.
@Suite struct ProcessTests {
    @Test func concurrentProcessesCreateOneSchema() throws {
        for _ in 0..<5 {
            let file = try TemporaryDirectory().file("new.store")
            let workers = try (0..<8).map { _ in try Worker("open", file.path) }
            for worker in workers { #expect(try worker.finish() == "opened 0\n") }

            let alone = try TemporaryDirectory().file("alone.store")
            _ = try Worker("open", alone.path).finish()
            let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
            #expect(try Shell.sqlite3(file, schema) == Shell.sqlite3(alone, schema))
            #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_meta WHERE name = 'store'") == "1")
            #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_source") == "1")
            #expect(try Shell.sqlite3(file, "PRAGMA journal_mode") == "wal")
        }
    }

    @Test func processesInsertTheSameUniqueValues() throws {
        let (processes, saves) = (4, 50)
        let file = try TemporaryDirectory().file("upserts.store")
        let workers = try (0..<processes).map { try Worker("upsert", file.path, "writer\($0)", String(saves)) }
        for worker in workers { #expect(try worker.finish() == "saved\n") }
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Tally") == "\(5 + processes * saves)")
        // Whichever save was the last one, it was the last save of its process.
        let last = "SELECT count(*) FROM Tally WHERE length(key) = 1 AND count = \(saves - 1)"
        #expect(try Shell.sqlite3(file, last) == "5")
    }

    @Test func readersReceiveEveryTransactionOnceAndComplete() throws {
        let (writers, saves) = (4, 2_000)
        let file = try TemporaryDirectory().file("busy.store")
        _ = try Worker("open", file.path).finish()
        let readers = try (0..<2).map { _ in try Worker("read", file.path, String(writers * saves)) }
        let writing = try (0..<writers).map { try Worker("write", file.path, "writer\($0)", String(saves)) }
        // The readers' pipes must be read while they write.
        let logs = readers.map { reader in OutputReader { try reader.finish() } }
        for writer in writing { #expect(try writer.finish() == "wrote\n") }

        for log in logs {
            let lines = try log.result().split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.count == writers * saves)
            let positions = try lines.map { try #require(Int($0[0])) }
            #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
            #expect(Set(lines.map { String($0[1]) }) == Set((0..<writers).map { "writer\($0)" }))
            let changes = lines.map { $0[2].split(separator: ",") }
            #expect(changes.allSatisfy { $0.count == 2 && $0[0].hasPrefix("Note/") && $0[1].hasPrefix("Page/") })
            #expect(Set(changes.flatMap { $0 }).count == writers * saves * 2)
        }
    }
}

/// Runs a blocking read on a separate thread.
private final class OutputReader: @unchecked Sendable {
    // Written by the thread before it signals, and read after waiting for the signal.
    private var outcome: Result<String, any Error>?
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping () throws -> String) {
        nonisolated(unsafe) let body = body
        Thread.detachNewThread {
            self.outcome = Result { try body() }
            self.done.signal()
        }
    }

    func result() throws -> String {
        done.wait()
        defer { done.signal() }
        return try outcome?.get() ?? ""
    }
}
