import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Synchronization
import Testing

@Suite("References in the requests of contexts")
struct ReferenceTests {
    private let schema: Schema
    private let trip = PersistentIdentifier.Origin(storeIdentifier: "S", entityName: "Trip").identifier(7)

    init() throws { schema = Schema(Trip.self) }

    private func reference<Model: PersistentModel>(_ predicate: Predicate<Model>?) -> (String, PersistentIdentifier)? {
        FetchDescriptor<Model>(predicate: predicate).reference(schema).map { ($0.property.name, $0.identifier) }
    }

    @Test func referenceToAModel() throws {
        let trip = trip
        for predicate in [#Predicate<Trip> { $0.persistentModelID == trip }, #Predicate { $0.id == trip }] {
            let (property, identifier) = try #require(reference(predicate))
            #expect(property == "persistentModelID" && identifier == trip)
        }
    }

    @Test func referenceOfModelsToADestination() throws {
        let trip = trip
        let predicates = [
            #Predicate<BucketListItem> { $0.trip?.persistentModelID == trip }, #Predicate { $0.trip?.id == trip },
        ]
        for predicate in predicates {
            let (property, identifier) = try #require(reference(predicate))
            #expect(property == "trip" && identifier == trip)
        }
    }

    @Test func otherPredicatesAreNotReferences() {
        let trip = trip
        #expect(reference(nil as Predicate<Trip>?) == nil)
        #expect(reference(#Predicate<Trip> { $0.persistentModelID != trip }) == nil)
        #expect(reference(#Predicate<Trip> { $0.name == "Rome" && $0.persistentModelID == trip }) == nil)
        #expect(reference(#Predicate<BucketListItem> { $0.trip == nil }) == nil)
        #expect(reference(#Predicate<Trip> { $0.livingAccommodation?.trip?.persistentModelID == trip }) == nil)
        #expect(reference(#Predicate<Trip> { $0.name.count == 4 }) == nil)
    }

    /// An attribute with an identifier is a plain value and not a stored relationship.
    @Test func attributesAreNotReferences() throws {
        let container = try ModelContainer(for: Bookmark.self, configurations: MemoryStoreConfiguration())
        let (context, trip) = (ModelContext(container), trip)
        context.insert(Bookmark(trip))
        try context.save()
        for predicate in [
            #Predicate<Bookmark> { $0.place == trip }, #Predicate { $0.place == trip && $0.place != nil },
        ] {
            #expect(FetchDescriptor<Bookmark>(predicate: predicate).reference(container.schema) == nil)
            #expect(try context.fetchCount(FetchDescriptor<Bookmark>(predicate: predicate)) == 1)
        }
    }

    @Test("Reading relationships sends only requests by reference")
    func contextsRequestOnlyReferences() throws {
        let recorder = RecordingStore.Recorder()
        let container = try ModelContainer(
            for: Trip.self, configurations: RecordingStore.Configuration(recorder: recorder))
        let context = ModelContext(container)
        let trip = try #require(try context.existingModel(for: RecordingStore.trip) as? Trip)
        #expect(trip.bucketList.isEmpty && trip.livingAccommodation == nil)
        try context.save()
        let asked = recorder.asked
        #expect(asked.contains("persistentModelID Trip/1") && asked.contains("trip Trip/1"))
        #expect(!asked.contains("all"))
    }
}

/// A store with one trip that records its requests.
private final class RecordingStore: DataStore {
    typealias Snapshot = DefaultSnapshot

    final class Recorder: IdentityHashable, Sendable {
        private let state = Mutex<[String]>([])
        var asked: [String] { state.withLock { $0 } }
        func note(_ question: String) { state.withLock { $0.append(question) } }
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = RecordingStore
        let name = "recording"
        var schema: Schema?
        let recorder: Recorder
    }

    static let trip = PersistentIdentifier.Origin(storeIdentifier: "recording", entityName: "Trip").identifier(1)
    let configuration: Configuration
    let schema: Schema
    let identifier = "recording"

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        self.schema = schema
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        let reference = request.descriptor.reference(schema)
        configuration.recorder.note(reference.map { "\($0.property.name) \($0.identifier)" } ?? "all")
        guard let reference, reference.property == .identifier, reference.identifier == Self.trip,
            let entity = schema.entitiesByName[Model.entityName]
        else { return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: []) }
        let values = try entity.storedProperties.map { property -> PropertyValue in
            switch property.name {
            case "name", "destination": PropertyValue.text("Rome")
            case "startDate", "endDate": try property.encode(Date.distantPast)
            case "tags": try property.encode([String]())
            default: PropertyValue.null
            }
        }
        return DataStoreFetchResult(
            descriptor: request.descriptor,
            fetchedSnapshots: [DefaultSnapshot(persistentIdentifier: Self.trip, values: values, changed: PropertySet())]
        )
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        throw DataStoreError.unsupportedFeature.with(detail: "saving")
    }
}

private final class Bookmark: PersistentModel {
    @Attribute var place: PersistentIdentifier?
    static let properties: PropertyMap<Bookmark> = ["place": \.place]
    let persistentBackingData: any BackingData<Bookmark>
    init(backingData: any BackingData<Bookmark>) { persistentBackingData = backingData }
    init(_ place: PersistentIdentifier) {
        persistentBackingData = Bookmark.createBackingData()
        self.place = place
    }
}
