import Chronicle
import ChronicleTestSupport
import ExampleStore
import Foundation
import Synchronization
import Testing

/// Random changes of models in four stores with saves that fail in between, retries, and rollbacks, compared with plain
/// dictionaries: after every step, both the saved and the unsaved changes are known.
@Suite struct RandomSavesTests {
    @Test(arguments: TestSeed.rounds(6)) func randomSavesMatchPlainStores(_ seed: Int) throws {
        var run = try SavesRun(seed: UInt64(seed))
        for step in 0..<200 {
            let what = try run.step()
            try run.check("seed \(seed), step \(step): \(what)")
        }
    }
}

/// A row of any class: a value and an owner.
private struct PlainRow: Hashable {
    var value = 0
    var owner: Int?
}

/// The rows of the four stores by number.
private typealias PlainStores = [[Int: PlainRow]]

private struct SavesRun {
    private static let count = 4
    private let directory: TemporaryDirectory
    private let container: ModelContainer
    private let context: ModelContext
    /// The stores whose saves fail.
    private let failing = FlakyStore.Switch()
    private var random: SplitMix
    private var now = PlainStores(repeating: [:], count: count)
    private var saved = PlainStores(repeating: [:], count: count)
    private var transactions = Array(repeating: 0, count: count)
    private var models: [Int: any PersistentModel] = [:]
    private var counter = 0

    init(seed: UInt64) throws {
        random = SplitMix(state: seed)
        directory = try TemporaryDirectory()
        let file = directory.file("trips.store")
        container = try ModelContainer(
            for: Trip.self, GraphNode.self, GraphSeat.self, Diary.self,
            configurations: ModelConfiguration("0", schema: Schema(Trip.self), url: file, durability: .relaxed),
            FlakyStore.Configuration(name: "1", schema: Schema(GraphNode.self), failing: failing),
            ModelConfiguration("2", schema: Schema(GraphSeat.self), isStoredInMemoryOnly: true),
            FlakyStore.Configuration(name: "3", schema: Schema(Diary.self), failing: failing))
        context = ModelContext(container)
        context.mergePolicy = .error
    }

    // MARK: Steps

    mutating func step() throws -> String {
        let store = random.below(Self.count)
        let known = now[store].keys.sorted()
        let key = known.isEmpty ? nil : known[random.below(known.count)]
        switch (random.below(20), key) {
        case (..<6, _), (..<13, nil): return add(store, owner: random.below(2) == 0 ? key : nil)
        case (..<10, let key?): return change(store, key)
        case (..<13, let key?): return delete(store, key)
        case (13, _):
            context.rollback()
            #expect(!context.hasChanges)
            now = saved
            return "rollback"
        default: return try save()
        }
    }

    private mutating func add(_ store: Int, owner: Int?) -> String {
        counter += 1
        let (key, value) = (counter, random.below(6))
        var row = PlainRow(value: value)
        let model: any PersistentModel
        switch store {
        case 0:
            let owner = owner.flatMap { models[$0] as? Trip }
            if let owner {
                let item = BucketListItem(title: "\(key)")
                item.trip = owner
                model = item
                row = PlainRow(value: 0, owner: Int(owner.name))
            } else {
                let trip = Trip(name: "\(key)", destination: "")
                trip.note = "\(value)"
                model = trip
            }
        case 1:
            let node = GraphNode("\(key)")
            node.number = value
            node.parent = owner.flatMap { models[$0] as? GraphNode }
            row.owner = owner
            model = node
        case 2: model = GraphSeat(value)
        default: model = Diary("\(key) \(value)")
        }
        context.insert(model)
        now[store][key] = row
        models[key] = model
        return "add \(key) to \(store)"
    }

    private mutating func change(_ store: Int, _ key: Int) -> String {
        // Seat numbers only increase, because SQLite rejects swaps of unique values.
        let value = random.below(6) + (store == 2 ? now[store][key]?.value ?? 0 : 0)
        switch models[key] {
        case let trip as Trip: trip.note = "\(value)"
        case let item as BucketListItem:
            let trips = now[0].keys.filter { models[$0] is Trip }.sorted()
            let trip = trips.isEmpty ? nil : trips[random.below(trips.count)]
            item.trip = trip.flatMap { models[$0] as? Trip }
            now[0][key]?.owner = trip
            return "trip of \(key) = \(trip ?? -1)"
        case let node as GraphNode: node.number = value
        case let seat as GraphSeat: seat.number = value
        case let diary as Diary: diary.text = "\(key) \(value)"
        default: return "nothing"
        }
        now[store][key]?.value = value
        return "\(key) = \(value)"
    }

    private mutating func delete(_ store: Int, _ key: Int) -> String {
        models[key].map { context.delete($0) }
        var gone: Set<Int> = [key]
        while true {
            let more = now[store].filter { $0.value.owner.map(gone.contains) == true }.map(\.key)
            if gone.isSuperset(of: more) { break }
            gone.formUnion(more)
        }
        for key in gone { now[store][key] = nil }
        return "delete \(gone.sorted())"
    }

    // MARK: Saving

    private mutating func save() throws -> String {
        let failing = Set(["1", "3"].filter { _ in random.below(3) == 0 })
        self.failing.names.withLock { $0 = failing }
        defer { self.failing.names.withLock { $0 = [] } }
        var expected: Int?
        for store in 0..<Self.count where now[store] != saved[store] {
            let values = now[store].values.map(\.value)
            if failing.contains("\(store)") || store == 2 && Set(values).count < values.count {
                expected = store
                break
            }
            saved[store] = now[store]
            transactions[store] += 1
        }
        guard let expected else {
            try context.save()
            try #require(!context.hasChanges)
            return "save"
        }
        let error = #expect(throws: (any Error).self) { try context.save() }
        if expected == 2 {
            try #require(
                (error as? SwiftDataError)?.storeName == "2" && error as? SwiftDataError == .uniquenessViolation)
        } else {
            try #require((error as? FlakyStore.Refusal)?.store == "\(expected)")
        }
        try #require(context.hasChanges)
        for key in now[..<expected].joined().map(\.key) { try #require(models[key]?.hasChanges == false) }
        return "save, failed at \(expected)"
    }

    // MARK: Checking

    func check(_ what: String) throws {
        try #require(rows(context) == contents(now), "\(what): in memory")
        let other = ModelContext(container)
        try withExtendedLifetime(other) { try #require(rows(other) == contents(saved), "\(what): stored") }
        // Not the reverse: a value that was set to its saved value is a change until the save.
        if now != saved { try #require(context.hasChanges, "\(what): changes") }
        for store in 0..<Self.count {
            for (key, model) in models where now[store][key] != nil {
                let isNew = saved[store][key] == nil
                try #require(model.persistentModelID.isTemporary == isNew, "\(what): identifier of \(key)")
                if now[store][key] != saved[store][key] { try #require(model.hasChanges, "\(what): \(key)") }
            }
        }
        for (index, store) in container.stores.enumerated() {
            let history = store as? any HistoryProviding<DefaultHistoryTransaction>
            try #require(history?.fetchHistoryCount(HistoryDescriptor()) == transactions[index], "\(what): history")
        }
    }

    /// The content of the stores, without seat numbers, which have no name.
    private func contents(_ stores: PlainStores) -> [[String]] {
        stores.enumerated().map { index, rows in
            rows.map { key, row in
                index == 2 ? "\(row.value)" : "\(key) \(row.value) \(row.owner.map(String.init) ?? "-")"
            }.sorted()
        }
    }

    private func rows(_ context: ModelContext) throws -> [[String]] {
        let trips = try context.fetch(FetchDescriptor<Trip>()).map { "\($0.name) \($0.note ?? "") -" }
        let items = try context.fetch(FetchDescriptor<BucketListItem>()).map { "\($0.title) 0 \($0.trip?.name ?? "-")" }
        return [
            (trips + items).sorted(),
            try context.fetch(FetchDescriptor<GraphNode>())
                .map { "\($0.name) \($0.number) \($0.parent?.name ?? "-")" }.sorted(),
            try context.fetch(FetchDescriptor<GraphSeat>()).map { "\($0.number)" }.sorted(),
            try context.fetch(FetchDescriptor<Diary>()).map { "\($0.text) -" }.sorted(),
        ]
    }
}

/// A ``MemoryStore`` whose saves can be made to fail.
private final class FlakyStore: DataStore, HistoryProviding {
    struct Refusal: Error {
        let store: String
    }

    final class Switch: IdentityHashable, Sendable {
        let names = Mutex<Set<String>>([])
    }

    struct Configuration: DataStoreConfiguration {
        typealias Store = FlakyStore

        let name: String
        var schema: Schema?
        let failing: Switch
    }

    let configuration: Configuration
    private let base: MemoryStore
    var identifier: String { base.identifier }
    var schema: Schema { base.schema }

    init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        let schema = try configuration.validatedSchema()
        self.configuration = configuration
        base = try MemoryStore(MemoryStoreConfiguration(), schema: schema)
    }

    func fetch<Model>(_ request: DataStoreFetchRequest<Model>) throws -> DataStoreFetchResult<Model, DefaultSnapshot> {
        try base.fetch(request)
    }

    func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        if configuration.failing.names.withLock({ $0.contains(configuration.name) }) {
            throw Refusal(store: configuration.name)
        }
        return try base.save(request)
    }

    func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction]
    {
        try base.fetchHistory(descriptor)
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try base.deleteHistory(descriptor)
    }

    func currentHistoryToken() throws -> DefaultHistoryToken? { try base.currentHistoryToken() }
}
