import Foundation
import SampleTrips
import Testing

@testable import TripSearch

/// `trip-search` as a process.
@Suite struct FollowTests {
    @Test func indexIsExactAfterRandomKills() throws {
        let fixture = try SearchFixture()
        let seed = SeededGenerator.seed()
        var writer = RandomWriter(fixture, seed: seed)
        for _ in 0..<12 {
            let follower = try SearchProcess("follow", store: fixture.store)
            // Often killed while it starts or builds the index, and otherwise while it follows the writer.
            let isFollowing = writer.number(in: 0...2) > 0
            if isFollowing { #expect(follower.waitForOutput().hasPrefix("Following"), "seed \(seed)") }
            for _ in 0..<writer.number(in: 0...10) { try writer.save() }
            try writer.saveMany()
            // Anywhere from before the wake-up of the follower until it has finished.
            for _ in 0..<writer.number(in: 0...200) { _ = try fixture.position() }
            follower.kill()
        }
        try fixture.update()
        let documents = try fixture.documents()
        #expect(try documents == fixture.documentsOfModels(), "seed \(seed)")
        #expect(try documents == fixture.documentsOfNewIndex(), "seed \(seed)")
    }

    @Test func followerIndexesACommitOfAnotherProcess() async throws {
        let fixture = try SearchFixture()
        let follower = try SearchProcess("follow", store: fixture.store)
        #expect(follower.waitForOutput().hasPrefix("Following"))
        try fixture.context.trip(named: "Rome", starting: nil).name = "Roma"
        try fixture.context.save()
        // The position of the consumer moves when the change is in the index.
        let current = try fixture.context.currentHistoryToken()
        var position = try fixture.position()
        let end = ContinuousClock.now + .seconds(20)
        while position != current, ContinuousClock.now < end {
            await Task.yield()
            position = try fixture.position()
        }
        #expect(try fixture.search("roma") == ["[Roma]"])
        follower.kill()
    }

    @Test func secondFollowerReportsTheFirst() throws {
        let fixture = try SearchFixture()
        let follower = try SearchProcess("follow", store: fixture.store)
        #expect(follower.waitForOutput().hasPrefix("Following"))
        let (status, output) = try SearchProcess("follow", store: fixture.store).finish()
        #expect(status == 1)
        #expect(output.contains("another process keeps the index"))
        follower.kill()
    }

    @Test func commandsPrintWhatTheyDid() throws {
        let fixture = try SearchFixture()
        let missing = try SearchProcess("search", "rome", store: fixture.store).finish()
        #expect(missing.status == 1)
        #expect(missing.output.contains("`trip-search update` creates it"))
        let update = try SearchProcess("update", store: fixture.store).finish()
        #expect(update == (0, "Indexed 14 changes.\n"))
        let found = try SearchProcess("search", "oslo", "nor", store: fixture.store).finish()
        #expect(found.status == 0 && found.output.contains("[Oslo]") && found.output.contains("[Norway]"))
        let nothing = try SearchProcess("search", "atlantis", store: fixture.store).finish()
        #expect(nothing == (0, "Nothing found.\n"))
        let unknown = try SearchProcess("find", store: fixture.store).finish()
        #expect(unknown.status == 2)
    }
}
