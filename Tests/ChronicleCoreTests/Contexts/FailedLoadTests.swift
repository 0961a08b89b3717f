import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A relationship that cannot be loaded reads as empty. Changes that are based on this value are not saved before the
/// relationship has been read.
@Suite struct FailedLoadTests {
    /// A trip with two items and an accommodation, in a context that has read only the trip.
    private func trip(_ kind: StoreKind) throws -> (UnavailableContainer, ModelContext, Trip) {
        let store = try UnavailableContainer(kind, Trip.self)
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "walk"), BucketListItem(title: "eat")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        try store.save(trip)
        let context = ModelContext(store.container)
        return (store, context, try #require(try context.fetch(FetchDescriptor<Trip>()).first))
    }

    private func count<Model: PersistentModel>(_: Model.Type, _ store: UnavailableContainer) throws -> Int {
        try ModelContext(store.container).fetchCount(FetchDescriptor<Model>())
    }

    @Test(arguments: StoreKind.allCases)
    func deleteBasedOnAFailedReadIsNotSaved(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        // The read fails, but the delete's own read succeeds.
        store.outage.begin(1)
        if trip.bucketList.isEmpty { context.delete(trip) }
        #expect(!trip.isDeleted)
        for _ in 0..<3 {
            let error = #expect(throws: SwiftDataError.storeBusy) { try context.save() }
            #expect(error?.propertyName == "bucketList" && error?.persistentIdentifier == trip.persistentModelID)
        }
        #expect(try count(BucketListItem.self, store) == 2)

        // The incomplete delete is neither forgotten nor performed automatically.
        #expect(trip.bucketList.count == 2)
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        context.insert(trip)
        try context.save()
        #expect(try count(BucketListItem.self, store) == 2 && count(Trip.self, store) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func rejectedDeleteCanBeRepeated(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin(1)
        #expect(trip.bucketList.isEmpty)
        context.delete(trip)
        try? context.retryFailedLoads()
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        context.delete(trip)
        try context.save()
        #expect(try count(Trip.self, store) == 0 && count(BucketListItem.self, store) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func saveRetriesTheFailedReadOfADelete(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin()
        context.delete(trip)
        #expect(trip.isDeleted)
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        store.outage.end()
        try context.save()
        #expect(try count(Trip.self, store) == 0)
        #expect(try count(BucketListItem.self, store) == 0 && count(LivingAccommodation.self, store) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func incompleteDeleteCanBeUndone(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin(2)
        context.delete(trip)
        context.insert(trip)
        trip.note = "stays"
        store.outage.end()
        try context.save()
        #expect(try count(BucketListItem.self, store) == 2 && count(LivingAccommodation.self, store) == 1)
        #expect(trip.bucketList.count == 2 && trip.livingAccommodation != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func fetchThrowsALoadFailureOnce(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin(1)
        #expect(trip.bucketList.isEmpty)
        #expect(throws: SwiftDataError.storeBusy) { try context.fetchCount(FetchDescriptor<Trip>()) }
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
        trip.note = "x"
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
    }

    @Test(arguments: StoreKind.allCases)
    func retryLoadsTheRelationshipAndKeepsEdits(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        trip.note = "edit"
        store.outage.begin()
        #expect(trip.bucketList.isEmpty && trip.livingAccommodation == nil)
        #expect(throws: SwiftDataError.storeBusy) { try context.retryFailedLoads() }
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        store.outage.end()
        try context.retryFailedLoads()
        try context.save()
        #expect(trip.bucketList.count == 2 && trip.livingAccommodation?.placeName == "hotel")
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).first?.note == "edit")
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackDiscardsFailures(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin(2)
        #expect(trip.bucketList.isEmpty && trip.livingAccommodation == nil)
        context.rollback()
        trip.note = "after"
        try context.save()
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).first?.note == "after")
    }

    /// `append` on a list that reads as empty would result in a list with one new model.
    @Test(arguments: StoreKind.allCases, [false, true])
    func appendingToAnUnloadedListLosesNoDestinations(_ kind: StoreKind, throughKeyPath: Bool) throws {
        let (store, context, trip) = try trip(kind)
        let item = BucketListItem(title: "sleep")
        func append() {
            if throughKeyPath {
                let keyPath: ReferenceWritableKeyPath<Trip, [BucketListItem]> = \.bucketList
                trip[keyPath: keyPath].append(item)
            } else {
                trip.bucketList.append(item)
            }
        }
        store.outage.begin(1)
        append()
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        // Reading the list is not enough, because it does not contain the item.
        #expect(trip.bucketList.count == 2)
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        append()
        try context.save()
        #expect(trip.bucketList.map(\.title).sorted() == ["eat", "sleep", "walk"])
        #expect(try count(BucketListItem.self, store) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func assignmentIsRepeatedAfterAFailedLoad(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        store.outage.begin(1)
        trip.bucketList = []
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        trip.bucketList = []
        try context.save()
        #expect(
            try ModelContext(store.container).fetch(FetchDescriptor<BucketListItem>()).allSatisfy { $0.trip == nil })

        // The accommodation has a to-one inverse, which must be loaded to be changed.
        let tent = LivingAccommodation(placeName: "tent")
        store.outage.begin(1)
        trip.livingAccommodation = tent
        #expect(tent.trip == nil && tent.modelContext != nil)
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        trip.livingAccommodation = tent
        try context.save()
        let accommodations = try ModelContext(store.container).fetch(FetchDescriptor<LivingAccommodation>())
        #expect(accommodations.filter { $0.trip != nil }.map(\.placeName) == ["tent"])
    }

    @Test(arguments: StoreKind.allCases)
    func unloadedLinksAreNotLost(_ kind: StoreKind) throws {
        let store = try UnavailableContainer(kind, LinkItem.self)
        try store.save(LinkItem("item", tags: [LinkTag("red"), LinkTag("blue")]))
        let context = ModelContext(store.container)
        let item = try #require(try context.items().first)
        store.outage.begin(1)
        item.tags.append(LinkTag("green"))
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        item.tags.append(LinkTag("green"))
        try context.save()
        let reader = ModelContext(store.container)
        #expect(try reader.items().first?.tags.names == ["blue", "green", "red"])
    }

    // MARK: Models that are not loaded

    @Test(arguments: StoreKind.allCases)
    func modelIsLoadedAfterAFailure(_ kind: StoreKind) throws {
        let (store, _, trip) = try trip(kind)
        let context = ModelContext(store.container)
        store.outage.begin()
        let model = try #require(context.model(for: trip.persistentModelID) as? Trip)
        #expect(model.modelContext === context && model.name == "" && model.tags == [])
        model.note = "set before it was loaded"
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        store.outage.end()
        #expect(throws: SwiftDataError.storeBusy, "it was read") { try context.save() }
        #expect(model.name == "Rome" && model.note == "set before it was loaded" && model.bucketList.count == 2)
        #expect(context.model(for: trip.persistentModelID) === model)
        #expect(try context.fetch(FetchDescriptor<Trip>()) == [model])
        try context.save()
        #expect(
            try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).first?.note == "set before it was loaded")
    }

    @Test(arguments: StoreKind.allCases)
    func saveLoadsAModelThatWasOnlyChanged(_ kind: StoreKind) throws {
        let (store, _, trip) = try trip(kind)
        let context = ModelContext(store.container)
        store.outage.begin(1)
        let model = try #require(context.model(for: trip.persistentModelID) as? Trip)
        model.note = "new"
        try context.save()
        let read = try #require(try ModelContext(store.container).fetch(FetchDescriptor<Trip>()).first)
        #expect(read.note == "new" && read.name == "Rome")
    }

    @Test(arguments: StoreKind.allCases)
    func savingAChangeOfADeletedRowThrows(_ kind: StoreKind) throws {
        let (store, context, trip) = try trip(kind)
        let identifier = trip.persistentModelID
        context.delete(trip)
        try context.save()
        let other = ModelContext(store.container)
        let gone = try #require(other.model(for: identifier) as? Trip)
        #expect(gone.name == "" && gone.startDate == Date(timeIntervalSinceReferenceDate: 0))
        try other.save()
        gone.note = "lost?"
        other.mergePolicy = .error
        for _ in 0..<2 {
            #expect(throws: SwiftDataError.modelNotFound) { try other.save() }
        }
        other.delete(gone)
        try other.save()
    }

    @Test(arguments: StoreKind.allCases)
    func requiredRelationshipReturnsTheUnloadedDestination(_ kind: StoreKind) throws {
        let store = try UnavailableContainer(kind, RuleProject.self)
        try store.save(RuleProject("Engine", RulePerson("Ada")))
        let context = ModelContext(store.container)
        let project = try #require(try context.fetch(FetchDescriptor<RuleProject>()).first)
        store.outage.begin(1)
        let owner = project.owner
        #expect(owner.modelContext === context && owner.name == "Ada" && project.owner === owner)
        owner.name = "Grace"
        try context.save()
        #expect(try ModelContext(store.container).fetch(FetchDescriptor<RulePerson>()).map(\.name) == ["Grace"])
    }

    // MARK: Subclasses

    /// A pet whose keeper is a vet, and the instance that its relationship returned while the store was unavailable. References
    /// name the superclass.
    private func keeper(_ kind: StoreKind) throws -> (UnavailableContainer, ModelContext, Pet, Keeper) {
        let store = try UnavailableContainer(kind, Pet.self, Vet.self)
        try store.save(Pet(Vet("Ann")))
        let context = ModelContext(store.container)
        let pet = try #require(try context.fetch(FetchDescriptor<Pet>()).first)
        store.outage.begin(1)
        return (store, context, pet, pet.keeper)
    }

    @Test(arguments: StoreKind.allCases)
    func readOfAPlaceholderForASubclassIsAnError(_ kind: StoreKind) throws {
        let (_, context, pet, placeholder) = try keeper(kind)
        #expect(!(placeholder is Vet) && placeholder.name.isEmpty)
        pet.name = "based on an empty name"
        for _ in 0..<2 { #expect(throws: SwiftDataError.modelNotFound) { try context.save() } }
        let vet = try #require(pet.keeper as? Vet)
        #expect(vet.name == "Ann" && placeholder.modelContext == nil && vet.modelContext === context)
        try context.retryFailedLoads()
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfAPlaceholderForASubclassAreErrors(_ kind: StoreKind) throws {
        for loadsBefore in [true, false] {
            let (_, context, pet, placeholder) = try keeper(kind)
            if loadsBefore { #expect(pet.keeper is Vet) }
            placeholder.name = "lost?"
            for _ in 0..<2 { #expect(throws: SwiftDataError.modelNotFound) { try context.save() } }
            context.rollback()
            try context.save()
            #expect(context.lastSaveResult.droppedChanges.isEmpty && pet.keeper.name == "Ann")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func placeholdersForSubclassesAreReplaced(_ kind: StoreKind) throws {
        for step in 0..<3 {
            let (_, context, pet, placeholder) = try keeper(kind)
            switch step {
            case 0: #expect(try context.existingModel(for: placeholder.persistentModelID) is Vet)
            case 1: #expect(try context.fetch(FetchDescriptor<Keeper>()).map { $0 is Vet } == [true])
            default: try context.retryFailedLoads()
            }
            #expect((pet.keeper as? Vet)?.name == "Ann")
            try context.save()
        }
    }
}

@Model private class Keeper {
    var name: String
    init(_ name: String) { self.name = name }
}

@Model private final class Vet: Keeper {
    var clinic = ""
}

@Model private final class Pet {
    var name = ""
    var keeper: Keeper
    init(_ keeper: Keeper) { self.keeper = keeper }
}
