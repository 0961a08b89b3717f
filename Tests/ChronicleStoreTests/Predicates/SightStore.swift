import Chronicle
import ChronicleSQL
import Foundation
import Testing

@testable import ChronicleStore

/// A store with some sights. Predicates are evaluated in three ways: in SQL, for models with unsaved changes, and by
/// Foundation.
struct SightStore {
    private let open: PredicateFixture.OpenStore
    let context: ModelContext
    /// A context in which every model has an unsaved change, which does not change its values.
    private let editing: ModelContext
    /// A context of another store with unsaved models that have the same values.
    private let unsaved: (store: PredicateFixture.OpenStore, context: ModelContext, sights: [Sight])
    let regions: [Region]
    let sights: [Sight]

    init(_ fixture: PredicateFixture = .inMemory) throws {
        open = try fixture.open(Schema(Sight.self, Atlas.self))
        context = open.context()
        regions = Self.regions()
        sights = Self.sights(regions, fixture.text)
        Self.insert(sights, regions, into: context)
        for atlas in [Atlas([]), Atlas(["a"]), Atlas(["a", "b"])] { context.insert(atlas) }
        try context.save()
        let other = try fixture.open(Schema(Sight.self, Atlas.self))
        unsaved = (other, other.context(), Self.sights(Self.regions(), fixture.text))
        Self.insert(unsaved.sights, unsaved.sights.compactMap(\.region), into: unsaved.context)
        editing = open.context()
        for sight in try editing.fetch(FetchDescriptor<Sight>()) { sight.name = sight.name }
        for region in try editing.fetch(FetchDescriptor<Region>()) { region.name = region.name }
        for visit in try editing.fetch(FetchDescriptor<Visit>()) { visit.guest = visit.guest }
        for atlas in try editing.fetch(FetchDescriptor<Atlas>()) { atlas.number = atlas.number }
    }

    private static func regions() -> [Region] {
        let europe = Region("Europe")
        let (north, south) = (Region("North", code: 1, parent: europe), Region("South", parent: europe))
        return [europe, north, south, Region("", code: 0)]
    }

    private static func insert(_ sights: [Sight], _ regions: [Region], into context: ModelContext) {
        for sight in sights { context.insert(sight) }
        for region in regions { context.insert(region) }
        for visit in Self.visits(sights) { context.insert(visit) }
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

    /// Expects that a predicate matches the same models in SQL, in memory, and in Foundation, for which it is false if it
    /// force-unwraps nil.
    func agree<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        guard let found = try agreeBeforeAndAfterSave(predicate, location) else { return }
        let expected = try context.fetch(FetchDescriptor<Model>()).filter { model in
            do { return try predicate.evaluate(model) } catch let error as PredicateError
                where error == .forceUnwrapFailure
            {
                return false
            }
        }
        let query = try sqlText(predicate)
        #expect(found == expected.map(\.persistentModelID), "\(predicate) \(query)", sourceLocation: location)
    }

    /// Expects that a predicate matches the same models in SQL and in memory.
    ///
    /// - Returns: The identifiers of the models, or `nil` if the SQL is recorded instead.
    @discardableResult
    func agreeBeforeAndAfterSave<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ location: SourceLocation = #_sourceLocation
    ) throws -> [PersistentIdentifier]? {
        if try SQLRecorder.records(FetchDescriptor(predicate: predicate), in: container) { return nil }
        let found = try context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
        let edited = try editing.fetchIdentifiers(FetchDescriptor(predicate: predicate))
        let query = try sqlText(predicate)
        #expect(found == edited, "unsaved changes: \(predicate) \(query)", sourceLocation: location)
        return found
    }

    /// Expects that a predicate without identifiers matches the same models in memory that were never saved.
    func agreeForUnsavedModels(_ predicate: Predicate<Sight>, _ location: SourceLocation = #_sourceLocation) throws {
        let found = Set(try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
        let unsaved = Set(try unsaved.context.fetch(FetchDescriptor(predicate: predicate)).map { ObjectIdentifier($0) })
        let query = try sqlText(predicate)
        #expect(
            sights.map { found.contains($0.persistentModelID) }
                == self.unsaved.sights.map { unsaved.contains(ObjectIdentifier($0)) },
            "unsaved models: \(predicate) \(query)", sourceLocation: location)
    }

    private func sqlText<Model: PersistentModel>(_ predicate: Predicate<Model>) throws -> String {
        container.stores.first is DefaultStore ? try sql(FetchDescriptor(predicate: predicate)).identifiers.sql : ""
    }

    func sql<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> FetchSQL {
        try FetchSQL(descriptor, schema: container.schema, storeIdentifier: store.identifier)
    }
}
