import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@Suite struct FetchResultsCollectionTests {
    private let stars = FetchDescriptor<Hotel>(sortBy: [SortDescriptor(\.stars)])

    private func store(_ kind: StoreKind, count: Int) throws -> TestStore {
        let store = try TestStore(kind, [Hotel.self])
        let context = store.context()
        for number in 0..<count { context.insert(Hotel("\(number)", stars: number)) }
        try context.save()
        return store
    }

    @Test(arguments: StoreKind.allCases, [1, 3, 10, .max, 0, -1])
    func elementsAreThoseOfTheFetch(_ kind: StoreKind, batchSize: Int) throws {
        let context = try store(kind, count: 10).context()
        let hotels = try context.fetch(stars, batchSize: batchSize)
        #expect(hotels.count == 10 && hotels.indices == 0..<10)
        #expect(hotels.map(\.name) == (0..<10).map(String.init))
        #expect(
            try context.fetchIdentifiers(stars, batchSize: batchSize).map(\.self) == context.fetchIdentifiers(stars))
        #expect(hotels.reversed().map(\.name) == (0..<10).reversed().map(String.init))
        #expect(hotels[7].name == "7" && hotels.last?.name == "9" && hotels[2..<4].map(\.stars) == [2, 3])
        var page = stars
        (page.fetchOffset, page.fetchLimit) = (4, 3)
        #expect(try context.fetch(page, batchSize: batchSize).map(\.name) == ["4", "5", "6"])
        page.fetchOffset = 10
        let none = try context.fetch(page, batchSize: batchSize)
        #expect(none.isEmpty && none.first == nil)
    }

    /// Models of other batches are released.
    @Test(arguments: StoreKind.allCases) func memoryIsBounded(_ kind: StoreKind) throws {
        let context = try store(kind, count: 40).context()
        let hotels = try context.fetch(stars, batchSize: 4)
        let identifiers = hotels.map(\.persistentModelID)
        var inMemory = 0
        for hotel in hotels {
            #expect(hotel.name == "\(hotel.stars)")
            let loaded = identifiers.count { (context.registeredModel(for: $0) as Hotel?) != nil }
            inMemory = max(inMemory, loaded)
        }
        #expect(inMemory == 8)
    }

    @Test(arguments: StoreKind.allCases) func instancesAreThoseOfTheContext(_ kind: StoreKind) throws {
        let context = try store(kind, count: 6).context()
        let third = try #require(try context.fetch(stars).dropFirst(2).first)
        third.name = "changed"
        let hotels = try context.fetch(stars, batchSize: 2)
        #expect(hotels[2] === third && hotels[2].name == "changed")
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func unsavedModelsAreIncluded(_ kind: StoreKind, isSorted: Bool) throws {
        let context = try store(kind, count: 4).context()
        let new = Hotel("new", stars: 9)
        context.insert(new)
        let hotels = try context.fetch(isSorted ? stars : FetchDescriptor<Hotel>(), batchSize: 2)
        #expect(hotels.map(\.name) == ["0", "1", "2", "3", "new"])
        // The identifier of the model changes.
        try context.save()
        #expect(hotels[0].name == "0" && hotels[2].name == "2" && hotels[4] === new)
    }

    /// The number of elements does not change; the element of a deleted row has no values.
    @Test(arguments: StoreKind.allCases) func deletedRowsHaveNoValues(_ kind: StoreKind) throws {
        let store = try store(kind, count: 6)
        let context = store.context()
        let hotels = try context.fetch(stars, batchSize: 2)
        try store.context().delete(model: Hotel.self, where: #Predicate { $0.stars >= 4 })
        #expect(hotels.count == 6)
        #expect(hotels.map(\.name) == ["0", "1", "2", "3", "", ""])
        #expect(try context.fetch(stars).count == 4)
        try context.save()
    }

    @Test func firstBatchIsLoadedWithTheFetch() throws {
        let store = try store(.file, count: 4)
        try store.shell("UPDATE Hotel SET name = x'00' WHERE stars = 0")
        #expect(throws: SwiftDataError.undecodableValue) { try store.context().fetch(stars, batchSize: 2) }
    }

    /// An access cannot throw, so that the next fetch does.
    @Test func errorsOfLaterBatchesAreThrownByTheNextFetch() throws {
        let store = try store(.file, count: 4)
        let context = store.context()
        let hotels = try context.fetch(stars, batchSize: 2)
        try store.shell("UPDATE Hotel SET name = x'00' WHERE stars = 3")
        #expect(hotels[2].name == "2")
        #expect(hotels[3].name == "")
        #expect(throws: SwiftDataError.undecodableValue) { try context.fetchCount(stars) }
        try store.shell("UPDATE Hotel SET name = 'new' WHERE stars = 3")
        #expect(hotels[3].name == "new")
        // As after any property that could not be read.
        try context.retryFailedLoads()
        try context.save()
    }

    @Test(arguments: StoreKind.allCases) func relationshipsArePrefetchedForEachBatch(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        for name in ["a", "b", "c"] {
            let trip = Trip(name: name, destination: "")
            context.insert(trip)
            trip.bucketList = [BucketListItem(title: name)]
        }
        try context.save()
        var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
        descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
        let reader = store.context()
        let trips = try reader.fetch(descriptor, batchSize: 2)
        let ahead = trips[1]
        try store.context().delete(model: BucketListItem.self)
        #expect(ahead.bucketList.map(\.title) == ["b"])
        #expect(trips[2].bucketList.isEmpty)
        descriptor.relationshipKeyPathsForPrefetching = [\.name]
        #expect(throws: SwiftDataError.unsupportedKeyPath) { try reader.fetch(descriptor, batchSize: 2) }
    }
}
