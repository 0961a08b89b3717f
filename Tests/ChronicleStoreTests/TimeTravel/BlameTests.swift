import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The transactions that gave attributes their present values.
@Suite struct BlameTests {
    @Test(arguments: StoreKind.allCases, [true, false])
    func attributesHaveTheirLastTransactions(_ kind: StoreKind, _ isIndexed: Bool) throws {
        let store = try TestStore(kind, [Trip.self, LinkItem.self])
        try store.store.setHistoryIndexedByModel(isIndexed)
        let context = store.context(author: "app")
        let (trip, item) = (Trip(name: "Rome", destination: "Italy"), LinkItem("item"))
        context.insert(trip)
        context.insert(item)
        try context.save()
        (context.author, context.name) = ("widget", "background")
        context.transactionMetadata = ["reason": "edit"]
        (trip.name, trip.note) = ("Roma", "x")
        item.tags = [LinkTag("tag")]
        try context.save()
        context.author = nil
        trip.note = "y"
        try context.save()
        try store.foreign("UPDATE Trip SET destination = 'Italia'")
        // Unsaved changes have no effect.
        trip.startDate = .distantPast

        let blame = try context.blame(trip)
        let history = try store.history()
        #expect(blame.model == trip.persistentModelID && blame.attributeNamesBeforeHistory == [])
        #expect(
            blame.attributeNames == [
                "name", "destination", "startDate", "endDate", "note", "tags", "livingAccommodation",
            ])
        let name = try #require(blame[\.name])
        #expect(name.author == "widget" && name.contextName == "background" && name.metadata == ["reason": "edit"])
        #expect(name.token == history[1].token && name.timestamp == history[1].timestamp)
        #expect(blame[\.startDate]?.author == "app" && blame["endDate"]?.id == history[0].id)
        #expect(blame[\.note]?.id == history[2].id && blame[\.destination]?.isExternal == true)
        #expect(blame[\.bucketList] == nil && blame["bucketList"] == nil && blame["unknown"] == nil)

        let links = try context.blame(item)
        #expect(
            links[\.tags]?.author == "widget" && links[\.name]?.author == "app" && links[\.friends]?.author == "app")
    }

    /// An identifier from a reference names a superclass of the model, and is equal to that of the model.
    @Test(arguments: StoreKind.allCases, [true, false])
    func equalIdentifiersHaveEqualBlame(_ kind: StoreKind, _ isIndexed: Bool) throws {
        let store = try TestStore(kind, vehicleModels)
        try store.store.setHistoryIndexedByModel(isIndexed)
        let context = store.context()
        let car = Car("Beetle")
        context.insert(car)
        try context.save()
        car.seats = 4
        try context.save()
        let identifier = try PersistentIdentifier.identifier(
            for: store.store.identifier, entityName: "Vehicle", primaryKey: Int64(1))
        #expect(identifier == car.persistentModelID)
        let (own, other) = (try context.blame(of: car.persistentModelID), try context.blame(of: identifier))
        #expect(own.attributeNames == other.attributeNames && own.attributeNames.contains("seats"))
        #expect(own.attributeNames.allSatisfy { own[$0]?.id == other[$0]?.id })
    }

    @Test(arguments: StoreKind.allCases)
    func attributesOlderThanTheHistoryAreReported(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        trip.note = "x"
        try context.save()
        let token = try context.currentHistoryToken()
        trip.destination = "y"
        try context.save()
        try context.deleteHistory(Descriptor.before(token))
        let blame = try context.blame(trip)
        #expect(blame[\.destination]?.token == (try context.currentHistoryToken()))
        #expect(blame[\.note] == nil && blame[\.name] == nil)
        #expect(Set(blame.attributeNamesBeforeHistory) == Set(blame.attributeNames).subtracting(["destination"]))
    }

    /// A change that remains before deleted transactions may not be the last one of its attributes.
    @Test func changesBeforeAHoleAreNotUsed() throws {
        let store = try TestStore(.inMemory)
        let context = store.context(author: "a")
        let trip = try store.add("a", in: context)[0]
        context.author = "b"
        trip.note = "x"
        try context.save()
        try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        #expect(try context.history(of: trip).map(\.kind) == [.insert])
        let blame = try context.blame(trip)
        #expect(blame.attributeNamesBeforeHistory == blame.attributeNames)
    }

    @Test(arguments: StoreKind.allCases)
    func aContextWithAPositionDescribesItsValues(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context(author: "first")
        let trip = try store.add("a", in: context)[0]
        // The position is between the changes of another program.
        try store.foreign("UPDATE Trip SET note = 'x'")
        let past = try ModelContext(store.container, asOf: context.currentHistoryToken())
        try store.foreign("UPDATE Trip SET name = 'y'")
        context.author = "second"
        trip.destination = "z"
        try context.save()
        context.delete(trip)
        try context.save()
        let model = try #require(past.fetch(FetchDescriptor<Trip>()).first)
        let blame = try past.blame(model)
        #expect(blame[\.name]?.author == "first" && blame[\.destination]?.author == "first")
        #expect(blame[\.note]?.isExternal == true)
        // The history also contains later changes.
        #expect(try past.history(of: model).last?.kind == .delete)
    }

    @Test func deletedModelHasNoBlame() throws {
        let store = try TestStore(.inMemory)
        let context = store.context()
        let trip = try store.add("a", in: context)[0]
        try store.foreign("DELETE FROM Trip")
        #expect(try failure { try context.blame(trip) } == .modelNotFound)
    }
}
