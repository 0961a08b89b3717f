import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

/// A process that is killed during a compaction; the conformance rules kill processes that save.
@Suite struct KillTests {
    /// All kills use one journal, so that damage caused by one kill is detected after the next.
    @Test(arguments: 0..<2)
    func reportedSavesSurviveEveryKill(_ round: Int) throws {
        let fixture = try Fixture()
        var (random, acknowledged) = (SplitMix(state: UInt64(round)), 0)
        for attempt in 0..<10 {
            let worker = try WorkerProcess("churn", fixture.url.path, String(round * 100 + attempt))
            let dots = Int.random(in: 1...8, using: &random)
            try worker.wait(forBytes: dots)
            acknowledged += dots
            // Busy-wait for a random number of iterations, to kill the process at some point of a later compaction.
            var spin = Int.random(in: 0...100_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            // A store that already had the journal open, and one that opens it now.
            for survivor in [fixture, try fixture.again()] { try expectAgreement(survivor, saves: acknowledged) }
            try fixture.write("survived")
            acknowledged += 1
        }
    }

    /// Every reported save exists once, and the remaining history contains the last ones.
    private func expectAgreement(_ fixture: Fixture, saves: Int) throws {
        let rows = try fixture.context().fetch(FetchDescriptor<Note>()).map(\.persistentModelID)
        #expect(rows.count >= saves)
        let inserted = try fixture.history().flatMap(\.changes).map(\.changedPersistentIdentifier)
        #expect(inserted == Array(rows.suffix(inserted.count)))
        // Numbered across all files, from the first save on.
        #expect(try fixture.store.currentHistoryToken()?.position == rows.count)
    }
}
