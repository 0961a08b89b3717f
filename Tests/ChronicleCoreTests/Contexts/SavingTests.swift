import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Guarantees of a context about its models and saves.
@Suite struct SavingTests {
    @Test(arguments: StoreKind.allCases)
    func saveAssignsPermanentIdentifiers(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        let trip = Trip(name: "Rome", destination: "Italy")
        let before = trip.persistentModelID
        #expect(before.isTemporary)
        #expect(before == trip.persistentModelID)
        context.insert(trip)
        #expect(context.hasChanges && trip.hasChanges)
        #expect(context.insertedModelsArray.count == 1)
        let registered: Trip? = context.registeredModel(for: before)
        #expect(registered === trip)
        try context.save()
        #expect(!context.hasChanges && !trip.hasChanges)
        #expect(trip.persistentModelID.isTemporary == false)
        let after: Trip? = context.registeredModel(for: trip.persistentModelID)
        #expect(after === trip)
        #expect(try context.existingModel(for: trip.persistentModelID) === trip)
    }

    private struct Stop: Error {}

    @Test(arguments: StoreKind.allCases)
    func transactionSavesTheChangesOfItsBlock(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.transaction { context.insert(Trip(name: "Paris", destination: "France")) }
        #expect(!context.hasChanges)
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.changes.count) == [2])
        #expect(throws: Stop.self) {
            try context.transaction {
                context.insert(Trip(name: "Oslo", destination: "Norway"))
                throw Stop()
            }
        }
        #expect(context.insertedModelsArray.count == 1)
        context.rollback()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
    }

    @Test func identifiersAreCodable() throws {
        let store = try TestStore(.file)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        let temporary = trip.persistentModelID
        #expect(try roundTrip(temporary) == temporary)
        context.insert(trip)
        try context.save()
        let decoded = try roundTrip(trip.persistentModelID)
        #expect(decoded == trip.persistentModelID)
        #expect(decoded.hashValue == trip.persistentModelID.hashValue)
        #expect((try ModelContext(store.reopened()).existingModel(for: decoded) as? Trip)?.name == "Rome")
    }

    private func roundTrip(_ identifier: PersistentIdentifier) throws -> PersistentIdentifier {
        try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    }

    @Test(arguments: StoreKind.allCases)
    func contextHasOneInstancePerRow(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        let other = ModelContext(store.container)
        let first = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
        #expect(try other.fetch(FetchDescriptor<Trip>()).first === first)
        #expect(try other.existingModel(for: first.persistentModelID) === first)
    }

    @Test func unreferencedModelsAreReleased() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Trip>()).first)
        let other = ModelContext(store.container)
        weak var forgotten: Trip?
        do {
            let trip = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
            forgotten = trip
            #expect(trip.name == "Rome")
        }
        #expect(forgotten == nil)
        let registered: Trip? = other.registeredModel(for: identifier)
        #expect(registered == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func concurrentChangesOfDifferentAttributesAreMerged(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (a, b) = (store.context(), store.context())
        a.insert(Trip(name: "Rome", destination: "Italy"))
        try a.save()
        let mine = try #require(try a.fetch(FetchDescriptor<Trip>()).first)
        let theirs = try #require(try b.fetch(FetchDescriptor<Trip>()).first)
        mine.name = "Roma"
        theirs.destination = "Italia"
        try a.save()
        try b.save()
        let read = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first)
        #expect(read.name == "Roma" && read.destination == "Italia")
        #expect(mine.destination == "Italy")
        _ = try a.fetch(FetchDescriptor<Trip>())
        #expect(mine.destination == "Italia")
    }

    @Test(arguments: StoreKind.allCases)
    func refetchingKeepsUnsavedChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (a, b) = (store.context(), store.context())
        a.insert(Trip(name: "Rome", destination: "Italy"))
        try a.save()
        let mine = try #require(try a.fetch(FetchDescriptor<Trip>()).first)
        let theirs = try #require(try b.fetch(FetchDescriptor<Trip>()).first)
        mine.name = "unsaved"
        theirs.name = "saved"
        theirs.note = "note"
        try b.save()
        _ = try a.fetch(FetchDescriptor<Trip>())
        #expect(mine.name == "unsaved")
        #expect(mine.note == "note")
        a.rollback()
        #expect(mine.name == "saved")
    }

    @Test(arguments: StoreKind.allCases)
    func updatingADeletedRowThrowsAndKeepsChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let (a, b) = (store.context(), store.context())
        a.insert(Trip(name: "Rome", destination: "Italy"))
        try a.save()
        let mine = try #require(try a.fetch(FetchDescriptor<Trip>()).first)
        b.delete(try #require(try b.fetch(FetchDescriptor<Trip>()).first))
        try b.save()
        mine.name = "Roma"
        a.insert(Trip(name: "Oslo", destination: "Norway"))
        a.mergePolicy = .error
        do {
            try a.save()
            Issue.record("a deleted row was updated")
        } catch let error as SwiftDataError {
            #expect(error == .modelNotFound)
            #expect(error.persistentIdentifier == mine.persistentModelID)
        }
        #expect(a.hasChanges && mine.name == "Roma" && a.insertedModelsArray.count == 1)
        #expect(try b.fetchCount(FetchDescriptor<Trip>()) == 0)
        a.delete(mine)
        try a.save()
        #expect(try b.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo"])
    }

    @Test(arguments: StoreKind.allCases)
    func failedSaveChangesNothing(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let start = Date(timeIntervalSinceReferenceDate: 1)
        context.insert(Trip(name: "Rome", destination: "Italy", startDate: start, endDate: start))
        try context.save()
        let copy = Trip(name: "Rome", destination: "Texas", startDate: start, endDate: start)
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        context.insert(copy)
        context.mergePolicy = .error
        do {
            try context.save()
            Issue.record("two equal trips were saved")
        } catch let error as SwiftDataError {
            #expect(error == .uniquenessViolation)
            #expect(error.entityName == "Trip")
        }
        #expect(context.insertedModelsArray.count == 2)
        #expect(copy.persistentModelID.isTemporary)
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 1)
        copy.name = "Rome, Texas"
        try context.save()
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 3)
    }

    @Test(arguments: StoreKind.allCases, [0, 5, 8, 19, 20])
    func errorNamesTheRejectedModel(_ kind: StoreKind, _ place: Int) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        func trip(_ name: String) -> Trip { Trip(name: name, destination: "", startDate: date, endDate: date) }
        context.insert(trip("taken"))
        try context.save()
        context.mergePolicy = .error
        let trips = (0...20).map { trip($0 == place ? "taken" : "trip \($0)") }
        for trip in trips { context.insert(trip) }
        do {
            try context.save()
            Issue.record("saved the same trip twice")
        } catch let error as SwiftDataError {
            #expect(error == .uniquenessViolation)
            #expect(error.persistentIdentifier == trips[place].persistentModelID)
        }
        trips[place].name = "free"
        try context.save()
        let names = try store.context().fetch(FetchDescriptor<Trip>()).map(\.name)
        #expect(names == ["taken"] + trips.map(\.name))
    }

    @Test(arguments: StoreKind.allCases, [1, 7, 8, 60])
    func triggersOfOtherProgramsMayInsertIntoTheTable(_ kind: StoreKind, _ count: Int) throws {
        let store = try TestStore(kind)
        let context = store.context()
        try store.foreign(
            """
            CREATE TRIGGER twin AFTER INSERT ON Trip WHEN NEW.name NOT LIKE 'twin of%' BEGIN
              INSERT INTO Trip(name, destination, startDate, endDate, tags)
              VALUES ('twin of ' || NEW.name, '', NEW.startDate, NEW.endDate, '[]');
            END
            """)
        let trips = (1...count).map { Trip(name: "\($0)", destination: "") }
        for trip in trips { context.insert(trip) }
        try context.save()
        let keys: [Int64?] = trips.map(\.persistentModelID.integerPrimaryKey)
        let odd: [Int64?] = stride(from: 1, to: Int64(count) * 2, by: 2).map { $0 }
        #expect(keys == odd)
        let other = store.context()
        for trip in trips {
            let row = try other.existingModel(for: trip.persistentModelID) as? Trip
            #expect(row?.name == trip.name)
        }
        #expect(try other.fetchCount(FetchDescriptor<Trip>()) == count * 2)
        // One transaction, including the rows of the trigger.
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(transactions.filter { !$0.isExternal }.map(\.changes.count) == [count * 2])
    }

    @Test(arguments: StoreKind.allCases)
    func uniqueValueCanBeReusedInTheSaveThatDeletesItsModel(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let date = Date(timeIntervalSinceReferenceDate: 1)
        let old = Trip(name: "Rome", destination: "Italy", startDate: date, endDate: date)
        context.insert(old)
        try context.save()
        context.delete(old)
        context.insert(Trip(name: "Rome", destination: "Georgia", startDate: date, endDate: date))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.destination) == ["Georgia"])
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackRestoresTheSavedState(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let (rome, oslo) = (Trip(name: "Rome", destination: "Italy"), Trip(name: "Oslo", destination: "Norway"))
        context.insert(rome)
        context.insert(oslo)
        try context.save()
        let new = Trip(name: "new", destination: "nowhere")
        context.insert(new)
        rome.name = "Roma"
        rome.note = "x"
        context.delete(oslo)
        context.rollback()
        #expect(!context.hasChanges)
        #expect(rome.name == "Rome" && rome.note == nil)
        #expect(!oslo.isDeleted && oslo.modelContext === context)
        #expect(new.modelContext == nil && new.name == "new")
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
    }

    @Test(arguments: StoreKind.allCases) func savedDeleteDetachesTheModel(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        let trips = ["Rome", "Oslo"].map { Trip(name: $0, destination: "") }
        for trip in trips { context.insert(trip) }
        context.processPendingChanges()
        try context.save()
        context.delete(trips[0])
        #expect(trips[0].isDeleted && trips[0].modelContext === context)
        try context.save()
        #expect(trips[0].isDeleted && trips[0].modelContext == nil && trips[0].name == "Rome")
        try context.delete(model: Trip.self)
        #expect(trips[1].isDeleted && trips[1].modelContext == nil)
    }

    @Test func savingAnUnsetAttributeThrows() throws {
        let context = try TestStore(.inMemory, [Unset.self]).context()
        let model = Unset()
        context.insert(model)
        do {
            try context.save()
            Issue.record("saved without a title")
        } catch let error as SwiftDataError {
            #expect(error == .modelValidationFailure)
            #expect(error.entityName == "Unset" && error.propertyName == "title")
        }
        model.title = "set after the insert"
        try context.save()
        #expect(model.subtitle == nil)
    }

    @Test func insertedAndDeletedModelIsNotSaved() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "x")]
        context.insert(trip)
        context.delete(trip)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
        #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func keysAreNotReused(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        let first = Trip(name: "first", destination: "")
        context.insert(first)
        try context.save()
        let identifier = first.persistentModelID
        context.delete(first)
        try context.save()
        let second = Trip(name: "second", destination: "")
        context.insert(second)
        try context.save()
        #expect(second.persistentModelID != identifier)
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: identifier) }
        let gone = try #require(context.model(for: identifier) as? Trip)
        #expect(gone.persistentModelID == identifier && gone.modelContext === context && gone.name == "")
        #expect(context.model(for: identifier) === gone)
        context.insert(gone)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Trip>()) == [second])
    }

    @Test(arguments: StoreKind.allCases)
    func modelExistsForAnyIdentifier(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        #expect(context.model(for: trip.persistentModelID) is Trip, "before the insertion")
        context.insert(trip)
        try context.save()
        let identifier = trip.persistentModelID
        #expect(context.model(for: identifier) === trip)
        let other = store.context()
        #expect((other.model(for: identifier) as? Trip)?.name == "Rome")
        context.delete(trip)
        #expect(context.model(for: identifier) === trip && trip.isDeleted)

        let elsewhere = try TestStore(kind, [RulePerson.self]).context()
        let unknown = elsewhere.model(for: identifier)
        #expect(!(unknown is Trip) && unknown.persistentModelID == identifier)
        #expect(throws: SwiftDataError.unknownSchema) { try elsewhere.fetch(FetchDescriptor<RulePerson>()) }
        #expect(try elsewhere.fetch(FetchDescriptor<RulePerson>()).isEmpty)
    }

    @Test func modelsOfAnotherContextAreRejected() throws {
        let store = try TestStore(.inMemory)
        let (a, b) = (store.context(), store.context())
        let trip = Trip(name: "Rome", destination: "Italy")
        a.insert(trip)
        b.insert(trip)
        #expect(throws: SwiftDataError.contextMismatch) { try b.save() }
        try a.save()
    }

    @Test func modelsWithoutAStoreAreRejected() throws {
        let context = try TestStore(.inMemory).context()
        context.insert(Unset())
        #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
        #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Unset>()) }
    }
}

private final class Unset: PersistentModel {
    @Attribute var title: String
    @Attribute var subtitle: String?
    static let properties: PropertyMap<Unset> = ["title": \.title, "subtitle": \.subtitle]
    let persistentBackingData: any BackingData<Unset>
    init(backingData: any BackingData<Unset>) { persistentBackingData = backingData }
    init() { persistentBackingData = Unset.createBackingData() }
}
