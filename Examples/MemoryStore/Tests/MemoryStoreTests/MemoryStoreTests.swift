import Chronicle
import Foundation
import MemoryStore
import Testing

@Suite struct MemoryStoreTests {
    private let fixture: Fixture
    private let context: ModelContext

    init() throws {
        fixture = try Fixture()
        context = fixture.context()
        for name in ["Rome", "Oslo", "Kyoto"] { context.insert(Trip(name)) }
        try context.save()
    }

    @Test func contextFiltersAndSorts() throws {
        var descriptor = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.name.contains("o") }, sortBy: [SortDescriptor(\.name)])
        #expect(try fixture.context().fetch(descriptor).map(\.name) == ["Kyoto", "Oslo", "Rome"])
        descriptor.fetchOffset = 1
        descriptor.fetchLimit = 1
        #expect(try fixture.context().fetch(descriptor).map(\.name) == ["Oslo"])
        #expect(try fixture.context().fetchCount(FetchDescriptor<Trip>()) == 3)
    }

    @Test func relationshipsWorkInBothDirections() throws {
        let trip = try #require(try fixture.trip("Rome", in: context))
        for place in ["Forum", "Pantheon"] { context.insert(Stop(place, of: trip)) }
        try context.save()
        let other = fixture.context()
        let found = try #require(try fixture.trip("Rome", in: other))
        #expect(found.stops.map(\.place) == ["Forum", "Pantheon"])
        #expect(found.stops.first?.trip === found)

        other.delete(found)
        try other.save()
        #expect(try fixture.context().fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test func concurrentChangesOfDifferentPropertiesAreMerged() throws {
        let other = fixture.context()
        let (mine, theirs) = (
            try #require(try fixture.trip("Oslo", in: context)), try #require(try fixture.trip("Oslo", in: other))
        )
        mine.note = "warm clothes"
        theirs.start = .distantFuture
        try context.save()
        try other.save()
        let saved = try #require(try fixture.trip("Oslo", in: fixture.context()))
        #expect(saved.note == "warm clothes" && saved.start == .distantFuture)
    }

    @Test func savesAreAtomic() throws {
        context.mergePolicy = .error
        context.insert(Trip("Lima"))
        context.insert(Trip("Rome"))
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        #expect(try fixture.context().fetchCount(FetchDescriptor<Trip>()) == 3)

        context.rollback()
        let other = fixture.context()
        let trip = try #require(try fixture.trip("Oslo", in: context))
        other.delete(try #require(try fixture.trip("Oslo", in: other)))
        try other.save()
        context.insert(Trip("Lima"))
        trip.note = "gone"
        #expect(throws: SwiftDataError.modelNotFound) { try context.save() }
        #expect(try fixture.context().fetch(FetchDescriptor<Trip>()).map(\.name) == ["Rome", "Kyoto"])
    }

    @Test func keysAreNotReused() throws {
        let trip = try #require(try fixture.trip("Kyoto", in: context))
        let identifier = trip.persistentModelID
        context.delete(trip)
        context.insert(Trip("Kyoto"))
        try context.save()
        #expect(try fixture.trip("Kyoto", in: context)?.persistentModelID != identifier)
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: identifier) }
    }

    @Test func memoryCanBeReopened() throws {
        let again = ModelContext(try Fixture.open(fixture.memory))
        #expect(try again.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Rome", "Oslo", "Kyoto"])
    }
}
