import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCore
@testable import ChronicleStore

/// The history of a model and its parts takes time proportional to the changes, and not to their number times that of the parts.
@Suite struct AggregateSizeTests {
    enum Growth: String, CaseIterable, CustomTestStringConvertible {
        /// One journey moves between two travelers.
        case moving
        /// Each transaction adds a journey.
        case growing
        /// Each transaction adds a friend, which is a link.
        case linking
        /// Each transaction adds a topic of the journeys, which are many.
        case deepening

        var testDescription: String { rawValue }
    }

    private struct Counts {
        var visits: Int
        var comparisons: Int
        var changes: Int
    }

    @Test(arguments: Growth.allCases) func stepsAreProportionalToChanges(_ growth: Growth) throws {
        let (small, large) = (try counts(growth, 60), try counts(growth, 600))
        #expect(large.changes > 8 * small.changes)
        let ratio = Double(large.changes) / Double(small.changes)
        #expect(Double(large.visits) <= 1.2 * ratio * Double(small.visits), "\(small), \(large)")
        // A search in ten times as many ranges takes up to four more comparisons.
        #expect(Double(large.comparisons) <= 2 * ratio * Double(small.comparisons) + 10, "\(small), \(large)")
        #expect(large.comparisons <= 12 * large.changes)
    }

    private func counts(_ growth: Growth, _ count: Int) throws -> Counts {
        let container = try TestStore(.inMemory, RandomJourneys.types, preservesValues: true).container
        let context = ModelContext(container)
        let travelers = [Traveler(name: "a"), Traveler(name: "b")]
        for traveler in travelers { context.insert(traveler) }
        let journeys = (0..<(growth == .deepening ? count / 10 : 1)).map { Journey(code: "\($0)", title: "") }
        for journey in journeys {
            context.insert(journey)
            journey.traveler = travelers[0]
        }
        try context.save()
        for index in 0..<count {
            switch growth {
            case .moving: journeys[0].traveler = travelers[index % 2]
            case .growing:
                let journey = Journey(code: "new \(index)", title: "")
                context.insert(journey)
                journey.traveler = travelers[0]
            case .linking:
                let friend = Traveler(name: "c")
                context.insert(friend)
                travelers[0].friends.append(friend)
            case .deepening:
                let topic = Topic(name: "d")
                context.insert(topic)
                topic.journeys = [journeys[index % journeys.count]]
            }
            try context.save()
        }
        let paths = ["journeys", "friends", "journeys.topics"]
        return try Self.counts(travelers[0].persistentModelID, paths, container)
    }

    /// Reads as `AggregateReader` does.
    private static func counts(
        _ root: PersistentIdentifier, _ paths: [String], _ container: ModelContainer
    ) throws -> Counts {
        let store = try #require(container.stores.first as? DefaultStore)
        let tree = try RelationshipTree(paths, of: root.entityName, container.schema)
        var membership = AggregateMembership(
            root, tree, container.schema, PresentRelationships(store: store))
        let transactions = try ModelContext(container).fetchHistory()
        let changes = transactions.flatMap { transaction in transaction.changes.map { (transaction, $0) } }
        for (number, (transaction, change)) in changes.enumerated() {
            membership.add(change, number, of: transaction)
        }
        var spans = try membership.spans()
        for (number, (_, change)) in changes.enumerated() {
            _ = spans.paths(to: change.changedPersistentIdentifier, at: number)
        }
        return Counts(visits: membership.visits, comparisons: spans.comparisons, changes: changes.count)
    }
}
