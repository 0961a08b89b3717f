import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Synchronization
import Testing

/// Contexts load models and relationships with lookups.
@Suite("Lookups")
struct LookupTests {
    enum Support: CaseIterable { case ignores, honors }

    private func context(
        _ support: Support, _ recorder: LookupStore.Recorder
    ) throws -> ModelContext {
        let container = try ModelContainer(
            for: Trip.self, configurations: LookupStore.Configuration(recorder: recorder, support: support))
        let context = ModelContext(container)
        for number in 1...3 {
            let trip = Trip(name: "\(number)", destination: "Rome")
            context.insert(trip)
            trip.livingAccommodation = LivingAccommodation(placeName: "Inn \(number)")
            for item in ["a", "b"] { trip.bucketList.append(BucketListItem(title: "\(item)\(number)")) }
        }
        try context.save()
        recorder.removeAll()
        return ModelContext(container)
    }

    private func trip(_ name: String, _ context: ModelContext) throws -> Trip {
        try #require(try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first)
    }

    @Test("A model by its identifier", arguments: Support.allCases)
    func model(_ support: Support) throws {
        let recorder = LookupStore.Recorder()
        let context = try context(support, recorder)
        let identifier = try trip("2", ModelContext(context.container)).persistentModelID
        recorder.removeAll()
        let found = try #require(try context.existingModel(for: identifier) as? Trip)
        #expect(found.name == "2")
        #expect(recorder.requests == ["Trip identifiers \(identifier)"])
        #expect(context.registeredModels(of: Trip.self) == ["2"], "rows that do not match create no models")
    }

    @Test("A row that does not exist", arguments: Support.allCases)
    func missingRow(_ support: Support) throws {
        let context = try context(support, LookupStore.Recorder())
        let origin = PersistentIdentifier.Origin(
            storeIdentifier: context.container.stores[0].identifier, entityName: "Trip")
        #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: origin.identifier(99)) }
    }

    @Test("Relationships to one model and to many", arguments: Support.allCases)
    func relationships(_ support: Support) throws {
        let recorder = LookupStore.Recorder()
        let context = try context(support, recorder)
        let trip = try trip("2", context)
        recorder.removeAll()
        #expect(trip.livingAccommodation?.placeName == "Inn 2")
        #expect(trip.bucketList.map(\.title).sorted() == ["a2", "b2"])
        let inn = try #require(trip.livingAccommodation).persistentModelID
        #expect(
            recorder.requests == [
                "LivingAccommodation identifiers \(inn)", "BucketListItem references trip \(trip.persistentModelID)",
            ])
    }

    @Test("Prefetching looks up many at once", arguments: Support.allCases)
    func prefetching(_ support: Support) throws {
        let recorder = LookupStore.Recorder()
        let context = try context(support, recorder)
        var descriptor = FetchDescriptor<Trip>()
        descriptor.relationshipKeyPathsForPrefetching = [\.livingAccommodation, \.bucketList]
        let trips = try context.fetch(descriptor)
        let lookups = recorder.requests.filter { !$0.hasSuffix("all") }
        #expect(lookups.map { $0.split(separator: " ")[0] } == ["LivingAccommodation", "BucketListItem"])
        #expect(trips.map { $0.livingAccommodation?.placeName } == ["Inn 1", "Inn 2", "Inn 3"])
        #expect(trips.map { $0.bucketList.map(\.title).sorted() } == [["a1", "b1"], ["a2", "b2"], ["a3", "b3"]])
        #expect(recorder.requests.filter { !$0.hasSuffix("all") } == lookups, "everything was prefetched")
    }

    @Test("Unsaved changes apply after a lookup", arguments: Support.allCases)
    func unsavedChanges(_ support: Support) throws {
        let context = try context(support, LookupStore.Recorder())
        let (first, second) = (try trip("1", context), try trip("2", context))
        let item = try #require(
            try context.fetch(FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "a1" })).first)
        item.trip = second
        #expect(first.bucketList.map(\.title) == ["b1"])
        #expect(second.bucketList.map(\.title).sorted() == ["a1", "a2", "b2"])
        second.name = "changed"
        #expect(try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "changed" })) == 1)
    }

    @Test("Batches of an enumeration", arguments: Support.allCases)
    func enumeration(_ support: Support) throws {
        let recorder = LookupStore.Recorder()
        let context = try context(support, recorder)
        var names: [String] = []
        try context.enumerate(FetchDescriptor(sortBy: [SortDescriptor(\Trip.name)]), batchSize: 2) {
            names.append($0.name)
        }
        #expect(names == ["1", "2", "3"])
        #expect(recorder.requests.count { $0.hasPrefix("Trip identifiers") } == 2)
    }

    /// The store returns rows that are not destinations of the deleted model.
    @Test("Only the edits of deleted rows are dropped", arguments: Support.allCases)
    func conflicts(_ support: Support) throws {
        let context = try context(support, LookupStore.Recorder())
        let (first, second, third) = (try trip("1", context), try trip("2", context), try trip("3", context))
        let item = try #require(second.bucketList.first)
        let other = ModelContext(context.container)
        other.delete(try trip("3", other))
        try other.save()
        context.delete(first)
        item.title = "changed"
        third.note = "lost"
        try context.save()
        #expect(context.lastSaveResult.droppedChanges.map(\.persistentIdentifier) == [third.persistentModelID])
        #expect(!item.isDeleted)
        let reader = ModelContext(context.container)
        #expect(try trip("2", reader).bucketList.contains { $0.title == "changed" })
    }

    @Test func matches() throws {
        let schema = Schema(Trip.self)
        let item = try #require(schema.entity(for: BucketListItem.self))
        let trip = try #require(item.property(named: "trip"))
        func identifier(_ entityName: String, _ key: Int64) -> PersistentIdentifier {
            PersistentIdentifier.Origin(storeIdentifier: "S", entityName: entityName).identifier(key)
        }
        var values = [PropertyValue](repeating: .null, count: item.storedProperties.count)
        func matches(_ lookup: DataStoreLookup) -> Bool {
            lookup.matches(
                DefaultSnapshot(
                    persistentIdentifier: identifier("BucketListItem", 1), values: values, changed: PropertySet()))
        }
        #expect(matches(.identifiers([identifier("BucketListItem", 1)])))
        #expect(!matches(.identifiers([identifier("BucketListItem", 2), identifier("Trip", 1)])))
        #expect(!matches(.identifiers([])))
        #expect(!matches(.references(trip, to: [identifier("Trip", 7)])))
        values[trip.slot] = .reference(identifier("Trip", 7))
        #expect(matches(.references(trip, to: [identifier("Trip", 7), identifier("Trip", 8)])))
        #expect(!matches(.references(trip, to: [identifier("Trip", 8)])))
    }
}

extension ModelContext {
    /// The names of the trips in memory.
    fileprivate func registeredModels(of type: Trip.Type) -> [String] {
        (1...9 as ClosedRange<Int64>).compactMap { key in
            let origin = PersistentIdentifier.Origin(
                storeIdentifier: container.stores[0].identifier, entityName: "Trip")
            return (registeredModel(for: origin.identifier(key)) as Trip?)?.name
        }
    }
}

/// A store that records its requests. It honors lookups, or returns all rows as a store that was written for SwiftData.
private final class LookupStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    final class Recorder: IdentityHashable, Sendable {
        private let state = Mutex<[String]>([])
        var requests: [String] { state.withLock { $0 } }
        func add(_ request: String) { state.withLock { $0.append(request) } }
        func removeAll() { state.withLock { $0 = [] } }
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = LookupStore
        let name = "lookups"
        var schema: Schema?
        let recorder: Recorder
        let support: LookupTests.Support
    }

    let configuration: Configuration
    private let base: MemoryStore
    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        base = try MemoryStore(MemoryStoreConfiguration(), schema: configuration.validatedSchema())
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let text =
            switch request.lookup {
            case .identifiers(let identifiers)?: "identifiers \(text(identifiers))"
            case .references(let property, let identifiers)?: "references \(property.name) \(text(identifiers))"
            case .values(let properties, _)?: "values \(properties.map(\.name).joined(separator: " "))"
            case nil: "all"
            }
        if request.lookup != nil {
            #expect(request.descriptor.predicate == nil && request.descriptor.sortBy.isEmpty)
            #expect(request.descriptor.fetchLimit == nil && request.excludedIdentifiers.isEmpty)
        }
        configuration.recorder.add("\(Model.entityName) \(text)")
        if configuration.support == .honors { return try base.fetch(request) }
        return try base.fetch(
            DataStoreFetchRequest(descriptor: request.descriptor, editingState: request.editingState))
    }

    private func text(_ identifiers: Set<PersistentIdentifier>) -> String {
        identifiers.sorted().map { "\($0)" }.joined(separator: ", ")
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try base.save(request)
    }
}
