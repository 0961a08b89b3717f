import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Models retain what they need, and everything without an external reference is released.
@Suite struct LifetimeTests {
    private func saveTrip(_ store: TestStore) throws {
        let context = store.context()
        let trip = Trip(name: "Rome", destination: "Italy")
        trip.bucketList = [BucketListItem(title: "walk"), BucketListItem(title: "eat")]
        trip.livingAccommodation = LivingAccommodation(placeName: "hotel")
        context.insert(trip)
        try context.save()
    }

    /// A trip that is the only owner of its context and container.
    private func trip(_ kind: StoreKind) throws -> (TemporaryDirectory, Trip) {
        let store = try TestStore(kind)
        try saveTrip(store)
        return (store.directory, try #require(try store.context(author: "app").fetch(FetchDescriptor<Trip>()).first))
    }

    @Test(arguments: StoreKind.allCases)
    func modelLoadsRelationshipsAfterItsContextIsReleased(_ kind: StoreKind) throws {
        let (_, trip) = try trip(kind)
        #expect(trip.bucketList.map(\.title) == ["walk", "eat"])
        #expect(trip.livingAccommodation?.trip === trip)
        #expect(trip.bucketList[0].trip === trip)
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreSavedThroughTheContextOfTheModel(_ kind: StoreKind) throws {
        let (_, trip) = try trip(kind)
        trip.note = "changed"
        trip.bucketList[0].title = "run"
        trip.bucketList.append(BucketListItem(title: "sleep"))
        let context = try #require(trip.modelContext)
        #expect(context.author == "app" && context.hasChanges)
        #expect(context.changedModelsArray.count == 2 && context.insertedModelsArray.count == 1)
        try context.save()
        #expect(!context.hasChanges)
        let reader = ModelContext(context.container)
        let read = try #require(try reader.fetch(FetchDescriptor<Trip>()).first)
        #expect(read.note == "changed" && read.bucketList.map(\.title) == ["run", "eat", "sleep"])
        #expect(try reader.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.author == "app")
    }

    @Test(arguments: StoreKind.allCases)
    func bothSidesAgreeAfterTheContextIsReleased(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try saveTrip(store)
        func fetch() throws -> [Trip] {
            let context = store.context()
            context.insert(Trip(name: "Oslo", destination: "Norway"))
            try context.save()
            return try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
        }
        let (oslo, rome) = try { ($0[0], $0[1]) }(fetch())
        let items = rome.bucketList
        items[0].trip = oslo
        #expect(oslo.bucketList == [items[0]] && rome.bucketList == [items[1]])
        oslo.bucketList.append(items[1])
        #expect(items[1].trip === oslo && rome.bucketList.isEmpty)
        try oslo.modelContext?.save()
        #expect(try store.context().fetch(FetchDescriptor<BucketListItem>()).allSatisfy { $0.trip?.name == "Oslo" })
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfReferencedModelsOutliveTheContext(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        func insert() -> Trip {
            let context = store.context()
            let trip = Trip(name: "new", destination: "")
            context.insert(trip)
            return trip
        }
        let trip = insert()
        #expect(trip.hasChanges)
        try trip.modelContext?.save()
        #expect(!trip.hasChanges)
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).map(\.name) == ["new"])
    }

    @Test(arguments: StoreKind.allCases)
    func savingThrowsIfChangesWereReleasedWithTheContext(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try saveTrip(store)
        func change() throws -> Trip {
            let context = store.context()
            let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
            trip.livingAccommodation?.placeName = "tent"
            return trip
        }
        let trip = try change()
        trip.note = "stays"
        let context = try #require(trip.modelContext)
        for _ in 0..<2 {
            let error = #expect(throws: SwiftDataError.missingModelContext) { try context.save() }
            #expect(error?.entityName == "LivingAccommodation")
        }
        context.rollback()
        trip.note = "again"
        try context.save()
        #expect(try store.context().fetch(FetchDescriptor<Trip>()).first?.note == "again")
    }

    @Test(arguments: StoreKind.allCases)
    func savingThrowsIfAnInsertedModelWasReleased(_ kind: StoreKind) throws {
        let (_, trip) = try trip(kind)
        let item = trip.bucketList[0]
        // A reference to a new trip does not retain it.
        item.trip = Trip(name: "new", destination: "")
        let context = try #require(item.modelContext)
        #expect(throws: SwiftDataError.missingModelContext) { try context.save() }
    }

    @Test(arguments: StoreKind.allCases)
    func savingThrowsIfARemovedDestinationWasReleased(_ kind: StoreKind) throws {
        let (_, trip) = try trip(kind)
        trip.bucketList.removeLast()
        let context = try #require(trip.modelContext)
        #expect(throws: SwiftDataError.missingModelContext) { try context.save() }
        context.rollback()
        #expect(trip.bucketList.count == 2)
        let item = trip.bucketList.removeLast()
        try context.save()
        #expect(item.trip == nil && trip.bucketList.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func savingThrowsIfLinksWereReleasedWithTheContext(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [LinkItem.self])
        func change() throws -> LinkItem {
            let context = store.context()
            let item = LinkItem("item", tags: [LinkTag("red")])
            context.insert(item)
            try context.save()
            item.tags = []
            return item
        }
        let item = try change()
        let context = try #require(item.modelContext)
        #expect(throws: SwiftDataError.missingModelContext) { try context.save() }
        context.rollback()
        #expect(item.tags.names == ["red"])
    }

    @Test func contextMayOutliveItsContainer() throws {
        func context() throws -> ModelContext { try TestStore(.inMemory).context() }
        let context = try context()
        context.insert(Trip(name: "Rome", destination: ""))
        try context.save()
        #expect(context.container.stores.count == 1)
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Trip>()) == 1)
    }

    @Test @MainActor func mainContextOfAContainerIsStable() throws {
        func main() throws -> ModelContext { try TestStore(.inMemory).container.mainContext }
        let context = try main()
        #expect(context.container.mainContext === context)
        context.insert(Trip(name: "Rome", destination: ""))
        #expect(context.container.mainContext.hasChanges)
    }

    // MARK: Releasing

    private struct Weak {
        weak var value: AnyObject?
    }

    /// Runs a block, and expects that its result is released when nothing else references it.
    private func expectReleased(
        _ body: () throws -> [AnyObject], _ sourceLocation: SourceLocation = #_sourceLocation
    ) rethrows {
        let objects = try body().map { Weak(value: $0) }
        for (index, object) in objects.enumerated() {
            #expect(object.value == nil, "object \(index)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func contextsAndModelsAreReleased(_ kind: StoreKind, hasChanges: Bool) throws {
        try expectReleased {
            let store = try TestStore(kind)
            try saveTrip(store)
            let context = store.context()
            let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
            let (items, accommodation) = (trip.bucketList, trip.livingAccommodation)
            if hasChanges {
                trip.note = "changed"
                trip.bucketList.append(BucketListItem(title: "new"))
                items[0].trip = Trip(name: "another", destination: "")
                context.delete(items[1])
                accommodation?.trip = nil
                context.insert(Trip(name: "third", destination: ""))
            }
            return [store.container, store.container.stores[0], context, trip] + items
                + [accommodation].compactMap { $0 }
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func linkedModelsAreReleased(_ kind: StoreKind, hasChanges: Bool) throws {
        try expectReleased {
            let store = try TestStore(kind, [LinkItem.self])
            let context = store.context()
            let item = LinkItem("item", tags: [LinkTag("red"), LinkTag("blue")])
            item.friends = [LinkItem("friend")]
            context.insert(item)
            try context.save()
            let (tags, friends) = (item.tags, item.friends)
            #expect(tags[0].items == [item] && friends[0].friends == [item])
            if hasChanges {
                tags[0].items = []
                friends[0].friends.append(LinkItem("another"))
            }
            return [store.container, context, item] + tags + friends
        }
    }

    @Test(arguments: StoreKind.allCases) @MainActor func mainContextIsReleasedWithItsContainer(_ kind: StoreKind)
        throws
    {
        try expectReleased {
            let store = try TestStore(kind)
            let context = store.container.mainContext
            // A scheduled autosave would retain the context.
            context.autosaveEnabled = false
            let trip = Trip(name: "Rome", destination: "")
            context.insert(trip)
            return [store.container, store.container.stores[0], context, trip]
        }
    }

    @Test func prefetchedModelsAreReleasedEventually() throws {
        let store = try TestStore(.inMemory)
        let writer = store.context()
        for number in 0..<4_000 {
            let item = BucketListItem(title: "\(number)")
            item.trip = Trip(name: "\(number)", destination: "")
            writer.insert(item)
        }
        try writer.save()

        let context = store.context()
        var descriptor = FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.persistentModelID)])
        descriptor.fetchLimit = 2_500
        descriptor.relationshipKeyPathsForPrefetching = [\.trip]
        let prefetched = try context.fetch(descriptor)
        let trip = Weak(value: prefetched[0].trip)
        #expect(trip.value != nil)
        descriptor.relationshipKeyPathsForPrefetching = []
        (descriptor.fetchOffset, descriptor.fetchLimit) = (2_500, nil)
        let others = try context.fetch(descriptor)
        #expect(others.count { $0.trip != nil } == 1_500)
        #expect(trip.value == nil)
        withExtendedLifetime(prefetched) {}
    }

    @Test(arguments: StoreKind.allCases) func modelsWithoutAContextAreReleased(_ kind: StoreKind) throws {
        let (_, trip) = try trip(kind)
        weak let item: BucketListItem? = trip.bucketList[0]
        #expect(item != nil)
        trip.bucketList = []
        trip.modelContext?.rollback()
        #expect(item == nil)
    }

    /// A temporary identifier never has a row.
    @Test(arguments: StoreKind.allCases)
    func temporaryIdentifierOfAReleasedModelIsDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind, [GraphNode.self, LinkItem.self])
        let context = store.context()
        let (node, item) = (GraphNode("node"), LinkItem("item"))
        context.insert(node)
        context.insert(item)
        try context.save()
        func identifier(of model: some PersistentModel) -> PersistentIdentifier {
            context.insert(model)
            return model.persistentModelID
        }
        let identifiers = (identifier(of: GraphNode("new")), identifier(of: LinkPhoto("new")))
        context.rollback()
        let gone = try #require(context.model(for: identifiers.0) as? GraphNode)
        #expect(gone.name == "" && gone.isDeleted && gone.modelContext == nil)
        #expect(context.model(for: identifiers.0) === gone)
        gone.name = "changed"
        context.delete(gone)
        #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
        try context.save()

        let photo = try #require(context.model(for: identifiers.1) as? LinkPhoto)
        let changes: [(String, () -> Void)] = [
            ("favourite", { node.favourite = gone }), ("parent", { node.parent = gone }),
            ("children", { node.children.append(gone) }), ("photos", { item.photos = [photo] }),
        ]
        for (propertyName, change) in changes {
            change()
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .modelNotFound && error.propertyName == propertyName)
            #expect(error.entityName == (propertyName == "photos" ? "LinkItem" : "GraphNode"))
            context.rollback()
        }
        let reader = store.context()
        #expect(try reader.fetch(FetchDescriptor<GraphNode>()).map(\.name) == ["node"])
        #expect(try reader.fetch(FetchDescriptor<LinkItem>()).map(\.photos.isEmpty) == [true])
    }

    // MARK: Order

    /// The identifier of the last model is older than those of the others.
    @Test(arguments: StoreKind.allCases, [false, true])
    func insertsKeepTheirOrderAfterTheContextIsReleased(_ kind: StoreKind, isReleased: Bool) throws {
        let store = try TestStore(kind, [LifetimeEntry.self])
        var kept: [ModelContext] = []
        func insert() -> [LifetimeEntry] {
            let context = store.context()
            if !isReleased { kept.append(context) }
            let entries = [LifetimeEntry("1", "first"), LifetimeEntry("2", "other"), LifetimeEntry("1", "second")]
            _ = entries[2].persistentModelID
            for entry in entries { context.insert(entry) }
            return entries
        }
        let entries = insert()
        let context = try #require(entries[0].modelContext)
        #expect(context.insertedModelsArray.map { ($0 as? LifetimeEntry)?.note } == entries.map(\.note))
        try context.save()
        let stored = try store.context().fetch(FetchDescriptor<LifetimeEntry>(sortBy: [SortDescriptor(\.code)]))
        #expect(stored.map(\.note) == ["second", "other"])
    }

    /// Takes minutes if each insert searches the list of pending models.
    @Test func modelsAreDeletedAndInsertedAgain() throws {
        let store = try TestStore(.inMemory, [LifetimeEntry.self])
        let (context, other) = (store.context(), store.context())
        let entries = (0..<50_000).map { LifetimeEntry("\($0)", "") }
        for entry in entries { context.insert(entry) }
        for _ in 0..<3 {
            for entry in entries {
                context.delete(entry)
                context.insert(entry)
            }
        }
        let moved = Set([0, 49_999, 7])
        for index in moved {
            context.delete(entries[index])
            other.insert(entries[index])
        }
        func codes(_ context: ModelContext) -> [String?] {
            context.insertedModelsArray.map { ($0 as? LifetimeEntry)?.code }
        }
        #expect(codes(context) == entries.indices.filter { !moved.contains($0) }.map { "\($0)" })
        #expect(Set(codes(other)) == ["0", "7", "49999"])
        context.delete(entries[1])
        context.insert(entries[1])
        #expect(codes(context).count == 49_997 && codes(context).last == "1")
    }
}

@Model private final class LifetimeEntry {
    @Attribute(.unique) var code: String
    var note: String
    init(_ code: String, _ note: String) { (self.code, self.note) = (code, note) }
}
