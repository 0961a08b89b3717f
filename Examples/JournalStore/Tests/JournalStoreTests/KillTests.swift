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
            for survivor in [fixture, try fixture.again()] { try expectAgreement(survivor, saves: acknowledged) }
            try fixture.write("survived")
        }
    }

    /// Every save that was said to be done is there, and the rows are those that the history leads to.
    private func expectAgreement(_ fixture: Fixture, saves: Int) throws {
        let context = fixture.context()
        let pages = try context.fetch(FetchDescriptor<Page>())
        #expect(pages.count { $0.body == "save" } >= saves)
        let notes = try context.fetch(FetchDescriptor<Note>())
        let rows = Set(pages.map(\.persistentModelID) + notes.map(\.persistentModelID))

        var (live, gone) = (Set<PersistentIdentifier>(), Set<PersistentIdentifier>())
        for change in try fixture.history().flatMap(\.changes) {
            let identifier = change.changedPersistentIdentifier
            #expect(!gone.contains(identifier))
            switch change {
            case .insert: #expect(live.insert(identifier).inserted)
            case .update: live.insert(identifier)
            case .delete:
                live.remove(identifier)
                gone.insert(identifier)
            }
        }
        #expect(live.isSubset(of: rows) && gone.isDisjoint(with: rows))
    }
}
