import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

/// A process that is killed while it saves.
@Suite struct KillTests {
    /// One journal lives through all of the kills, so that a fault of one shows in the next.
    @Test(arguments: 0..<2)
    func whatWasSavedIsThereAfterEveryKill(_ round: Int) throws {
        let fixture = try Fixture()
        var (random, acknowledged) = (SplitMix(state: UInt64(round)), 0)
        for attempt in 0..<10 {
            let worker = try WorkerProcess("churn", fixture.url.path, String(round * 100 + attempt))
            let dots = Int.random(in: 1...15, using: &random)
            try worker.wait(forBytes: dots)
            acknowledged += dots
            // A little into one of the next saves, by a wait without a clock.
            var spin = Int.random(in: 0...100_000, using: &random)
            while spin > 0 { spin -= 1 }
            worker.kill()
            // One that had the journal open, and one that opens it now.
            for survivor in [fixture, try fixture.again()] {
                try expectAgreement(survivor)
                #expect(try survivor.history().count >= acknowledged)
            }
            try fixture.write("survived")
            acknowledged += 1
        }
    }

    /// The rows are those that the history leads to.
    private func expectAgreement(_ fixture: Fixture) throws {
        var live = Set<PersistentIdentifier>()
        for change in try fixture.history().flatMap(\.changes) {
            switch change {
            case .insert(let insert): #expect(live.insert(insert.changedPersistentIdentifier).inserted)
            case .update(let update): #expect(live.contains(update.changedPersistentIdentifier))
            case .delete(let delete): #expect(live.remove(delete.changedPersistentIdentifier) != nil)
            }
        }
        let context = fixture.context()
        let notes = try context.fetch(FetchDescriptor<Note>()).map(\.persistentModelID)
        let pages = try context.fetch(FetchDescriptor<Page>()).map(\.persistentModelID)
        #expect(live == Set(notes + pages))
    }
}
