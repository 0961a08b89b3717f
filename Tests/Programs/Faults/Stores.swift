import Chronicle
import ChronicleSQLite
import ChronicleStore
import ChronicleTestSupport
import Foundation

/// A store in a directory, as an ``Operation`` uses it and a ``Check`` examines it.
protocol StoreUnderTest: AnyObject {
    /// Whether acknowledged changes survive a power failure.
    var isDurable: Bool { get }
    /// Whether SQLite commits by removing a journal. Calls that synchronize and lock follow, whose errors undo nothing.
    var usesJournal: Bool { get }
    var isOpen: Bool { get }
    /// Opens the store, and completes it if it is only partly created.
    func open() throws
    func close()
    func state() throws -> State
    /// Saves one more change.
    ///
    /// - Returns: Whether the store has the change.
    func saveMore() throws -> Bool
    /// Returns descriptions of everything that is wrong with the closed store.
    func verify() throws -> [String]
}

extension StoreUnderTest {
    var usesJournal: Bool { false }
}

/// What must survive.
struct State: Codable, Equatable, CustomStringConvertible {
    var rows: [String: String] = [:]
    /// The number of transactions in the history.
    var transactions = 0
    /// The names of the consumers, and why they are reset.
    var consumers: [String: String] = [:]

    var description: String { "\(rows.count) rows, \(transactions) transactions, consumers \(consumers)" }

    /// Describes how the state differs from another one.
    func difference(from other: State) -> String {
        let keys = Set(rows.keys).union(other.rows.keys).filter { rows[$0] != other.rows[$0] }.sorted()
        let examples = keys.prefix(3).map { "\($0): \(rows[$0] ?? "none") instead of \(other.rows[$0] ?? "none")" }
        return "\(self) instead of \(other); \(keys.count) rows differ: \(examples.joined(separator: "; "))"
    }
}

/// What the seed decides about the files of a round.
struct Variant {
    let isFull: Bool
    let recorder: ModelConfiguration.Recorder
    let tripCount: Int
    /// Notes of several thousand bytes fill pages of their own.
    let noteLength: Int
    /// Whether the operation begins with changes in the write-ahead log, as after a process was killed.
    let leavesLog: Bool
    let journalMode: String

    init(_ random: inout SplitMix) {
        isFull = random.below(3) > 0
        recorder = random.pick(ModelConfiguration.Recorder.allCases)
        tripCount = 8 + random.below(24)
        noteLength = random.pick([10, 200, 5_000])
        leavesLog = random.below(2) == 0
        journalMode = random.pick(["DELETE", "WAL", "TRUNCATE", "PERSIST"])
    }

    var note: String { String(repeating: "note ", count: noteLength / 5) }
}

// MARK: - Models

@Model final class Trip {
    #Unique<Trip>([\.name])
    var name: String
    var number: Int
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    var tags: [Tag] = []

    init(_ name: String, _ number: Int) {
        self.name = name
        self.number = number
    }
}

@Model final class Stop {
    @Attribute(.unique) var title: String
    var trip: Trip?

    init(_ title: String) { self.title = title }
}

@Model final class Tag {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Trip.tags) var trips: [Trip] = []

    init(_ name: String) { self.name = name }
}

/// The trace of a change that a consumer processed.
@Model final class Receipt {
    @Attribute(.unique) var change: Int64

    init(_ change: Int64) { self.change = change }
}

/// A store with models. Subclasses have other models or another configuration.
class ModelStore: StoreUnderTest {
    let url: URL
    let variant: Variant
    private var container: ModelContainer?

    init(_ url: URL, _ variant: Variant) { (self.url, self.variant) = (url, variant) }

    var isDurable: Bool { variant.isFull }
    var isOpen: Bool { container != nil }

    var configuration: ModelConfiguration {
        var configuration = ModelConfiguration(
            url: url, durability: variant.isFull ? .full : .relaxed, preservesValues: true,
            busyTimeout: .milliseconds(100))
        configuration.recorder = variant.recorder
        return configuration
    }

    func makeContainer() throws -> ModelContainer {
        try ModelContainer(for: Self.schema, configurations: [configuration])
    }

    static let schema = Schema([Trip.self, Stop.self, Tag.self, Receipt.self])

    func open() throws { container = try makeContainer() }

    func close() { container = nil }

    func opened() throws -> ModelContainer {
        if container == nil { try open() }
        guard let container else { throw SwiftDataError.storeFailure }
        return container
    }

    func store() throws -> DefaultStore {
        guard let store = try opened().stores.first as? DefaultStore else { throw SwiftDataError.storeFailure }
        return store
    }

    func state() throws -> State {
        var state = State(rows: try rows(in: opened()))
        state.transactions = try store().historyStatistics().transactions
        for consumer in try opened().historyConsumers(of: DefaultHistoryTransaction.self) {
            state.consumers[consumer.name] = consumer.resetReason.map { "\($0)" } ?? "-"
        }
        return state
    }

    func rows(in container: ModelContainer) throws -> [String: String] {
        let context = ModelContext(container)
        var rows: [String: String] = [:]
        for trip in try context.fetch(FetchDescriptor<Trip>()) {
            rows["trip \(trip.name)"] = "\(trip.number) \(trip.note?.count ?? -1) \(trip.tags.map(\.name).sorted())"
        }
        for stop in try context.fetch(FetchDescriptor<Stop>()) { rows["stop \(stop.title)"] = stop.trip?.name ?? "-" }
        for tag in try context.fetch(FetchDescriptor<Tag>()) { rows["tag \(tag.name)"] = "" }
        for receipt in try context.fetch(FetchDescriptor<Receipt>()) { rows["receipt \(receipt.change)"] = "" }
        return rows
    }

    func saveMore() throws -> Bool {
        let context = ModelContext(try opened())
        context.insert(Trip("more", 1))
        try context.save()
        let predicate = #Predicate<Trip> { $0.name == "more" }
        return try ModelContext(opened()).fetchCount(FetchDescriptor(predicate: predicate)) == 1
    }

    func verify() throws -> [String] {
        var problems: [String] = []
        try DefaultStore.verify(fileAt: url) { problems.append("\($0.kind.rawValue): \($0)") }
        return problems
    }
}

/// A store whose opening migrates it through two versions, in stages that save often.
final class MigratedStore: ModelStore {
    func makeFirstVersion() throws {
        let context = ModelContext(
            try ModelContainer(for: Schema(versionedSchema: TravelSchemaV1.self), configurations: configuration))
        let guide = TravelSchemaV1.Person(name: "Ada")
        for number in 0..<variant.tripCount / 3 {
            let trip = TravelSchemaV1.Trip(name: "Rome", days: number)
            context.insert(trip)
            trip.guide = guide
        }
        try context.save()
    }

    override func makeContainer() throws -> ModelContainer {
        try ModelContainer(
            for: TravelSchemaV3.Journey.self, migrationPlan: TravelMigrationPlan.self, configurations: configuration)
    }

    override func rows(in container: ModelContainer) throws -> [String: String] {
        var rows: [String: String] = [:]
        for journey in try ModelContext(container).fetch(FetchDescriptor<TravelSchemaV3.Journey>()) {
            rows["journey \(journey.name)"] = "\(journey.hours) \(journey.guides.map(\.name))"
        }
        return rows
    }

    override func saveMore() throws -> Bool {
        let context = ModelContext(try opened())
        context.insert(TravelSchemaV3.Journey(name: "more"))
        try context.save()
        let predicate = #Predicate<TravelSchemaV3.Journey> { $0.name == "more" }
        return try ModelContext(opened()).fetchCount(FetchDescriptor(predicate: predicate)) == 1
    }
}

/// A database of another program, whose changes may be recorded.
final class TrackedStore: StoreUnderTest {
    let url: URL
    let variant: Variant
    private var connection: Connection?

    init(_ url: URL, _ variant: Variant) { (self.url, self.variant) = (url, variant) }

    /// In the mode DELETE, the journal can reappear after a power failure, and undo what the program wrote. See
    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    var isDurable: Bool { variant.journalMode != "DELETE" }
    var usesJournal: Bool { variant.journalMode != "WAL" }
    var isOpen: Bool { connection != nil }
    var database: TrackedDatabase { TrackedDatabase(url: url, busyTimeout: .milliseconds(100)) }

    func open() throws {
        do {
            let connection = try Connection(path: url.path, mode: .readWriteCreate, busyTimeout: .milliseconds(100))
            try connection.execute("PRAGMA journal_mode = \(variant.journalMode)")
            self.connection = connection
        } catch { throw Self.typed(error) }
    }

    func close() {
        connection?.close()
        connection = nil
    }

    func execute(_ sql: String) throws {
        if connection == nil { try open() }
        do { try connection?.execute(sql) } catch { throw Self.typed(error) }
    }

    /// The program is another one, whose errors are not examined.
    private static func typed(_ error: any Error) -> SwiftDataError {
        SwiftDataError.storeFailure.with(detail: "\(error)", underlying: error)
    }

    private var isTracked: Bool {
        get throws {
            try connection?.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE name = 'chronicle_change'") == 1
        }
    }

    func state() throws -> State {
        if connection == nil { try open() }
        guard let connection else { throw SwiftDataError.storeFailure }
        var state = State()
        let statement = try connection.prepare("SELECT name, number FROM item")
        defer { statement.reset() }
        while try statement.step() { state.rows["item \(statement.text(0))"] = statement.text(1) }
        let objects = try connection.scalarInt64(
            "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'chronicle%' OR tbl_name LIKE 'chronicle%'")
        state.rows["objects of the history"] = "\(objects ?? -1)"
        guard try isTracked else { return state }
        // The rows that the triggers wrote, without those that begin and end the recording.
        let changes = try connection.scalarInt64("SELECT count(*) FROM chronicle_change WHERE kind > 0")
        state.transactions = Int(changes ?? -1)
        return state
    }

    func saveMore() throws -> Bool {
        try execute("INSERT OR REPLACE INTO item(name, number) VALUES ('more', 1)")
        return try connection?.scalarInt64("SELECT count(*) FROM item WHERE name = 'more'") == 1
    }

    func verify() throws -> [String] {
        let connection = try Connection(path: url.path, mode: .readOnly)
        let result = try connection.scalarText("PRAGMA integrity_check")
        let isTracked = try connection.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE name = 'chronicle_change'")
        connection.close()
        guard result == "ok" else { return ["integrity: \(result ?? "none")"] }
        return isTracked == 1 ? try ModelStore(url, variant).verify() : []
    }
}
