import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

/// A process that is killed while it compacts; the rules for stores kill those that save.
@Suite struct KillTests {
    /// One journal lives through all of the kills, so that a fault of one shows in the next.
    @Test(arguments: 0..<2)
    func whatWasSavedIsThereAfterEveryKill(_ round: Int) throws {
        let fixture = try Fixture()
        var (random, acknowledged) = (SplitMix(state: UInt64(round)), 0)
        for attempt in 0..<10 {
            let worker = try WorkerProcess("churn", fixture.url.path, String(round * 100 + attempt))
            let dots = Int.random(in: 1...8, using: &random)
            try worker.wait(forBytes: dots)
            acknowledged += dots
            // A little into the compaction after it, or into one of the next, by a wait without a clock.
            var spin = Int.random(in: 0...100_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            // One that had the journal open, and one that opens it now.
            for survivor in [fixture, try fixture.again()] { try expectAgreement(survivor, saves: acknowledged) }
            try fixture.write("survived")
            acknowledged += 1
        }
    }

    /// Every save that was said to be done is there, once, and what is left of the history tells of the last of them.
    private func expectAgreement(_ fixture: Fixture, saves: Int) throws {
        let rows = try fixture.context().fetch(FetchDescriptor<Note>()).map(\.persistentModelID)
        #expect(rows.count >= saves)
        let inserted = try fixture.history().flatMap(\.changes).map(\.changedPersistentIdentifier)
        #expect(inserted == Array(rows.suffix(inserted.count)))
        // One save each, from the first on, through all of the files.
        #expect(try fixture.store.currentHistoryToken()?.position == rows.count)
    }
}
