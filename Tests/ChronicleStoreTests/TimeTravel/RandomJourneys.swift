import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// Random transactions of several writers.
struct RandomJourneys {
    static let types: [any PersistentModel.Type] = [Journey.self, GuidedJourney.self, Traveler.self, Topic.self]

    let container: ModelContainer
    let store: DefaultStore
    private var random: SplitMix
    private var number = 0

    init(_ container: ModelContainer, _ store: DefaultStore, _ random: SplitMix) {
        (self.container, self.store, self.random) = (container, store, random)
    }

    /// Commits one or several transactions, the last of which may have no header.
    mutating func step() throws {
        let context = ModelContext(container)
        context.author = "writer \(random.below(3))"
        switch random.below(14) {
        case 0..<9:
            for _ in 0..<1 + random.below(4) { try change(context) }
            try context.save()
        case 9:
            let rating = random.below(5)
            try context.update(
                model: Journey.self, where: #Predicate { $0.rating == rating }, set: \.rating, to: random.below(5))
        case 10 where random.below(3) == 0:
            let rating = random.below(5)
            try context.delete(model: Journey.self, where: #Predicate { $0.rating == rating && $0.note == nil })
        default: try writeForeign()
        }
    }

    private mutating func change(_ context: ModelContext) throws {
        let journeys = try context.fetch(FetchDescriptor<Journey>())
        let travelers = try context.fetch(FetchDescriptor<Traveler>())
        let topics = try context.fetch(FetchDescriptor<Topic>())
        number += 1
        let kind = random.below(20)
        if journeys.count < 3 || kind < 3 {
            // A repeated code updates the existing row.
            let code = "c\(random.below(30))"
            let journey =
                random.below(2) == 0
                ? Journey(code: code, title: "j\(number)")
                : GuidedJourney(code: code, title: "j\(number)", guide: "g\(random.below(4))")
            journey.traveler = travelers.isEmpty ? nil : random.pick(travelers)
            guard random.below(2) == 0 || !journeys.contains(where: { $0.code == code }) else { return }
            if journeys.contains(where: { $0.code == code && type(of: $0) != type(of: journey) }) { return }
            context.insert(journey)
            if !topics.isEmpty { journey.topics = [random.pick(topics)] }
        } else if travelers.count < 3 || kind == 3 {
            context.insert(Traveler(name: "t\(random.below(5))"))
        } else if topics.count < 3 || kind == 4 {
            context.insert(Topic(name: "o\(random.below(4))"))
        } else {
            try change(random.pick(journeys), random.pick(travelers), random.pick(topics), kind, context, travelers)
        }
    }

    private mutating func change(
        _ journey: Journey, _ traveler: Traveler, _ topic: Topic, _ kind: Int, _ context: ModelContext,
        _ travelers: [Traveler]
    ) throws {
        switch kind {
        case 5: journey.title = "j\(number)"
        case 6: journey.rating = random.below(5)
        case 7: journey.note = random.below(2) == 0 ? nil : "n\(number)"
        case 8: journey.price = Decimal(random.below(500)) / 100
        case 9: journey.place = random.below(3) == 0 ? nil : Spot(city: random.pick(["Oslo", "Rome"]), floor: number)
        case 10: journey.traveler = random.below(4) == 0 ? nil : traveler
        case 11:
            if let index = journey.topics.firstIndex(where: { $0 === topic }) {
                journey.topics.remove(at: index)
            } else {
                journey.topics.append(topic)
            }
        case 12: traveler.name = "t\(random.below(5))"
        case 13:
            let friend = random.pick(travelers)
            guard friend !== traveler else { return }
            if let index = traveler.friends.firstIndex(where: { $0 === friend }) {
                traveler.friends.remove(at: index)
            } else {
                traveler.friends.append(friend)
            }
        case 14: traveler.mentor = random.below(3) == 0 ? nil : random.pick(travelers)
        case 15: (journey as? GuidedJourney)?.helper = traveler
        case 16: journey.score = random.pick([-0.0, .nan, .infinity, 1.5])
        case 17: context.delete(journey)
        case 18 where random.below(3) == 0: context.delete(traveler)
        case 18: context.delete(topic)
        default: journey.start = Date(timeIntervalSinceReferenceDate: Double(number))
        }
    }

    /// Writes without a header, as other programs do.
    private mutating func writeForeign() throws {
        guard !store.configuration.isStoredInMemoryOnly else { return }
        number += 1
        let sql = random.pick([
            "UPDATE Journey SET title = 'f\(number)' WHERE id % 3 = \(random.below(3))",
            "UPDATE Traveler SET name = 't\(random.below(5))' WHERE id = (SELECT max(id) FROM Traveler)",
            "DELETE FROM Topic WHERE id = (SELECT min(id) FROM Topic) AND id % 2 = 0",
            "DELETE FROM Journey WHERE id = (SELECT max(id) FROM Journey) AND id % 3 = 0",
            "INSERT OR REPLACE INTO Journey(code, title, price) VALUES ('c\(random.below(30))', 'f', '1')",
            "INSERT INTO \"Journey.topics\" SELECT min(Journey.id), max(Topic.id) FROM Journey, Topic HAVING count(*) > 0",
            "DELETE FROM \"Journey.topics\" WHERE owner = (SELECT max(owner) FROM \"Journey.topics\")",
            "INSERT INTO Topic(id, name) SELECT ifnull(max(id), 0) + 5, 'o2' FROM Topic",
            "UPDATE Journey SET traveler = (SELECT max(id) FROM Traveler) WHERE id % 4 = 1",
        ])
        try ForeignProgram(store.configuration.url).write(sql, &random)
    }
}
