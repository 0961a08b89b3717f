import Chronicle
import Foundation
import MemoryStore

final class Trip: PersistentModel {
    @Attribute(.preserveValueOnDeletion, .unique) var name: String
    @Attribute var note: String?
    @Attribute(.preserveValueOnDeletion) var start: Date?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop]

    static let properties: PropertyMap<Trip> = [
        "name": \.name, "note": \.note, "start": \.start, "stops": \.stops,
    ]
    let persistentBackingData: any BackingData<Trip>
    init(backingData: any BackingData<Trip>) { persistentBackingData = backingData }

    init(_ name: String) {
        persistentBackingData = Trip.createBackingData()
        self.name = name
    }
}

final class Stop: PersistentModel {
    @Attribute var place: String
    @Relationship var trip: Trip?

    static let properties: PropertyMap<Stop> = ["place": \.place, "trip": \.trip]
    let persistentBackingData: any BackingData<Stop>
    init(backingData: any BackingData<Stop>) { persistentBackingData = backingData }

    init(_ place: String, of trip: Trip?) {
        persistentBackingData = Stop.createBackingData()
        self.place = place
        self.trip = trip
    }
}

/// A separate store for each test.
struct Fixture {
    let memory = Memory()
    let container: ModelContainer

    init() throws { container = try Self.open(memory) }

    static func open(_ memory: Memory) throws -> ModelContainer {
        try ModelContainer(for: Trip.self, configurations: MemoryStoreConfiguration(memory: memory))
    }

    func context(_ author: String? = nil) -> ModelContext {
        let context = ModelContext(container)
        context.author = author
        return context
    }

    func trip(_ name: String, in context: ModelContext) throws -> Trip? {
        try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first
    }
}
