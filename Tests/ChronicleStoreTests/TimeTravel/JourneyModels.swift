import Chronicle
import Foundation

/// A hierarchy with every kind of value, and relationships of every kind whose links are recorded at both ends.
@Model class Journey {
    #Unique<Journey>([\.code])
    #Index<Journey>([\.rating])
    var code: String
    var title: String
    var rating = 0
    var score = 0.5
    var note: String?
    var price: Decimal = 1
    var start: Date?
    var place: Spot?
    var traveler: Traveler?
    var topics: [Topic] = []

    init(code: String, title: String) {
        self.code = code
        self.title = title
    }
}

@Model final class GuidedJourney: Journey {
    var guide: String
    var helper: Traveler?

    init(code: String, title: String, guide: String) {
        self.guide = guide
        super.init(code: code, title: title)
    }
}

@Model final class Traveler {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Journey.traveler) var journeys: [Journey] = []
    /// Its own inverse.
    @Relationship(inverse: Traveler.back) var friends: [Traveler] = []
    static var back: AnyKeyPath { \Traveler.friends }
    @Relationship(inverse: \Traveler.pupils) var mentor: Traveler?
    var pupils: [Traveler] = []

    init(name: String) { self.name = name }
}

@Model final class Topic {
    var name: String
    @Relationship(inverse: \Journey.topics) var journeys: [Journey] = []

    init(name: String) { self.name = name }
}

struct Spot: Codable, Hashable, Sendable {
    var city: String
    var floor: Int
}

/// The models of a context as plain values.
struct JourneyState: Equatable {
    private var models: [String] = []
    private var queries: [String] = []

    init(_ context: ModelContext) throws {
        models += try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)])).map(Self.text)
        models += try context.fetch(FetchDescriptor<Traveler>()).map { traveler in
            "\(traveler.persistentModelID) \(traveler.name) \(traveler.journeys.map(\.code).sorted()) "
                + "\(traveler.friends.map(\.name).sorted()) \(traveler.mentor?.name ?? "-") "
                + "\(traveler.pupils.map(\.name).sorted())"
        }
        models += try context.fetch(FetchDescriptor<Topic>()).map { topic in
            "\(topic.persistentModelID) \(topic.name) \(topic.journeys.map(\.code).sorted())"
        }
        try addQueries(context)
    }

    private static func text(_ journey: Journey) -> String {
        let guided = journey as? GuidedJourney
        let values: [any CustomStringConvertible] = [
            journey.persistentModelID, journey.code, journey.title, journey.rating, journey.score,
            journey.note ?? "-", journey.price, journey.start.map { "\($0.timeIntervalSinceReferenceDate)" } ?? "-",
            journey.place.map { "\($0.city) \($0.floor)" } ?? "-", journey.traveler?.name ?? "-",
            journey.topics.map(\.name).sorted(), guided?.guide ?? "-", guided?.helper?.name ?? "-",
        ]
        return values.map(\.description).joined(separator: "|")
    }

    private mutating func addQueries(_ context: ModelContext) throws {
        let oslo = "Oslo"
        try add(context, "rating", #Predicate<Journey> { $0.rating == 3 })
        try add(context, "rating range", #Predicate<Journey> { $0.rating > 1 && $0.rating < 4 }, \.title)
        try add(context, "note", #Predicate<Journey> { $0.note == nil })
        try add(context, "title", #Predicate<Journey> { $0.title.contains("1") || $0.score < 0 }, \.rating)
        try add(context, "price", #Predicate<Journey> { $0.rating >= 0 }, \.price)
        try add(context, "traveler", #Predicate<Journey> { $0.traveler?.name == "t1" })
        try add(context, "mentor", #Predicate<Journey> { $0.traveler?.mentor?.name == "t2" }, \.traveler?.name)
        try add(context, "topics", #Predicate<Journey> { $0.topics.contains { $0.name == "o1" } })
        try add(context, "topic count", #Predicate<Journey> { $0.topics.count > 1 })
        try add(context, "place", #Predicate<Journey> { $0.place?.city == oslo })
        try add(context, "guided", #Predicate<Journey> { $0 is GuidedJourney })
        try add(context, "guide", #Predicate<GuidedJourney> { $0.guide > "g1" }, \.guide)
        try add(context, "helper", #Predicate<GuidedJourney> { $0.helper?.name == "t1" })
        try add(context, "journeys", #Predicate<Traveler> { $0.journeys.count > 1 })
        try add(context, "journey rating", #Predicate<Traveler> { $0.journeys.contains { $0.rating == 2 } })
        try add(context, "friends", #Predicate<Traveler> { $0.friends.contains { $0.name == "t1" } })
        try add(context, "no pupils", #Predicate<Traveler> { $0.pupils.isEmpty }, \.name)
        try add(context, "journey topics", #Predicate<Topic> { $0.journeys.filter { $0.rating > 2 }.count > 0 })
        var limited = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.rating, order: .reverse)])
        (limited.fetchLimit, limited.fetchOffset) = (3, 1)
        queries.append("limit \(try context.fetchIdentifiers(limited)) \(try context.fetchCount(limited))")
        var prefetched = FetchDescriptor<Traveler>()
        prefetched.relationshipKeyPathsForPrefetching = [\.journeys, \.friends, \.mentor]
        queries.append("prefetched \(try context.fetch(prefetched).map(\.journeys.count))")
    }

    private mutating func add<Model: PersistentModel>(
        _ name: String, _ context: ModelContext, _ descriptor: FetchDescriptor<Model>
    ) throws {
        let found = try context.fetch(descriptor).map(\.persistentModelID)
        queries.append("\(name) \(found) \(try context.fetchCount(descriptor))")
        queries.append("\(name) \(try context.fetchIdentifiers(descriptor) == found)")
    }

    private mutating func add<Model: PersistentModel>(
        _ context: ModelContext, _ name: String, _ predicate: Predicate<Model>
    ) throws {
        try add(name, context, FetchDescriptor(predicate: predicate))
    }

    private mutating func add<Model: PersistentModel, Value: Comparable & Sendable>(
        _ context: ModelContext, _ name: String, _ predicate: Predicate<Model>,
        _ sort: any KeyPath<Model, Value> & Sendable
    ) throws {
        try add(name, context, FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(sort)]))
    }

    private mutating func add<Model: PersistentModel, Value: Comparable & Sendable>(
        _ context: ModelContext, _ name: String, _ predicate: Predicate<Model>,
        _ sort: any KeyPath<Model, Value?> & Sendable
    ) throws {
        try add(name, context, FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(sort)]))
    }

    /// The lines that differ from those of another state.
    func differences(from other: JourneyState) -> String {
        (models + queries).difference(from: other.models + other.queries).map { "\($0)" }.joined(separator: "\n")
    }
}
