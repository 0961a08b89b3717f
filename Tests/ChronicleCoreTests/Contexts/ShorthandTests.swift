import Chronicle
import ChronicleTestSupport
import Testing

/// The short forms of requests for the default types.
@Suite struct ShorthandTests {
    @Test(arguments: StoreKind.allCases)
    func historyIsFetchedAndDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        let trips = try store.add("a", "b", in: context)
        trips[0].name = "c"
        context.insert(LivingAccommodation(placeName: "home"))
        context.delete(trips[1])
        try context.save()
        let transactions = try context.fetchHistory()
        #expect(transactions.count == 3)
        let last = try #require(transactions.last)
        #expect(last.updates(of: Trip.self).map { $0.previousValue(\.name) } == ["a"])
        #expect(last.updates(of: Trip.self).map { $0.value(\.name) } == ["c"])
        #expect(last.deletes(of: Trip.self).map(\.changedPersistentIdentifier) == [trips[1].persistentModelID])
        #expect(last.inserts(of: Trip.self).isEmpty && last.inserts(of: LivingAccommodation.self).count == 1)
        #expect(last.changes(of: Trip.self).count == 2 && last.changes(of: BucketListItem.self).isEmpty)
        #expect(last.changes.count == 3)
        try context.deleteHistory()
        #expect(try context.fetchHistory().isEmpty)
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func modelsHaveTheirClass(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let identifier = try #require(try store.add("a").first).persistentModelID
        let context = store.context()
        #expect(try context.existingModel(for: identifier, as: Trip.self).name == "a")
        let error = try #require(throws: SwiftDataError.self) {
            try context.existingModel(for: identifier, as: BucketListItem.self)
        }
        #expect(error == .modelNotFound && error.description.contains("is a Trip and not a BucketListItem"))
        context.delete(try context.existingModel(for: identifier, as: Trip.self))
        try context.save()
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: identifier, as: Trip.self) }
    }
}
