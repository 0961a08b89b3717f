import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// A container with several stores that contain the same models.
private struct SharedModels {
    let directory: TemporaryDirectory
    let container: ModelContainer
    let context: ModelContext

    var stores: [String] { container.stores.map(\.identifier) }

    init(_ kind: StoreKind, _ types: [any PersistentModel.Type] = [Hotel.self], count: Int = 2) throws {
        let directory = try TemporaryDirectory()
        let configurations = (0..<count).map { index in
            kind == .inMemory
                ? ModelConfiguration("\(index)", isStoredInMemoryOnly: true)
                : ModelConfiguration("\(index)", url: directory.file("\(index).store"), durability: .relaxed)
        }
        self.directory = directory
        container = try ModelContainer(for: Schema(types), configurations: configurations)
        context = ModelContext(container)
    }

    /// Saves hotels in one of the stores, without a context.
    func save(in index: Int, author: String? = nil, _ hotels: [(name: String, stars: Int)]) throws {
        let store = try #require(container.stores[index] as? DefaultStore)
        let entity = try #require(store.schema.entity(for: Hotel.self))
        let snapshots = try hotels.map { name, stars in
            var values = [PropertyValue](repeating: .null, count: entity.storedProperties.count)
            values[try #require(entity.property(named: "name")).slot] = .text(name)
            values[try #require(entity.property(named: "stars")).slot] = .integer(Int64(stars))
            let identifier = Hotel(name, stars: stars).persistentModelID
            return DefaultSnapshot(persistentIdentifier: identifier, values: values, changed: PropertySet())
        }
        let request = DataStoreSaveChangesRequest(
            editingState: EditingState(id: UUID(), author: author), inserted: snapshots, updated: [], deleted: [])
        _ = try store.save(request)
    }

    /// What each store contains.
    func names() throws -> [[String]] {
        try container.stores.map { store in
            let store = try #require(store as? DefaultStore)
            let request = DataStoreFetchRequest<Hotel>(
                descriptor: FetchDescriptor(sortBy: [SortDescriptor(\.name)]), editingState: EditingState(id: UUID()))
            let slot = try #require(store.schema.entity(for: Hotel.self)?.property(named: "name")).slot
            return try store.fetch(request).fetchedSnapshots.map { snapshot in
                guard case .text(let name) = snapshot.values[slot] else { return "" }
                return name
            }
        }
    }
}

@Suite("Models that several stores contain")
struct SharedModelTests {
    @Test(arguments: StoreKind.allCases) func insertsGoToTheFirstStore(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 1, [("Ritz", 5)])
        let hotel = Hotel("Astor", stars: 4)
        shared.context.insert(hotel)
        try shared.context.save()
        #expect(hotel.persistentModelID.storeIdentifier == shared.stores[0])
        #expect(try shared.names() == [["Astor"], ["Ritz"]])
        #expect(shared.container.configurations.count == 2)
    }

    @Test(arguments: StoreKind.allCases) func changesGoToTheStoreOfTheRow(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 0, [("a", 1), ("b", 2)])
        try shared.save(in: 1, [("c", 3), ("d", 4)])
        let hotels = try shared.context.fetch(FetchDescriptor<Hotel>())
        #expect(hotels.map(\.name) == ["a", "b", "c", "d"])
        for hotel in hotels where hotel.name != "d" { hotel.name += "2" }
        shared.context.delete(hotels[3])
        shared.context.insert(Hotel("e", stars: 5))
        try shared.context.save()
        #expect(try shared.names() == [["a2", "b2", "e"], ["c2"]])
        #expect(!shared.context.hasChanges)
        let found = try ModelContext(shared.container).existingModel(for: hotels[2].persistentModelID) as? Hotel
        #expect(found?.name == "c2")
    }

    /// Every page of every fetch is that of one store with all rows.
    @Test(arguments: StoreKind.allCases, [false, true])
    func pagesAreExact(_ kind: StoreKind, hasUnsavedChanges: Bool) throws {
        var random = TestSeed.generator()
        let shared = try SharedModels(kind, count: 3)
        var number = 0
        for store in [0, 1, 2, 1, 0] {
            try shared.save(
                in: store,
                (0..<4).map { _ in
                    number += 1
                    return ("\(number)", Int.random(in: 1...3, using: &random))
                })
        }
        let context = shared.context
        var kept: [Hotel] = []
        if hasUnsavedChanges {
            kept = try context.fetch(FetchDescriptor<Hotel>())
            for hotel in kept where hotel.name.hasSuffix("3") { hotel.stars = Int.random(in: 1...3, using: &random) }
            context.delete(kept[5])
            context.insert(Hotel("new", stars: 2))
        }
        for order in [[], [SortDescriptor(\Hotel.stars)], [SortDescriptor(\Hotel.stars, order: .reverse)]] {
            for predicate in [nil, #Predicate<Hotel> { $0.stars >= 2 }] {
                var descriptor = FetchDescriptor<Hotel>(predicate: predicate, sortBy: order)
                let all = try context.fetch(descriptor)
                #expect(try context.fetchCount(descriptor) == all.count)
                // One row is deleted and one model is new.
                if predicate == nil { #expect(all.count == 20) }
                let stars = all.map(\.stars)
                if let comparator = order.first {
                    #expect(stars == stars.sorted(by: comparator.order == .forward ? (<) : (>)))
                }
                for _ in 0..<12 {
                    let (offset, limit) = (random.below(23), random.below(23))
                    (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
                    let page = Array(all.dropFirst(offset).prefix(limit)).map(\.persistentModelID)
                    #expect(try context.fetch(descriptor).map(\.persistentModelID) == page, "\(TestSeed.description)")
                    #expect(try context.fetchIdentifiers(descriptor) == page, "\(TestSeed.description)")
                    #expect(try context.fetchCount(descriptor) == page.count, "\(TestSeed.description)")
                }
            }
        }
    }

    /// Rows with the same sort values are in the order of the stores.
    @Test(arguments: StoreKind.allCases) func rowsWithoutOrderFollowTheirStores(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 1, [("c", 1), ("d", 2)])
        try shared.save(in: 0, [("a", 1), ("b", 2)])
        let context = shared.context
        #expect(try context.fetch(FetchDescriptor<Hotel>()).map(\.name) == ["a", "b", "c", "d"])
        let stars = FetchDescriptor<Hotel>(sortBy: [SortDescriptor(\.stars)])
        #expect(try context.fetch(stars).map(\.name) == ["a", "c", "b", "d"])
        var names: [String] = []
        try context.enumerate(stars, batchSize: 1) { names.append($0.name) }
        #expect(names == ["a", "c", "b", "d"])
    }

    /// The order is that of the stored values, if the fetch does not include unsaved changes.
    @Test(arguments: StoreKind.allCases) func orderIgnoresUnsavedChanges(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 0, [("a", 1), ("b", 4)])
        try shared.save(in: 1, [("c", 2), ("d", 3)])
        let hotels = try shared.context.fetch(FetchDescriptor<Hotel>())
        hotels[0].stars = 9
        var descriptor = FetchDescriptor<Hotel>(sortBy: [SortDescriptor(\.stars)])
        #expect(try shared.context.fetch(descriptor).map(\.name) == ["c", "d", "b", "a"])
        descriptor.includePendingChanges = false
        #expect(try shared.context.fetch(descriptor).map(\.name) == ["a", "c", "d", "b"])
        #expect(hotels[0].stars == 9)
    }

    @Test(arguments: StoreKind.allCases) func batchDeletesApplyToEveryStore(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 0, [("a", 1), ("b", 5)])
        try shared.save(in: 1, [("c", 1), ("d", 5)])
        let hotels = try shared.context.fetch(FetchDescriptor<Hotel>())
        try shared.context.delete(model: Hotel.self, where: #Predicate { $0.stars == 1 })
        #expect(try shared.names() == [["b"], ["d"]])
        #expect(hotels.map(\.isDeleted) == [true, false, true, false])
    }

    @Test(arguments: StoreKind.allCases) func batchUpdatesAndInsertsApplyToTheStores(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 0, [("a", 1)])
        try shared.save(in: 1, [("b", 1), ("c", 5)])
        let hotels = try shared.context.fetch(FetchDescriptor<Hotel>())
        let isPlain = #Predicate<Hotel> { $0.stars == 1 }
        #expect(try shared.context.update(model: Hotel.self, where: isPlain, set: \.stars, to: 2) == 2)
        #expect(hotels.map(\.stars) == [2, 2, 5])
        #expect(try shared.context.insert(model: Hotel.self, from: [Hotel("d", stars: 3)]) == 1)
        #expect(try shared.names() == [["a", "d"], ["b", "c"]])
    }

    @Test(arguments: StoreKind.allCases) func identifiersSelectRowsOfTheirStore(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        try shared.save(in: 0, [("a", 1)])
        try shared.save(in: 1, [("b", 1)])
        let identifiers = try shared.context.fetchIdentifiers(FetchDescriptor<Hotel>())
        // Both rows have the same primary key.
        #expect(identifiers.map(\.integerPrimaryKey) == [1, 1])
        for (identifier, name) in zip(identifiers, ["a", "b"]) {
            let found = try ModelContext(shared.container).fetch(
                FetchDescriptor<Hotel>(predicate: #Predicate { $0.persistentModelID == identifier }))
            #expect(found.map(\.name) == [name])
        }
    }

    @Test(arguments: StoreKind.allCases) func historyContainsTheChangesOfEveryStore(_ kind: StoreKind) throws {
        let shared = try SharedModels(kind)
        var token = try shared.context.currentHistoryToken()
        try shared.save(in: 1, author: "b", [("b", 1)])
        try shared.save(in: 0, author: "a", [("a", 1)])
        let transactions = try shared.context.fetchHistory(.after(token))
        #expect(transactions.map(\.author) == ["b", "a"])
        token = try #require(transactions.last?.token)
        #expect(try shared.context.fetchHistory(.after(token)).isEmpty)
    }

    // MARK: Relationships

    /// A container with a trip in the second store.
    private func trips() throws -> SharedModels {
        let shared = try SharedModels(.file, [Trip.self])
        let second = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: shared.directory.file("1.store")))
        let context = ModelContext(second)
        let trip = Trip(name: "Rome", destination: "IT")
        context.insert(trip)
        trip.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Ostia")]
        try context.save()
        return shared
    }

    @Test func relationshipsAreLoadedFromTheStoreOfTheirModel() throws {
        let shared = try trips()
        shared.context.insert(Trip(name: "Oslo", destination: "NO"))
        try shared.context.save()
        let trips = try shared.context.fetch(FetchDescriptor<Trip>())
        #expect(trips.map(\.name) == ["Oslo", "Rome"])
        #expect(trips.map { $0.bucketList.map(\.title).sorted() } == [[], ["Forum", "Ostia"]])
        var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.bucketList.contains { $0.title == "Forum" } })
        descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
        let found = try ModelContext(shared.container).fetch(descriptor)
        #expect(found.map(\.name) == ["Rome"] && found[0].bucketList.count == 2)
        shared.context.delete(trips[1])
        try shared.context.save()
        #expect(try ModelContext(shared.container).fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    }

    @Test func relationshipsAcrossStoresAreRejected() throws {
        let shared = try trips()
        let trip = try #require(try shared.context.fetch(FetchDescriptor<Trip>()).first)
        let item = BucketListItem(title: "Pantheon")
        trip.bucketList.append(item)
        let error = #expect(throws: SwiftDataError.self) { try shared.context.save() }
        #expect(error == .modelValidationFailure && error?.entityName == "BucketListItem")
        #expect(error?.propertyName == "trip" && error?.storeName == "0")
        #expect(error?.detail?.contains("relationships cannot cross stores") == true)
        #expect(item.persistentModelID.isTemporary && shared.context.hasChanges)
        // The changes are kept, and the relationship can be corrected.
        item.trip = Trip(name: "Oslo", destination: "NO")
        try shared.context.save()
        #expect(item.persistentModelID.storeIdentifier == shared.stores[0])
        #expect(trip.bucketList.count == 2)
    }

    /// The stores have compared the rows, and not the values that the context has read before.
    @Test func sortsCompareTheCurrentRowsOfDestinations() throws {
        let shared = try SharedModels(.file, [Trip.self])
        let second = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: shared.directory.file("1.store")))
        let other = ModelContext(second)
        let (first, last) = (Trip(name: "b", destination: ""), Trip(name: "c", destination: ""))
        for (trip, context) in [(first, shared.context), (last, other)] {
            trip.bucketList = [BucketListItem(title: "of \(trip.name)")]
            context.insert(trip)
            try context.save()
        }
        let descriptor = FetchDescriptor(sortBy: [SortDescriptor(\BucketListItem.trip?.name)])
        let trips = try shared.context.fetch(FetchDescriptor<Trip>())
        #expect(try shared.context.fetch(descriptor).map(\.title) == ["of b", "of c"])
        last.name = "a"
        try other.save()
        #expect(try shared.context.fetch(descriptor).map(\.title) == ["of c", "of b"])
        #expect(trips.map(\.name) == ["b", "a"])
    }

    @Test func linksAcrossStoresAreRejected() throws {
        let shared = try SharedModels(.file, [LinkItem.self])
        let second = try ModelContainer(
            for: LinkItem.self, configurations: ModelConfiguration(url: shared.directory.file("1.store")))
        let other = ModelContext(second)
        let (item, tag) = (LinkItem("a"), LinkTag("t"))
        other.insert(item)
        item.tags = [tag]
        try other.save()
        let found = try #require(try shared.context.fetch(FetchDescriptor<LinkItem>()).first)
        #expect(found.tags.map(\.name) == ["t"])
        found.tags.append(LinkTag("u"))
        let error = #expect(throws: SwiftDataError.self) { try shared.context.save() }
        #expect(error == .modelValidationFailure && error?.entityName == "LinkItem" && error?.propertyName == "tags")
        shared.context.rollback()
        found.tags = []
        try shared.context.save()
        #expect(try ModelContext(second).fetch(FetchDescriptor<LinkItem>()).first?.tags.isEmpty == true)
    }
}
