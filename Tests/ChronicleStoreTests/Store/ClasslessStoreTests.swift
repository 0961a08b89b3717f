import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A store can be read without its model classes.
@Suite struct ClasslessStoreTests {
    private func open(_ url: URL, allowsSave: Bool = false) throws -> DefaultStore {
        let schema = try DefaultStore.schema(ofFileAt: url)
        return try DefaultStore(
            ModelConfiguration(schema: schema, url: url, allowsSave: allowsSave), migrationPlan: nil)
    }

    private func rows(
        _ store: DefaultStore, _ entity: String, _ identifiers: Set<PersistentIdentifier>? = nil
    ) throws -> [DefaultSnapshot] {
        var rows: [DefaultSnapshot] = []
        try store.fetchRows(ofEntity: entity, identifiers: identifiers) { rows.append($0) }
        return rows
    }

    private func vehicles() throws -> TestStore {
        let test = try TestStore(.file, vehicleModels, preservesValues: true)
        let context = test.context(author: "app")
        for model in [Vehicle("cart"), Car("Beetle"), Taxi("Cab"), Truck("Actros")] {
            context.insert(model)
            try context.save()
        }
        return test
    }

    @Test func rowsIncludeInheritingEntities() throws {
        let store = try open(vehicles().url)
        #expect(
            try rows(store, "Vehicle").map(\.persistentIdentifier.description) == [
                "Vehicle/1", "Car/2", "Taxi/3", "Truck/4",
            ])
        #expect(try rows(store, "Car").map(\.persistentIdentifier.description) == ["Car/2", "Taxi/3"])
        #expect(try ["Vehicle", "Car", "Taxi", "VehiclePart"].map(store.fetchCount(ofEntity:)) == [4, 2, 1, 0])
        let taxi = try #require(try rows(store, "Taxi").first)
        let fare = try #require(store.schema.entitiesByName["Taxi"]?.property(named: "fare"))
        #expect(taxi.values[fare.slot] == .real(2.5))
    }

    @Test func identifiersSelectRows() throws {
        let store = try open(vehicles().url)
        let all = try rows(store, "Vehicle").map(\.persistentIdentifier)
        #expect(try rows(store, "Vehicle", [all[1], all[3]]).map(\.persistentIdentifier) == [all[1], all[3]])
        #expect(try rows(store, "Vehicle", []).isEmpty)
    }

    @Test func rowsAsOfAPosition() throws {
        let test = try vehicles()
        let context = test.context(author: "app")
        let token = try context.currentHistoryToken()
        let cars = try context.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.name)]))
        cars[0].name = "Käfer"
        context.insert(Car("later"))
        try context.save()
        let store = try open(test.url)
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        let name = try #require(store.schema.entitiesByName["Car"]?.property(named: "name"))
        #expect(try rows(past, "Car").map { $0.values[name.slot] } == [.text("Beetle"), .text("Cab")])
        #expect(try rows(store, "Car").map { $0.values[name.slot] } == [.text("Käfer"), .text("Cab"), .text("later")])
        #expect(try past.fetchCount(ofEntity: "Vehicle") == 4)
    }

    @Test func anUnknownEntityIsAnError() throws {
        let store = try open(vehicles().url)
        #expect(throws: SwiftDataError.unknownSchema) { try rows(store, "Boat") }
        #expect(throws: SwiftDataError.unknownSchema) { try store.fetchCount(ofEntity: "Boat") }
    }

    @Test func aContainerReadsTheHistory() throws {
        let test = try vehicles()
        let typed = test.context(author: "app")
        let start = DefaultHistoryToken(
            storeIdentifier: try #require(test.container.stores.first).identifier, position: 0)
        _ = try test.container.historyConsumer(named: "search", startingNewAt: .beginning)
        let container = ModelContainer(forHistoryOf: try open(test.url))
        let context = ModelContext(container)
        let end = try typed.currentHistoryToken()
        #expect(
            try context.changes(between: start, and: end).map(\.persistentIdentifier)
                == typed.changes(between: start, and: end).map(\.persistentIdentifier))
        let statuses: [HistoryConsumerStatus<DefaultHistoryToken>] = try container.historyConsumers()
        #expect(statuses.map(\.name) == ["search"])
        #expect(statuses.first?.lag?.transactions == 4)
        #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Vehicle>()) }
    }

    @Test func blameNeedsNoClass() throws {
        let test = try vehicles()
        let typed = test.context(author: "painter")
        let car = try #require(try typed.fetch(FetchDescriptor<Car>(sortBy: [SortDescriptor(\.name)])).first)
        car.name = "Käfer"
        try typed.save()
        let context = ModelContext(ModelContainer(forHistoryOf: try open(test.url)))
        let blame: ModelBlame<UntypedModel, DefaultHistoryTransaction> = try context.blame(of: car.persistentModelID)
        let expected: ModelBlame<Car, DefaultHistoryTransaction> = try typed.blame(car)
        #expect(blame.attributeNames == expected.attributeNames)
        for name in blame.attributeNames { #expect(blame[name] == expected[name]) }
        #expect(blame["name"]?.author == "painter")
        typed.delete(car)
        try typed.save()
        #expect(throws: SwiftDataError.modelNotFound) {
            let _: ModelBlame<UntypedModel, DefaultHistoryTransaction> = try context.blame(of: car.persistentModelID)
        }
    }

    /// A consumer that starts over receives the identifiers of models without classes.
    @Test func aSnapshotContainsModelsWithoutClasses() throws {
        let test = try vehicles()
        let container = ModelContainer(forHistoryOf: try open(test.url, allowsSave: true))
        let consumer = try container.historyConsumer(named: "shell", startingNewAt: .snapshot)
        var models: [String] = []
        while let batch = try consumer.nextBatch(limit: 2) {
            if case .snapshot(let identifiers) = batch.content { models += identifiers.map(\.description) }
            try consumer.acknowledge(batch)
        }
        #expect(models.sorted() == ["Car/2", "Taxi/3", "Truck/4", "Vehicle/1"])
    }

    @Test func theFormatVersionIsThatOfTheFile() throws {
        let versions = try FixtureFile.all.map { try DefaultStore.formatVersion(ofFileAt: $0.store) }
        #expect(versions == [2])
        #expect(DefaultStore.currentFormatVersion == 2)
        let empty = try TemporaryDirectory().file("empty.store")
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try DefaultStore.formatVersion(ofFileAt: empty) }
        try Data().write(to: empty)
        #expect(try DefaultStore.formatVersion(ofFileAt: empty) == nil)
    }

    /// Pages before a token, newest first, contain every transaction once.
    @Test(arguments: 0..<3)
    func pagesBeforeATokenContainEveryTransaction(_ number: Int) throws {
        var history = try RandomHistory(TestSeed.generator(number))
        for _ in 0..<10 { try history.step() }
        let store = try #require(
            history.store.reopened([BucketListItem.self, Trip.self]).stores.first as? DefaultStore)
        let all = try store.fetchHistoryIdentifiers(Descriptor())
        var found: [Int64] = []
        var last: DefaultHistoryToken?
        while true {
            var descriptor = Descriptor()
            if let last { descriptor.predicate = #Predicate { $0.token < last } }
            descriptor.sortBy = [SortDescriptor(\.token, order: .reverse)]
            descriptor.fetchLimit = 3
            let page = try store.fetchHistoryWithoutChanges(descriptor)
            guard let oldest = page.last else { break }
            found += page.map(\.transactionIdentifier)
            last = oldest.token
        }
        #expect(found == all.reversed(), "\(TestSeed.description)")
    }
}
