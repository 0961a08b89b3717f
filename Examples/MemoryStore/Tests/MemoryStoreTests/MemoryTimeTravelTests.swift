import Chronicle
import Foundation
import MemoryStore
import Testing

@Suite struct MemoryTimeTravelTests {
    @Test func changesOfAModelAreFound() throws {
        let context = try Fixture().context("app")
        let (trip, other) = (Trip("Rome"), Trip("Oslo"))
        for trip in [trip, other] { context.insert(trip) }
        try context.save()
        context.author = "widget"
        (trip.name, other.name) = ("Roma", "Bergen")
        try context.save()
        let entries = try context.history(of: trip)
        #expect(entries.map(\.kind) == [.insert, .update])
        #expect(entries.map(\.transaction.author) == ["app", "widget"])
        #expect(try context.history(of: trip, order: .reverse).map(\.kind) == [.update, .insert])
        #expect(try context.blame(trip)[\.name]?.author == "widget")
        context.delete(trip)
        try context.save()
        #expect(try context.history(of: trip.persistentModelID).last?.kind == .delete)
    }

    @Test func tagsNamePositions() throws {
        let context = try Fixture().context("app")
        context.insert(Trip("Rome"))
        try context.save()
        let token = try context.tag("before-import")
        context.insert(Trip("Oslo"))
        try context.save()
        #expect(try context.token(tagged: "before-import") == token)
        #expect(try context.fetchHistory(.after(token)).count == 1)
        #expect(throws: SwiftDataError.duplicateHistoryTag) { try context.tag("before-import") }
        #expect(try context.tag("before-import", replacing: true) > token)
        try context.deleteTag("before-import")
        #expect(try context.tags().isEmpty)
        #expect(throws: SwiftDataError.historyTagNotFound) { try context.deleteTag("before-import") }
    }
}
