import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct RevertConflictTests {
    private static let types: [any PersistentModel.Type] = [
        Trip.self, BucketListItem.self, LivingAccommodation.self,
    ]

    private func last(_ context: ModelContext) throws -> Transaction {
        try #require(context.fetchHistory(Descriptor()).last)
    }

    @Test(arguments: StoreKind.allCases) func aPropertyThatChangedSinceIsAConflict(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        (trip.destination, trip.note) = ("second", "note")
        try context.save()
        let transaction = try last(context)
        trip.destination = "third"
        try context.save()
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(transaction) }
        #expect(!context.hasChanges)

        var plan = try context.revertPlan(for: transaction)
        let conflict = try #require(plan.conflicts.first)
        #expect(plan.conflicts.count == 1)
        #expect(conflict.kind == .changedSince)
        #expect(conflict.persistentIdentifier == trip.persistentModelID)
        #expect(conflict.propertyName == "destination")
        #expect(conflict.expectedValue as? String == "second")
        #expect(conflict.currentValue as? String == "third")
        #expect(conflict.oldValue as? String == "somewhere")
        #expect(conflict.allowedResolutions == [.keepCurrent, .restoreOld, .skipModel])
        #expect(plan.steps.flatMap(\.values).map(\.name).sorted() == ["destination", "note"])

        plan.resolve(conflict, with: .skipModel)
        #expect(plan.steps.isEmpty)
        plan.resolve(conflict, with: .keepCurrent)
        #expect(plan.unresolvedConflicts.isEmpty)
        #expect(plan.steps.flatMap(\.values).map(\.name) == ["note"])
        try context.apply(plan)
        #expect((trip.destination, trip.note) == ("third", nil))
        context.rollback()

        plan.resolve(conflict, with: .restoreOld)
        try context.apply(plan)
        #expect((trip.destination, trip.note) == ("somewhere", nil))
        context.rollback()

        // A decision about "third" is not one about "fourth".
        trip.destination = "fourth"
        try context.save()
        #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
        #expect(!context.hasChanges)
        // The old value is no conflict.
        trip.destination = "somewhere"
        try context.save()
        #expect(try context.revertPlan(for: transaction).conflicts.isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func aDeletedModelIsAConflict(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let insert = try last(context)
        trip.note = "note"
        try context.save()
        let update = try last(context)
        context.delete(trip)
        try context.save()
        let delete = try last(context)

        var plan = try context.revertPlan(for: update)
        #expect(plan.conflicts.map(\.kind) == [.modelDeleted])
        #expect(plan.conflicts.map(\.allowedResolutions) == [[.skipModel]])
        let isResolved = plan.resolve(plan.conflicts[0], with: .restoreOld)
        #expect(!isResolved)
        plan.resolveAll(with: .skipModel)
        try context.apply(plan)
        #expect(!context.hasChanges)
        // Nothing to do.
        #expect(try context.revertPlan(for: insert).steps.isEmpty)
        #expect(try context.revertPlan(for: insert).conflicts.isEmpty)

        try context.revert(delete)
        try context.save()
        #expect(try context.revertPlan(for: delete).conflicts.map(\.kind) == [.modelExists])
    }

    @Test(arguments: StoreKind.allCases) func anInsertedModelThatChangedSinceIsNotDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let insert = try last(context)
        let item = BucketListItem(title: "Forum")
        context.insert(item)
        item.trip = trip
        trip.note = "note"
        try context.save()
        var plan = try context.revertPlan(for: insert)
        #expect(Set(plan.conflicts.map(\.kind)) == [.changedSince, .referenced])
        #expect(plan.conflicts.flatMap(\.relatedModels) == [item.persistentModelID])
        plan.resolveAll(with: .restoreOld)
        try context.apply(plan)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    }

    @Test(arguments: StoreKind.allCases) func aUniqueValueThatIsTakenIsAConflict(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let trip = Trip(name: "Rome", destination: "Italy", startDate: date)
        context.insert(trip)
        try context.save()
        (trip.name, trip.note) = ("Roma", "note")
        try context.save()
        let rename = try last(context)
        let other = Trip(name: "Rome", destination: "Georgia", startDate: date)
        context.insert(other)
        try context.save()
        var plan = try context.revertPlan(for: rename)
        #expect(plan.conflicts.map(\.kind) == [.uniqueValueTaken])
        #expect(plan.conflicts.map(\.propertyName) == ["name"])
        #expect(plan.conflicts.map(\.relatedModels) == [[other.persistentModelID]])
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        try context.save()
        #expect((trip.name, trip.note) == ("Roma", nil))

        context.delete(trip)
        try context.save()
        let delete = try last(context)
        other.name = "Roma"
        try context.save()
        #expect(Set(try context.revertPlan(for: delete).conflicts.map(\.kind)) == [.uniqueValueTaken])
        // Reverting both is no conflict.
        let start = try context.fetchHistory(Descriptor())[3].token
        try context.revert(between: start, and: context.currentHistoryToken())
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name).sorted() == ["Roma", "Rome"])
    }

    @Test(arguments: StoreKind.allCases) func aDestinationThatDoesNotExistIsAConflict(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let item = BucketListItem(title: "Forum")
        context.insert(item)
        item.trip = trip
        try context.save()
        item.trip = nil
        try context.save()
        let update = try last(context)
        context.delete(trip)
        try context.save()
        var plan = try context.revertPlan(for: update)
        #expect(plan.conflicts.map(\.kind) == [.referenceMissing])
        #expect(plan.conflicts.map(\.relatedModels) == [[trip.persistentModelID]])
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases) func decisionsThatLeadToConflictsAreKept(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let trip = Trip(name: "Rome", destination: "Italy", startDate: date)
        let item = BucketListItem(title: "Forum")
        context.insert(trip)
        context.insert(item)
        item.trip = trip
        try context.save()
        context.delete(trip)
        try context.save()
        let delete = try last(context)
        context.insert(Trip(name: "Rome", destination: "Georgia", startDate: date))
        try context.save()
        var plan = try context.revertPlan(for: delete)
        #expect(Set(plan.conflicts.map(\.kind)) == [.uniqueValueTaken])
        plan.resolveAll(with: .skipModel)
        // Without the trip, the item has no destination.
        #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
        plan = try context.revertPlan(updating: plan)
        #expect(plan.unresolvedConflicts.map(\.kind) == [.referenceMissing])
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<BucketListItem>()).map(\.title) == ["Forum"])
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.destination) == ["Georgia"])
    }

    @Test(arguments: StoreKind.allCases) func anotherSubclassMayHaveTheUniqueValue(_ kind: StoreKind) throws {
        let types: [any PersistentModel.Type] = [Journey.self, GuidedJourney.self, Traveler.self, Topic.self]
        let store = try TestStore(kind, types, preservesValues: true)
        let context = store.context()
        let deleted = GuidedJourney(code: "1", title: "deleted", guide: "g")
        let changed = GuidedJourney(code: "2", title: "changed", guide: "g")
        for journey in [deleted, changed] { context.insert(journey) }
        try context.save()
        let start = try context.currentHistoryToken()
        context.delete(deleted)
        changed.code = "3"
        try context.save()
        let end = try context.currentHistoryToken()
        let others = ["1", "2"].map { Journey(code: $0, title: "other") }
        for journey in others { context.insert(journey) }
        try context.save()
        let plan = try context.revertPlan(between: start, and: end)
        #expect(plan.conflicts.map(\.kind) == [.uniqueValueTaken, .uniqueValueTaken])
        #expect(Set(plan.conflicts.flatMap(\.relatedModels)) == Set(others.map(\.persistentModelID)))
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(between: start, and: end) }
        #expect(changed.code == "3")
    }

    @Test(arguments: StoreKind.allCases, [RevertConflict.Resolution.keepCurrent, .skipModel, .restoreOld])
    func aDecisionAppliesToBothEndsOfAOneToOneRelationship(
        _ kind: StoreKind, _ resolution: RevertConflict.Resolution
    ) throws {
        let store = try TestStore(kind, Self.types, preservesValues: true)
        let context = store.context()
        let (first, second) = (Trip(name: "first", destination: ""), Trip(name: "second", destination: ""))
        let hotel = LivingAccommodation(placeName: "hotel")
        for trip in [first, second] { context.insert(trip) }
        first.livingAccommodation = hotel
        try context.save()
        first.livingAccommodation = nil
        try context.save()
        let change = try last(context)
        second.livingAccommodation = hotel
        try context.save()
        var plan = try context.revertPlan(for: change)
        #expect(plan.conflicts.map(\.persistentIdentifier) == [hotel.persistentModelID])
        plan.resolveAll(with: resolution)
        try context.apply(plan)
        try context.save()
        let owner = resolution == .restoreOld ? first : second
        for trip in [first, second] {
            #expect(trip.livingAccommodation === (trip === owner ? hotel : nil))
        }
        #expect(hotel.trip === owner)
    }

    @Test(arguments: StoreKind.allCases) func aValueThatIsNotPreservedIsAConflict(_ kind: StoreKind) throws {
        let store = try TestStore(kind, Self.types, preservesValues: false)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let insert = try last(context)
        trip.destination = "second"
        try context.save()
        var plan = try context.revertPlan(for: last(context))
        #expect(plan.conflicts.map(\.kind) == [.valueMissing])
        #expect(plan.conflicts.map(\.allowedResolutions) == [[.keepCurrent, .skipModel]])
        #expect(plan.steps.isEmpty)
        plan.resolveAll(with: .keepCurrent)
        try context.apply(plan)
        #expect(trip.destination == "second")
        // The model may have changed since its insert.
        #expect(try context.revertPlan(for: insert).conflicts.allSatisfy { $0.kind == .valueMissing })
        #expect(throws: SwiftDataError.revertConflict) { try context.revert(insert) }

        context.delete(trip)
        try context.save()
        plan = try context.revertPlan(for: last(context))
        let conflicts = Dictionary(
            uniqueKeysWithValues: plan.conflicts.map { ($0.propertyName ?? "", $0.allowedResolutions) })
        #expect(conflicts["destination"] == [.skipModel])
        #expect(conflicts["note"] == [.keepCurrent, .skipModel])
        #expect(conflicts["name"] == nil)
        plan.resolveAll(with: .keepCurrent)
        #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
        plan.resolveAll(with: .skipModel)
        try context.apply(plan)
        #expect(!context.hasChanges)
    }

    @Test func removedClassesAndPropertiesAreConflicts() throws {
        let store = try TestStore(
            .file, [Trip.self, BucketListItem.self, LivingAccommodation.self], preservesValues: true)
        let identifier: PersistentIdentifier
        do {
            let context = store.context()
            let photo = BucketListItem(title: "Forum")
            context.insert(photo)
            try context.save()
            photo.title = "Pantheon"
            try context.save()
            identifier = photo.persistentModelID
        }
        let reopened = try store.reopened([LinkPhoto.self])
        let context = ModelContext(reopened)
        var plan = try context.revertPlan(for: last(context))
        #expect(plan.conflicts.map(\.kind) == [.unknownEntity])
        #expect(plan.conflicts.map(\.persistentIdentifier) == [identifier])
        #expect(plan.conflicts.map(\.allowedResolutions) == [[.skipModel]])
        #expect(throws: SwiftDataError.revertConflict) { try context.apply(plan) }
        plan.resolveAll(with: .skipModel)
        try context.apply(plan)
        #expect(!context.hasChanges)
    }
}
