import Chronicle
import Foundation
import SampleTrips
import Testing

@testable import TripSearch

/// The index contains exactly the models that exist, whatever happened before.
@Suite struct IndexTests {
    @Test func containsTheModelsThatExistAfterRandomSaves() throws {
        let fixture = try SearchFixture()
        let seed = SeededGenerator.seed()
        var writer = RandomWriter(fixture, seed: seed)
        for _ in 0..<10 {
            for _ in 0..<writer.number(in: 1...20) { try writer.save() }
            try fixture.update()
            #expect(try fixture.documents() == fixture.documentsOfModels(), "seed \(seed)")
        }
        #expect(try fixture.documents() == fixture.documentsOfNewIndex(), "seed \(seed)")
    }

    @Test func updateReadsOnlyNewChanges() throws {
        let fixture = try SearchFixture()
        // The models of the snapshot.
        #expect(try fixture.update() == 14)
        #expect(try fixture.update() == 0)
        try fixture.context.trip(named: "Rome", starting: nil).name = "Roma"
        try fixture.context.save()
        #expect(try fixture.update() == 1)
        #expect(try fixture.search("roma") == ["[Roma]"])
        #expect(try fixture.search("rome") == [])
    }

    @Test func deletedModelsAreRemoved() throws {
        let fixture = try SearchFixture()
        try fixture.update()
        #expect(try fixture.search("colosseum") == ["[Colosseum]"])
        fixture.context.delete(try fixture.context.trip(named: "Rome", starting: nil))
        try fixture.context.save()
        try fixture.update()
        #expect(try fixture.search("colosseum") == [])
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func changesOfOtherProgramsAreIndexed() throws {
        let fixture = try SearchFixture()
        try fixture.update()
        try fixture.shell("UPDATE Trip SET destination = 'Alentejo' WHERE name = 'Lisbon'")
        try fixture.shell("DELETE FROM BucketListItem WHERE title = 'Ski jump'")
        #expect(try fixture.update() == 2)
        #expect(try fixture.index().search("alentejo").map(\.detail) == ["[Alentejo]"])
        #expect(try fixture.search("ski") == [])
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func deletedHistoryLeadsToARebuild() throws {
        let fixture = try SearchFixture()
        try fixture.update()
        fixture.context.delete(try fixture.context.trip(named: "Oslo", starting: nil))
        try fixture.context.save()
        try fixture.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        // The 11 models that exist.
        #expect(try fixture.update() == 11)
        #expect(try fixture.documents() == fixture.documentsOfModels())
        #expect(try fixture.index().isComplete)
    }

    enum Damage: CaseIterable {
        case deleted, empty, overwritten, truncated, pages, words
    }

    @Test(arguments: Damage.allCases)
    func damagedIndexIsBuiltAgain(_ damage: Damage) throws {
        let fixture = try SearchFixture()
        try fixture.update()
        let size = try Data(contentsOf: fixture.indexURL).count
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.indexURL.path + suffix) }
        switch damage {
        case .deleted: try FileManager.default.removeItem(at: fixture.indexURL)
        case .empty: try Data().write(to: fixture.indexURL)
        case .overwritten: try Data(repeating: 7, count: size).write(to: fixture.indexURL)
        case .truncated: try Data(contentsOf: fixture.indexURL).prefix(6_000).write(to: fixture.indexURL)
        case .pages:
            var bytes = try Data(contentsOf: fixture.indexURL)
            bytes.replaceSubrange(4_096..., with: Data(repeating: 7, count: size - 4_096))
            try bytes.write(to: fixture.indexURL)
        case .words: try fixture.shell("UPDATE documents_content SET c0 = 'Atlantis'", fixture.indexURL)
        }
        if ![.empty, .words].contains(damage) {
            let error = #expect(throws: Failure.self) { try fixture.search("rome") }
            #expect(error?.description.contains("`trip-search update`") == true)
        }
        #expect(try fixture.update() == 14)
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func indexThatIsDeletedWhileItIsUsedIsBuiltAgain() throws {
        let fixture = try SearchFixture()
        let updater = try IndexUpdater(fixture.store)
        try updater.update()
        try SearchIndex.remove(fixture.indexURL)
        try fixture.context.trip(named: "Rome", starting: nil).name = "Roma"
        try fixture.context.save()
        #expect(try updater.update() == 14)
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func interruptedRebuildStartsAgain() throws {
        let fixture = try SearchFixture()
        var updater: IndexUpdater? = try IndexUpdater(
            fixture.store, fixture.indexURL, consumerName: "search", batchSize: 5)
        // The reset and a part of the models.
        #expect(try updater?.applyNextBatch() == 0)
        #expect(try updater?.applyNextBatch() == 5)
        #expect(try !fixture.index().isComplete)
        updater = nil
        #expect(try fixture.update() == 14)
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func changesDuringARebuildAreIndexed() throws {
        let fixture = try SearchFixture()
        let updater = try IndexUpdater(fixture.store, fixture.indexURL, consumerName: "search", batchSize: 5)
        for _ in 0..<3 { #expect(try updater.applyNextBatch() != nil) }
        fixture.context.delete(try fixture.context.trip(named: "Rome", starting: nil))
        try fixture.context.trip(named: "Oslo", starting: nil).name = "Bergen"
        try fixture.context.save()
        try updater.update()
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func databaseOfAnotherProgramIsNotChanged() throws {
        let fixture = try SearchFixture()
        try fixture.shell("VACUUM INTO '\(fixture.indexURL.path)'")
        let bytes = try Data(contentsOf: fixture.indexURL)
        let error = #expect(throws: Failure.self) { try fixture.update() }
        #expect(error?.description.contains("database of another program") == true)
        #expect(try Data(contentsOf: fixture.indexURL) == bytes)
    }

    @Test func restoredIndexReceivesTheChangesSince() throws {
        let fixture = try SearchFixture()
        try fixture.update()
        let backup = fixture.directory.appending(path: "backup")
        try FileManager.default.copyItem(at: fixture.indexURL, to: backup)
        try fixture.context.trip(named: "Rome", starting: nil).name = "Roma"
        try fixture.context.save()
        try fixture.update()

        try SearchIndex.remove(fixture.indexURL)
        try FileManager.default.copyItem(at: backup, to: fixture.indexURL)
        #expect(try fixture.update() == 1)
        #expect(try fixture.documents() == fixture.documentsOfModels())
    }

    @Test func restoredStoreLeadsToARebuild() throws {
        let fixture = try SearchFixture()
        let backup = fixture.directory.appending(path: "Backup.store")
        try fixture.shell("VACUUM INTO '\(backup.path)'")
        fixture.context.delete(try fixture.context.trip(named: "Rome", starting: nil))
        try fixture.context.save()
        try fixture.update()
        let index = SearchIndex.url(of: TripStore(backup))
        try FileManager.default.copyItem(at: fixture.indexURL, to: index)

        let updater = try IndexUpdater(TripStore(backup))
        #expect(try updater.update() == 14)
        #expect(try SearchIndex(reading: index).search("colosseum").map(\.title) == ["[Colosseum]"])
    }

    @Test func oneProcessAtATimeUpdatesAnIndex() throws {
        let fixture = try SearchFixture()
        let updater = try IndexUpdater(fixture.store)
        try updater.update()
        let error = #expect(throws: Failure.self) { try fixture.update() }
        #expect(error?.description.contains("another process") == true)
        withExtendedLifetime(updater) {}
    }

    @Test func journalHasNoIndex() throws {
        let error = #expect(throws: Failure.self) {
            try IndexUpdater(TripStore(URL(fileURLWithPath: "Trips.journal")))
        }
        #expect(error?.description.contains("is a journal") == true)
    }
}
