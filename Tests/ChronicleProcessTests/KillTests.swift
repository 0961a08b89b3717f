import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Rows and history agree after a process is killed while it saves.
@Suite struct KillTests {
    /// All kills use one file, so that damage caused by one kill is detected after the next.
    @Test(arguments: TestSeed.rounds(2), ModelConfiguration.Recorder.allCases)
    func rowsAndHistoryAgreeAfterEveryKill(_ round: Int, _ recorder: ModelConfiguration.Recorder) throws {
        let file = try TemporaryDirectory().file("killed.store")
        var random = TestSeed.generator(round)
        for attempt in 0..<25 {
            let comment: Comment = "\(TestSeed.description), attempt \(attempt)"
            let worker = try Worker("churn", file.path, String(random.next()), recorder.rawValue)
            try worker.wait(forBytes: Int.random(in: 1...12, using: &random))
            // Busy-waits without a clock, to reach some point of the next save.
            var spin = Int.random(in: 0...200_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            let replayed = try Replay(file)
            #expect(try replayed.notes == replayed.rows("Note"), comment)
            #expect(try replayed.pages == replayed.rows("Page"), comment)
            #expect(replayed.ungrouped == "0", comment)
            #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok", comment)
        }
    }
}

/// The history is valid after a process is killed while it purges.
@Suite struct PurgeKillTests {
    @Test(arguments: 0..<2)
    func historyIsValidAfterEveryKill(_ round: Int) async throws {
        let file = try TemporaryDirectory().file("purged.store")
        var random = TestSeed.generator(round)
        var token: DefaultHistoryToken?
        for attempt in 0..<12 {
            let comment: Comment = "\(TestSeed.description), attempt \(attempt)"
            let worker = try Worker("purge", file.path, String(random.next()))
            try worker.wait(forBytes: Int.random(in: 1...20, using: &random))
            var spin = Int.random(in: 0...500_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok", comment)
            let configuration = ModelConfiguration(url: file, durability: .relaxed)
            let container = try ModelContainer(for: Schema([BucketListItem.self]), configurations: [configuration])
            let store = try #require(container.stores.first as? DefaultStore)
            var problems: [StoreProblem] = []
            try DefaultStore.verify(fileAt: file) { problems.append($0) }
            #expect(problems.isEmpty, comment)
            let history = try store.fetchHistory(Descriptor())
            #expect(try store.historyStatistics().transactions == history.count, comment)
            // The token of the newest transaction that the previous round saw is valid, or has expired.
            if let token {
                let error = try failure(of: { try store.fetchHistory(.after(token)) })
                #expect(error == nil || error == .historyTokenExpired, comment)
            }
            token = try store.currentHistoryToken()
        }
    }
}

/// The rows that the history implies, read with SQL only, and the rows in the tables.
private struct Replay {
    let file: URL
    let notes: String
    let pages: String
    let ungrouped: String

    init(_ file: URL) throws {
        self.file = file
        notes = try Self.live("Note", file)
        pages = try Self.live("Page", file)
        ungrouped = try Shell.sqlite3(
            file,
            "SELECT count(*) FROM chronicle_change WHERE id > (SELECT max(id) FROM chronicle_change WHERE kind <= 0)")
    }

    func rows(_ table: String) throws -> String {
        try Shell.sqlite3(file, "SELECT group_concat(id) FROM (SELECT id FROM \(table) ORDER BY id)")
    }

    /// The keys whose last insert or delete is an insert.
    private static func live(_ entity: String, _ file: URL) throws -> String {
        try Shell.sqlite3(
            file,
            """
            SELECT group_concat(primary_key) FROM (
                SELECT primary_key FROM chronicle_change, chronicle_entity AS entity
                WHERE entity.name = '\(entity)' AND kind IN (entity.id * 16 + 1, entity.id * 16 + 3)
                GROUP BY primary_key HAVING kind = entity.id * 16 + 1 AND max(chronicle_change.id) ORDER BY primary_key)
            """)
    }
}
