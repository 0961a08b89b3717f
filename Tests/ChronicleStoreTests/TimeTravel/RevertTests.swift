import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Testing

@Suite struct RevertTests {
    // MARK: Random changes

    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2)) func aRevertRestoresTheStateBefore(
        _ kind: StoreKind, _ number: Int
    ) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        var edits = RandomEdits(number)
        let context = store.context()
        for round in 0..<40 {
            let before = try StoreContent(store.container)
            let start = try context.currentHistoryToken()
            let transactions = round % 5 == 4 ? 4 : 1
            for _ in 0..<transactions { try edits.save(context) }
            // Some of the changes remain.
            guard round % 3 != 0 else { continue }
            let saved = try context.fetchHistory(Descriptor.after(start))
            let plan =
                try transactions == 1 && saved.count == 1
                ? context.revertPlan(for: saved[0])
                : context.revertPlan(between: start, and: context.currentHistoryToken())
            #expect(plan.conflicts.isEmpty, "round \(round), \(TestSeed.description)")
            try context.apply(plan)
            try context.save()
            let difference = try before.difference(to: StoreContent(store.container))
            #expect(difference == [:], "round \(round), \(TestSeed.description)")
        }
    }

    /// One model is as it was at a random position, and others are as they were before.
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(2)) func oneModelIsReverted(_ kind: StoreKind, _ number: Int)
        throws
    {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        var edits = RandomEdits(number)
        let context = store.context()
        var states = KeptStates<StoreContent>()
        var models: [any PersistentModel] = []
        for _ in 0..<20 {
            try edits.save(context)
            try states.keep(StoreContent(store.container), context)
            models += try store.context().fetch(FetchDescriptor<Trip>())
            models += try store.context().items()
        }
        var counts = (reverted: 0, conflicts: 0)
        for _ in 0..<40 {
            let (token, state) = edits.random.pick(states.all)
            let model = edits.random.pick(models)
            let identifier = model.persistentModelID
            let before = try StoreContent(store.container)
            do { try context.revert(model, to: token) } catch SwiftDataError.revertConflict {
                #expect(!context.hasChanges, "\(TestSeed.description)")
                counts.conflicts += 1
                continue
            }
            try context.save()
            let after = try StoreContent(store.container)
            // Links with an inverse are those of the models at both ends.
            func own(_ model: StoreContent.Model?) -> [String: String]? {
                guard let model else { return nil }
                let links = model.links.filter { StoreContent.Model.namesWithoutInverse.contains($0.key) }
                return model.values.merging(links.mapValues { "\($0.sorted())" }) { $1 }
            }
            #expect(own(state.models[identifier]) == own(after.models[identifier]), "\(TestSeed.description)")
            // Of other models, only what depends on the insert or delete of this one has changed.
            for (other, model) in after.models where other != identifier {
                for name in ["name", "title", "placeName", "number", "note", "isDone", "weight"] {
                    #expect(model.values[name] == before.models[other]?.values[name], "\(TestSeed.description)")
                }
            }
            counts.reverted += 1
        }
        #expect(counts.reverted > 0, "\(TestSeed.description)")
    }

    @Test(arguments: StoreKind.allCases) func aModelThatIsAsItWasIsNotReverted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        #expect(try failure { try context.revert(trip, to: context.currentHistoryToken()) } == .modelNotFound)
        context.insert(trip)
        let other = Trip(name: "Oslo", destination: "Norway")
        context.insert(other)
        try context.save()
        try context.tag("start")
        let start = try context.token(tagged: "start")
        (trip.note, other.note) = ("a", "b")
        try context.save()
        trip.note = nil
        try context.save()
        #expect(try context.changes(since: start).map(\.persistentIdentifier) == [other.persistentModelID])
        #expect(try context.revert(trip, to: start).steps.isEmpty && !context.hasChanges)
        #expect(try context.revert(other, to: start).steps.count == 1)
        #expect(other.note == nil && context.changedModelsArray.count == 1)
        #expect(try failure { try context.revert(other, to: start) } == .unsavedChanges)
        try context.save()
        #expect(try context.changes(since: start).isEmpty)
        context.delete(other)
        try context.save()
        try context.revert(other, to: start)
        try context.save()
        let names = try ModelContext(store.container, asOf: "start").fetch(FetchDescriptor<Trip>()).map(\.name)
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name).sorted() == names.sorted())
        #expect(try failure { try ModelContext(store.container, asOf: "end") } == .historyTagNotFound)
        let foreign = DefaultHistoryToken(storeIdentifier: "another store", position: 1)
        #expect(try failure { try context.revert(trip, to: foreign) } == .historyTokenStoreMismatch)
    }

    // MARK: Restored models

    @Test(arguments: StoreKind.allCases) func aRestoredModelHasItsIdentifierAndRelationships(_ kind: StoreKind) throws {
        let store = try TestStore(kind, StoreContent.types, preservesValues: true)
        let context = store.context(author: "editor")
        let trip = Trip(name: "Rome", destination: "Italy", startDate: Date(timeIntervalSinceReferenceDate: 1))
        context.insert(trip)
        trip.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        try context.save()
        let (identifier, content) = (trip.persistentModelID, try StoreContent(store.container))
        context.delete(trip)
        try context.save()
        let deletion = try #require(context.fetchHistory(Descriptor()).last)

        let reviewer = store.context(author: "reviewer")
        let plan = try reviewer.revert(deletion)
        #expect(plan.steps.map(\.action) == [.restore, .restore, .restore, .restore])
        #expect(reviewer.insertedModelsArray.count == 4)
        let restored: Trip = try #require(reviewer.registeredModel(for: identifier))
        #expect(restored.name == "Rome")
        #expect(restored.tags == [])
        #expect(restored.bucketList.map(\.title).sorted() == ["Forum", "Pantheon"])
        #expect(restored.livingAccommodation?.placeName == "hotel")
        #expect(restored.livingAccommodation?.trip === restored)
        #expect(restored.modelContext == reviewer)
        // Unsaved changes are part of fetches, and can be changed.
        #expect(try reviewer.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).count == 1)
        restored.note = "again"
        try reviewer.save()

        #expect(restored.persistentModelID == identifier)
        #expect(restored.note == "again")
        #expect(try reviewer.fetch(FetchDescriptor<Trip>()).first === restored)
        #expect(trip.isDeleted)
        var expected = content
        expected.models[identifier]?.values["note"] = "again"
        #expect(try StoreContent(store.container) == expected)
        let last = try #require(reviewer.fetchHistory(Descriptor()).last)
        #expect(last.author == "reviewer")
        #expect(last.changes.count == 4)
        // The next model has another identifier.
        let next = try store.add("Oslo", in: reviewer)[0]
        #expect(next.persistentModelID > identifier)
        // The first context still works with the row.
        try context.merge(try context.fetchHistory(Descriptor()))
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
    }

    @Test(arguments: StoreKind.allCases) func aRestoredModelCanBeRolledBackOrDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let identifier = trip.persistentModelID
        context.delete(trip)
        try context.save()
        let deletion = try #require(context.fetchHistory(Descriptor()).last)
        try context.revert(deletion)
        let first: Trip = try #require(context.registeredModel(for: identifier))
        context.rollback()
        #expect(!context.hasChanges)
        #expect(first.isDeleted)
        #expect(first.modelContext == nil)
        #expect(first.name == "Rome")
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        try context.revert(deletion)
        let second: Trip = try #require(context.registeredModel(for: identifier))
        context.delete(second)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.fetchHistoryCount(Descriptor()) == 2)
        try context.revert(deletion)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.persistentModelID) == [identifier])
    }

    @Test(arguments: StoreKind.allCases) func aRevertOfAReplacedModelExchangesBoth(_ kind: StoreKind) throws {
        // Both models have the same unique values.
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let first = Trip(name: "Rome", destination: "Italy", startDate: date)
        context.insert(first)
        try context.save()
        let identifier = first.persistentModelID
        context.delete(first)
        context.insert(Trip(name: "Rome", destination: "Georgia", startDate: date))
        try context.save()
        try context.revert(#require(context.fetchHistory(Descriptor()).last))
        try context.save()
        let trips = try store.context().fetch(FetchDescriptor<Trip>())
        #expect(trips.map(\.persistentModelID) == [identifier])
        #expect(trips.map(\.destination) == ["Italy"])
    }

    @Test func anotherContextDetectsARestoredModelWhoseUniqueValueIsTakenMeanwhile() throws {
        let store = try TestStore(.file, preservesValues: true)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let trip = Trip(name: "Rome", destination: "Italy", startDate: date)
        context.insert(trip)
        try context.save()
        context.delete(trip)
        try context.save()
        try context.revert(#require(context.fetchHistory(Descriptor()).last))
        let other = store.context()
        other.insert(Trip(name: "Rome", destination: "Georgia", startDate: date))
        try other.save()
        #expect(throws: SwiftDataError.uniquenessViolation) { try context.save() }
        context.rollback()
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.destination) == ["Georgia"])
    }

    @Test(arguments: StoreKind.allCases) func subclassesAndTheirPartsAreRestored(_ kind: StoreKind) throws {
        let store = try TestStore(kind, vehicleModels, preservesValues: true)
        let context = store.context()
        let taxi = Taxi("taxi", seats: 7)
        context.insert(taxi)
        taxi.fare = 3.5
        taxi.parts = [VehiclePart("door"), VehiclePart("wheel")]
        try context.save()
        let identifier = taxi.persistentModelID
        context.delete(taxi)
        try context.save()
        let deletion = try #require(context.fetchHistory(Descriptor()).last)
        try context.revert(deletion)
        try context.save()
        let restored = try #require(store.context().existingModel(for: identifier) as? Taxi)
        #expect((restored.name, restored.seats, restored.fare) == ("taxi", 7, 3.5))
        #expect(restored.parts.map(\.name).sorted() == ["door", "wheel"])
    }

    @Test func aTransactionOfOneOfSeveralStoresIsReverted() throws {
        let directory = try TemporaryDirectory()
        let configurations = [Trip.self, LinkPhoto.self].map { (type: any PersistentModel.Type) in
            ModelConfiguration(
                type.entityName, schema: Schema([type]), url: directory.file("\(type.entityName).store"),
                preservesValues: true)
        }
        let container = try ModelContainer(for: Schema([Trip.self, LinkPhoto.self]), configurations: configurations)
        let context = ModelContext(container)
        let start = try context.currentHistoryToken()
        let (trip, photo) = (Trip(name: "Rome", destination: "Italy"), LinkPhoto("photo"))
        context.insert(trip)
        context.insert(photo)
        try context.save()
        context.delete(trip)
        context.delete(photo)
        try context.save()
        let transactions = try context.fetchHistory(Descriptor())
        let deletion = try #require(
            transactions.last { $0.storeIdentifier == photo.persistentModelID.storeIdentifier })
        try context.revert(deletion)
        try context.save()
        #expect(try context.photos().map(\.persistentModelID) == [photo.persistentModelID])
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        // The rest of all stores.
        try context.revert(between: start, and: context.currentHistoryToken())
        try context.save()
        #expect(try context.photos().isEmpty)
        #expect(throws: SwiftDataError.unsupportedFeature) { try context.undoHistory.undo() }
    }

    // MARK: Bad input

    @Test func aCustomStoreThatCannotRestoreModelsIsAnError() throws {
        let container = try ModelContainer(
            for: Schema([LinkPhoto.self]), configurations: [MemoryStoreConfiguration()])
        let context = ModelContext(container)
        let start = try context.currentHistoryToken()
        let photo = LinkPhoto("photo")
        context.insert(photo)
        try context.save()
        photo.name = "renamed"
        try context.save()
        let (insert, update) = (try context.fetchHistory(Descriptor())[0], try context.fetchHistory(Descriptor())[1])
        #expect(try context.revertPlan(for: update).conflicts.map(\.kind) == [.valueMissing])
        var plan = try context.revertPlan(for: insert)
        plan.resolveAll(with: .restoreOld)
        try context.apply(plan)
        try context.save()
        #expect(try context.photos().isEmpty)
        let end = try context.currentHistoryToken()
        #expect(try context.changes(between: start, and: end).isEmpty)
        #expect(try context.changes(between: insert.token, and: end).map(\.kind) == [.delete])
        #expect(throws: SwiftDataError.unsupportedFeature) { try context.revert(between: insert.token, and: end) }
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases) func aContextWithUnsavedChangesCannotRevert(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        let transaction = try #require(context.fetchHistory(Descriptor()).last)
        let plan = try context.revertPlan(for: transaction)
        trip.note = "unsaved"
        #expect(throws: SwiftDataError.unsavedChanges) { try context.revert(transaction) }
        #expect(throws: SwiftDataError.unsavedChanges) { try context.apply(plan) }
        #expect(throws: SwiftDataError.unsavedChanges) { try context.undoHistory.undo() }
        #expect(trip.note == "unsaved")
    }

    @Test func transactionsThatAreNotPartOfTheHistoryAreErrors() throws {
        let (store, other) = (try TestStore(.file, preservesValues: true), try TestStore(.file, preservesValues: true))
        let context = store.context()
        try other.add("Oslo")
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) { try context.revert(other.history()[0]) }
        try store.add("Rome", "Paris", in: context)
        let transactions = try store.history()
        try context.deleteHistory(Descriptor.before(transactions[0].token))
        #expect(throws: SwiftDataError.historyTokenExpired) { try context.revert(transactions[0]) }
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try context.revert(
                between: DefaultHistoryToken(storeIdentifier: store.store.identifier, position: 0),
                and: transactions[1].token)
        }
        #expect(!context.hasChanges)
    }

    @Test func aReadOnlyContainerPlansButDoesNotSave() throws {
        let store = try TestStore(.file, preservesValues: true)
        try store.add("Rome")
        let container = try ModelContainer(
            for: Schema([Trip.self]), configurations: [ModelConfiguration(url: store.url, allowsSave: false)])
        let context = ModelContext(container)
        let transaction = try #require(context.fetchHistory(Descriptor()).last)
        #expect(try context.revertPlan(for: transaction).steps.map(\.action) == [.delete])
        try context.revert(transaction)
        #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
        context.rollback()
        #expect(throws: SwiftDataError.storeReadOnly) { try context.undoHistory.undo() }
        #expect(!context.hasChanges)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    /// A transaction of another program grows until a save ends it, so it can be read in parts.
    @Test(arguments: StoreKind.allCases, [true, false])
    func aPartOfAnExternalTransactionIsReverted(_ kind: StoreKind, _ isEnded: Bool) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        try store.add("Rome", in: context)
        try store.foreign("UPDATE Trip SET destination = 'first'")
        let start = try context.currentHistoryToken()
        try store.foreign("UPDATE Trip SET note = 'second'")
        let part = try #require(try context.fetchHistory(Descriptor.after(start)).first)
        #expect(part.changes.count == 1)
        try store.foreign("UPDATE Trip SET name = 'third'")
        if isEnded { try store.add("Paris") }
        try context.revert(part)
        let trip = try #require(context.changedModelsArray.first as? Trip)
        #expect(context.changedModelsArray.count == 1)
        #expect(trip.note == nil && trip.destination == "first" && trip.name == "third")
    }

    @Test func aTransactionCanBeFetchedWithoutItsChanges() throws {
        let store = try TestStore(.inMemory, preservesValues: true)
        let context = store.context()
        let trip = try store.add("Rome", in: context)[0]
        trip.note = "note"
        try context.save()
        let transactions = try context.fetchHistoryWithoutChanges(Descriptor())
        try context.revert(transactions[1])
        #expect(trip.note == nil)
        #expect(context.changedModelsArray.count == 1)
    }
}
