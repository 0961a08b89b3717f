import Chronicle
import ChronicleTestSupport
import Testing

/// Changes of other contexts and programs that a context takes in.
@Suite struct MergingTests {
    /// A context with the trip "Rome" in memory, and another context of the same store.
    private struct Fixture {
        let store: TestStore
        let context: ModelContext
        let other: ModelContext
        let trip: Trip
        private let token: DefaultHistoryToken

        init(_ kind: StoreKind) throws {
            store = try TestStore(kind)
            try store.add("Rome")
            context = store.context(author: "app")
            other = store.context(author: "widget")
            trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
            token = try context.currentHistoryToken()
        }

        /// The trip in the other context.
        func otherTrip() throws -> Trip { try #require(try other.fetch(FetchDescriptor<Trip>()).first) }

        /// Merges everything that was saved after the fixture was created.
        @discardableResult
        func merge() throws -> ModelContext.MergedChanges {
            try context.merge(try context.fetchHistory(HistoryDescriptor.after(token)))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relationshipsOfADeletedModelAreIgnored(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        fixture.other.delete(try fixture.otherTrip())
        try fixture.other.save()
        try fixture.merge()
        let trip = fixture.trip
        #expect(trip.isDeleted)
        trip.livingAccommodation = LivingAccommodation(placeName: "Inn")
        trip.bucketList = [BucketListItem(title: "walk")]
        trip.bucketList.append(BucketListItem(title: "eat"))
        #expect(fixture.context.insertedModelsArray.isEmpty)
        let count = try fixture.store.history().count
        try fixture.context.save()
        #expect(try fixture.store.history().count == count)
    }

    @Test(arguments: StoreKind.allCases)
    func modelReceivesTheValuesOfItsRow(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        try fixture.otherTrip().name = "Paris"
        try fixture.other.save()
        #expect(fixture.trip.name == "Rome")
        let changes = try fixture.merge()
        #expect(fixture.trip.name == "Paris")
        #expect(changes.refreshed == [fixture.trip.persistentModelID])
        #expect(changes.deleted.isEmpty && !fixture.context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func changeOfAnotherProgramIsTakenIn(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        try fixture.store.foreign("UPDATE Trip SET name = 'Oslo'")
        try fixture.merge()
        #expect(fixture.trip.name == "Oslo")
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedChangesAreKept(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let other = try fixture.otherTrip()
        (other.name, other.destination) = ("Paris", "France")
        try fixture.other.save()
        fixture.trip.name = "Lisbon"
        try fixture.merge()
        #expect(fixture.trip.name == "Lisbon" && fixture.trip.destination == "France")
        try fixture.context.save()
        let saved = try #require(try ModelContext(fixture.store.container).fetch(FetchDescriptor<Trip>()).first)
        #expect(saved.name == "Lisbon" && saved.destination == "France")
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackAfterAMergeReturnsToTheMergedValues(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        try fixture.otherTrip().name = "Paris"
        try fixture.other.save()
        fixture.trip.name = "Lisbon"
        try fixture.merge()
        fixture.context.rollback()
        #expect(fixture.trip.name == "Paris")
    }

    @Test(arguments: StoreKind.allCases)
    func deletedModelIsMarked(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let identifier = fixture.trip.persistentModelID
        fixture.other.delete(try fixture.otherTrip())
        try fixture.other.save()
        #expect(!fixture.trip.isDeleted)
        let changes = try fixture.merge()
        #expect(changes.deleted == [identifier] && changes.refreshed.isEmpty)
        #expect(fixture.trip.isDeleted && fixture.trip.modelContext == nil && !fixture.context.hasChanges)
        #expect((fixture.context.registeredModel(for: identifier) as Trip?) == nil)
        #expect(try fixture.context.fetch(FetchDescriptor<Trip>()).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func deletedModelKeepsUnsavedChangesUntilARollback(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let identifier = fixture.trip.persistentModelID
        fixture.other.delete(try fixture.otherTrip())
        try fixture.other.save()
        fixture.trip.name = "Lisbon"
        for _ in 0..<2 {
            let changes = try fixture.merge()
            #expect(changes.deletedWithUnsavedChanges == [identifier] && changes.deleted.isEmpty)
        }
        #expect(!fixture.trip.isDeleted && fixture.trip.name == "Lisbon")
        fixture.context.mergePolicy = .error
        #expect(throws: SwiftDataError.modelNotFound) { try fixture.context.save() }
        fixture.context.rollback()
        #expect(fixture.trip.isDeleted && fixture.trip.modelContext == nil)
        try fixture.context.save()
    }

    /// The identifier was used again, for example by a program that replaced the row or restored it.
    @Test(arguments: StoreKind.allCases)
    func modelWhoseRowReturnedIsNotDeletedByARollback(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        try fixture.store.foreign("DELETE FROM Trip")
        fixture.trip.name = "Lisbon"
        #expect(try fixture.merge().deletedWithUnsavedChanges == [fixture.trip.persistentModelID])
        try fixture.store.foreign(
            "INSERT INTO Trip(id, name, destination, startDate, endDate, tags) VALUES (1, 'Rome', 'again', 0, 0, '[]')")
        #expect(try fixture.merge().refreshed == [fixture.trip.persistentModelID])
        fixture.context.rollback()
        #expect(!fixture.trip.isDeleted && fixture.trip.destination == "again")
    }

    @Test(arguments: StoreKind.allCases)
    func unsavedDeleteOfADeletedModelHasNothingToSave(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        fixture.other.delete(try fixture.otherTrip())
        try fixture.other.save()
        fixture.context.delete(fixture.trip)
        let before = try fixture.context.currentHistoryToken()
        try fixture.merge()
        #expect(!fixture.context.hasChanges)
        try fixture.context.save()
        #expect(try fixture.context.currentHistoryToken() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func listContainsInsertedModelsAndNoDeletedOnes(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        #expect(fixture.trip.bucketList.isEmpty)
        let other = try fixture.otherTrip()
        other.bucketList = [BucketListItem(title: "Colosseum"), BucketListItem(title: "Forum")]
        try fixture.other.save()
        try fixture.merge()
        #expect(Set(fixture.trip.bucketList.map(\.title)) == ["Colosseum", "Forum"])
        let items = fixture.trip.bucketList
        fixture.other.delete(try #require(other.bucketList.first { $0.title == "Forum" }))
        try fixture.other.save()
        try fixture.merge()
        #expect(fixture.trip.bucketList.map(\.title) == ["Colosseum"])
        #expect(items.filter(\.isDeleted).map(\.title) == ["Forum"])
    }

    @Test(arguments: StoreKind.allCases)
    func modelsThatAreNotInMemoryAreNotLoaded(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let added = try #require(try fixture.store.add("Oslo", in: fixture.other).first).persistentModelID
        let changes = try fixture.merge()
        #expect(changes.refreshed.isEmpty && changes.deleted.isEmpty && changes.deletedWithUnsavedChanges.isEmpty)
        #expect((fixture.context.registeredModel(for: added) as Trip?) == nil)
        #expect(try fixture.context.fetchCount(FetchDescriptor<Trip>()) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func allModelsAreRefreshedWithoutTheHistory(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let unsaved = Trip(name: "unsaved", destination: "nowhere")
        fixture.context.insert(unsaved)
        try fixture.otherTrip().name = "Paris"
        try fixture.other.save()
        try fixture.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let changes = try fixture.context.refreshAllModels()
        #expect(fixture.trip.name == "Paris" && changes.refreshed == [fixture.trip.persistentModelID])
        #expect(fixture.context.insertedModelsArray.count == 1)
    }
}
