import Chronicle
import Dispatch
import Foundation
import JournalStore
import Synchronization
import Testing

@testable import JournalWorker

/// Several processes that use one journal.
@Suite struct ProcessTests {
    private static let (writers, saves) = (3, 100)

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    @Test func concurrentProcessesCreateOneJournal() throws {
        for _ in 0..<3 {
            let url = fixture.directory.file()
            let workers = try (0..<4).map { try WorkerProcess("write", url.path, "writer\($0)", "3") }
            for worker in workers { #expect(try worker.finish() == "wrote\n") }
            #expect(try Fixture(fixture.directory, url).history().count == 12)
        }
    }

    @Test func readersReceiveEveryTransactionOnceAndComplete() throws {
        let readers = try (0..<2).map { _ in
            try WorkerProcess("read", fixture.url.path, String(Self.writers * Self.saves))
        }
        let logs = readers.map { reader in Log { try reader.finish() } }
        try write()
        for log in logs {
            let lines = try log.text().split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.map { Int($0[0]) } == Array(1...Self.writers * Self.saves))
            #expect(Set(lines.map { String($0[1]) }) == Set((0..<Self.writers).map { "writer\($0)" }))
            let changes = lines.map { $0[2].split(separator: ",") }
            #expect(changes.allSatisfy { $0.count == 2 && $0[0].hasPrefix("Note/") && $0[1].hasPrefix("Page/") })
            #expect(Set(changes.flatMap { $0 }).count == Self.writers * Self.saves * 2)
        }
        try expectEverything()
    }

    @Test func concurrentCompactionLosesNothing() throws {
        let pruners = try (0..<2).map { _ in
            try WorkerProcess("prune", fixture.url.path, String(Self.writers * Self.saves))
        }
        try write()
        for pruner in pruners { #expect(try pruner.finish() == "pruned\n") }
        try expectEverything()
        // Numbered across all files.
        let newest = try fixture.store.currentHistoryToken()
        #expect(newest?.position == Self.writers * Self.saves)
    }

    private func write() throws {
        let writing = try (0..<Self.writers).map {
            try WorkerProcess("write", fixture.url.path, "writer\($0)", String(Self.saves))
        }
        for writer in writing { #expect(try writer.finish() == "wrote\n") }
    }

    private func expectEverything() throws {
        for store in [fixture, try fixture.again()] {
            let context = store.context()
            let notes = try context.fetch(FetchDescriptor<Note>())
            let expected = (0..<Self.writers).flatMap { writer in (0..<Self.saves).map { "writer\(writer) \($0)" } }
            #expect(notes.map { "\($0.text) \($0.number)" }.sorted() == expected.sorted())
            let pages = try context.fetch(FetchDescriptor<Page>())
            #expect(pages.count == notes.count && pages.allSatisfy { $0.note.map { _ in true } == true })
        }
    }
}

/// Reads on a separate thread, because a process blocks if its output is not read.
private final class Log: Sendable {
    private let result = Mutex<Result<String, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> String) {
        Thread.detachNewThread { [self] in
            let text = Result { try body() }
            result.withLock { $0 = text }
            done.signal()
        }
    }

    func text() throws -> String {
        done.wait()
        return try result.withLock { try $0?.get() ?? "" }
    }
}
