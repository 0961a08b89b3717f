import Chronicle
import ChronicleSQL
import Foundation
import Testing

@testable import ChronicleStore

/// A store with some sights. Predicates are evaluated in both ways: in SQL and by Foundation.
struct SightStore {
    private let open: PredicateFixture.OpenStore
    let context: ModelContext
    let regions: [Region]
    let sights: [Sight]

    init(_ fixture: PredicateFixture = .inMemory) throws {
        open = try fixture.open(Schema(Sight.self, Atlas.self))
        context = open.context()
        let europe = Region("Europe")
        let (north, south) = (Region("North", code: 1, parent: europe), Region("South", parent: europe))
        regions = [europe, north, south, Region("", code: 0)]
        sights = Self.sights(regions, fixture.text)
        for sight in sights { context.insert(sight) }
        for region in regions { context.insert(region) }
        for visit in Self.visits(sights) { context.insert(visit) }
        for atlas in [Atlas([]), Atlas(["a"]), Atlas(["a", "b"])] { context.insert(atlas) }
        try context.save()
    }

    private static func sights(_ regions: [Region], _ text: (String) -> String) -> [Sight] {
        func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        return [
            Sight("Tower", note: "high", rank: 3, score: 10, cost: 12.5, discount: 0.5, isOpen: true),
            Sight("tower", rank: -3, cost: -0.0, opened: date(7), isFree: true, kind: .park, region: regions[0]),
            Sight("", note: "", rank: 1, score: 0, cost: .nan, discount: .nan, opened: date(.nan), isFree: false),
            Sight("Bridge", note: "Tower", rank: 2, score: -5, cost: .infinity, isOpen: true, region: regions[1]),
            Sight(
                text("Br\0idge%_"), note: text("a\0b"), rank: 4, cost: -.infinity, discount: -.infinity,
                region: regions[2]),
            Sight("Ärger", note: "é", rank: 2, score: 7, discount: 2, kind: .bridge, region: regions[3]),
            Sight("Park \u{10FFFF}", rank: 0, cost: 1e300, closed: date(100), isOpen: true, region: regions[1]),
            Sight("Par", note: "Par", rank: 7, score: 7, cost: 3, discount: 3, closed: date(0), kind: .park),
        ]
    }

    private static func visits(_ sights: [Sight]) -> [Visit] {
        [
            Visit("Ann", 5, of: sights[0]), Visit("Bob", 1, remark: "cold", of: sights[0]),
            Visit("Ann", 3, of: sights[1]), Visit("Cid", 4, remark: "", of: sights[3]),
            Visit("Ann", 5, remark: "cold", of: sights[3]), Visit("Dan", 2, of: nil),
        ]
    }

    var container: ModelContainer { open.container }

    var store: DefaultStore {
        get throws { try #require(container.stores.first as? DefaultStore) }
    }

    /// Expects that a predicate matches the same models in SQL as in memory.
    func agree<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        if try SQLRecorder.records(FetchDescriptor(predicate: predicate), in: container) { return }
        let found = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
        let expected = try context.fetch(FetchDescriptor<Model>()).filter { try predicate.evaluate($0) }
        let query =
            container.stores.first is DefaultStore ? try sql(FetchDescriptor(predicate: predicate)).identifiers : ""
        #expect(found == expected.map(\.persistentModelID), "\(predicate) \(query.sql)", sourceLocation: location)
    }

    func sql<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> FetchSQL {
        try FetchSQL(descriptor, schema: container.schema, storeIdentifier: store.identifier)
    }
}
