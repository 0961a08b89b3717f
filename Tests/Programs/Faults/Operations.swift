import Chronicle
import ChronicleFaultShim
import ChronicleTestSupport
import Foundation

/// Something that is interrupted. It can be repeated: the rows are then what they are after one complete run.
struct Operation: Sendable {
    /// What an interruption may leave.
    enum Guarantee: Sendable {
        /// The state after a step.
        case steps
        /// The rows after a step, with a part of the history of the step before.
        case rows
        /// Anything from which another run gets to the same result.
        case resumption
    }

    let name: String
    let guarantee: Guarantee
    /// Whether a step that throws an error has changed nothing.
    var isAtomic = true
    /// Makes the store in a directory.
    let makeStore: @Sendable (URL, Variant) -> any StoreUnderTest
    /// Makes the files with which the operation begins.
    let prepare: @Sendable (any StoreUnderTest) throws -> Void
    /// Runs the operation with an open store. Each call of `Steps` is one change that is acknowledged when it returns.
    let run: @Sendable (any StoreUnderTest, Steps) throws -> Void
    /// Checks the other results of an operation that succeeded.
    var checkResult: @Sendable (any StoreUnderTest) throws -> String? = { _ in nil }
}

/// Counts the steps of an operation that began and that were acknowledged.
final class Steps {
    private let report: UnsafeMutablePointer<fault_report>?
    /// Returns the state after each step, in the run to compare with.
    var capture: (() throws -> State)?
    private(set) var states: [State] = []

    /// Whether the operation may have been run before.
    var isRepetition: Bool { report == nil }

    /// - Parameter report: The numbers to update, or `nil` to count nothing.
    init(_ report: UnsafeMutablePointer<fault_report>?) {
        self.report = report
        report?.pointee.begun = 0
        report?.pointee.acknowledged = 0
    }

    func callAsFunction(_ body: () throws -> Void) throws {
        if let report {
            report.pointee.begun = report.pointee.acknowledged + 1
            fault_mark(report.pointee.begun, report.pointee.acknowledged)
        }
        try body()
        if let report {
            report.pointee.acknowledged = report.pointee.begun
            fault_mark(report.pointee.begun, report.pointee.acknowledged)
        }
        if let capture { states.append(try capture()) }
    }
}

extension Operation {
    static let all = unsealed + sealed

    private static let unsealed: [Operation] = [
        models("save") { store, container, step in
            let note = store.variant.note
            try save(container, step) { context in
                let trip = Trip("new", 1)
                context.insert(trip)
                trip.stops = (0..<3).map { Stop("new \($0)") }
                trip.tags = [Tag("new")]
            }
            try save(container, step) { context in
                for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.number % 3 == 0 })) {
                    trip.note = note + "!"
                }
            }
            // Upserts, because the names are unique.
            try save(container, step) { context in for number in 1..<4 { context.insert(Trip("t\(number)", 7_000)) } }
            try save(container, step) { context in
                for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.number == 7_000 })) {
                    context.delete(trip)
                }
            }
        },
        models("acknowledge") { _, container, step in
            let filter = HistoryFilter(models: [Trip.self], authors: .except(["receipts"]))
            var created: HistoryConsumer<DefaultHistoryTransaction>?
            try step {
                created = try container.historyConsumer(named: "receipts", filter: filter, startingNewAt: .beginning)
            }
            guard let consumer = created else { return }
            defer { consumer.release() }
            while let batch = try consumer.nextBatch(limit: 12) {
                try step {
                    let context = ModelContext(container)
                    context.author = "receipts"
                    // A second receipt for a change is an error.
                    context.mergePolicy = .error
                    for change in try batch.changes {
                        if let number = change.changeIdentifier { context.insert(Receipt(number)) }
                    }
                    try context.save(acknowledging: batch)
                }
            }
        },
        models("batch") { _, container, step in
            for limit in [3, 6] {
                try step {
                    try ModelContext(container).delete(model: Trip.self, where: #Predicate { $0.number < limit })
                }
            }
        },
        models("purge", .rows, isAtomic: false) { store, container, step in
            try step {
                let store = try store.store()
                let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: 10), at: .now)
                while try !store.purgeHistory(plan).isLast {}
            }
        },
        models("compact", .rows) { store, _, step in try step { try store.store().compact() } },
        models("erase", isAtomic: false) { store, _, step in try step { try store.store().erase() } },
        models("erase-values", .rows, isAtomic: false) { store, _, step in
            try step { try store.store().erasePreservedValues(ofEntityNamed: "Trip") }
        },
        models("erase-by-rule", .rows, isAtomic: false) { store, _, step in
            try step {
                let store = try store.store()
                let rule = PreservedValueRule(Trip.self, maximumAge: .zero)
                let plan = try store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
                while try !store.purgeHistory(plan).isLast {}
            }
        },
        models("export", checkResult: replay) { store, container, step in
            try step {
                let path = exportURL(store).path
                guard FileManager.default.createFile(atPath: path, contents: nil),
                    let file = FileHandle(forWritingAtPath: path)
                else { throw SwiftDataError.storeFailure }
                try container.exportHistory(to: file)
                do { try file.close() } catch { throw SwiftDataError.storeFailure.with(underlying: error) }
            }
        },
        Operation(
            name: "import", guarantee: .resumption, makeStore: { ModelStore($0.appending(path: "replica"), $1) },
            prepare: { store in
                guard let store = store as? ModelStore else { return }
                let source = ModelStore(store.url.deletingLastPathComponent().appending(path: "source"), store.variant)
                try fill(source)
                let file = exportURL(store)
                try Data().write(to: file)
                try source.opened().exportHistory(to: try FileHandle(forWritingTo: file))
                source.close()
                for name in ["source", "source-wal", "source-shm", "source-events", "source-consumers"] {
                    unlink(store.url.deletingLastPathComponent().appending(path: name).path)
                }
            },
            run: { store, step in
                guard let store = store as? ModelStore else { return }
                try step {
                    guard let file = FileHandle(forReadingAtPath: exportURL(store).path) else {
                        throw SwiftDataError.storeFailure
                    }
                    try store.opened().replayHistory(from: file)
                }
            }),
        Operation(
            name: "create", guarantee: .steps, makeStore: { ModelStore($0.appending(path: "new"), $1) },
            prepare: { _ in },
            run: { store, step in
                guard let store = store as? ModelStore else { return }
                try save(store.opened(), step) { $0.insert(Trip("first", 1)) }
            }),
        Operation(
            name: "migrate", guarantee: .rows, makeStore: { MigratedStore($0.appending(path: "store"), $1) },
            prepare: { if let store = $0 as? MigratedStore { try store.makeFirstVersion() } },
            // The opening is the operation.
            run: { _, _ in }),
        tracked("track", isTracked: false) { store, step in
            try step { try store.database.track() }
            try write(store, step)
        },
        tracked("tracked-writes", isTracked: true) { store, step in try write(store, step) },
        tracked("untrack", isTracked: true) { store, step in
            try step {
                do { try store.database.untrack() } catch let error as SwiftDataError
                    where error == .unsupportedFeature && step.isRepetition
                {}
            }
        },
    ]

    private static func models(
        _ name: String, _ guarantee: Guarantee = .steps, isAtomic: Bool = true,
        checkResult: @escaping @Sendable (any StoreUnderTest) throws -> String? = { _ in nil },
        _ run: @escaping @Sendable (ModelStore, ModelContainer, Steps) throws -> Void
    ) -> Operation {
        Operation(
            name: name, guarantee: guarantee, isAtomic: isAtomic,
            makeStore: { ModelStore($0.appending(path: "store"), $1) },
            prepare: { if let store = $0 as? ModelStore { try fill(store) } },
            run: { if let store = $0 as? ModelStore { try run(store, store.opened(), $1) } }, checkResult: checkResult)
    }

    private static func tracked(
        _ name: String, isTracked: Bool, _ run: @escaping @Sendable (TrackedStore, Steps) throws -> Void
    ) -> Operation {
        Operation(
            name: name, guarantee: .steps, makeStore: { TrackedStore($0.appending(path: "items.db"), $1) },
            prepare: { store in
                guard let store = store as? TrackedStore else { return }
                try store.execute("CREATE TABLE item(name TEXT PRIMARY KEY, number INTEGER, note TEXT)")
                if isTracked { try store.database.track() }
                for number in 0..<store.variant.tripCount {
                    try store.execute("INSERT INTO item VALUES ('i\(number)', \(number), '\(store.variant.note)')")
                }
            },
            run: { if let store = $0 as? TrackedStore { try run(store, $1) } })
    }

    /// Writes of the program that owns the database.
    private static func write(_ store: TrackedStore, _ step: Steps) throws {
        try step { try store.execute("INSERT OR REPLACE INTO item VALUES ('new', 1, '\(store.variant.note)')") }
        try step { try store.execute("UPDATE item SET note = '\(store.variant.note)!', number = 7 WHERE number < 5") }
        try step { try store.execute("DELETE FROM item WHERE number = 7") }
    }

    static func fill(_ store: ModelStore) throws {
        let container = try store.opened()
        let context = ModelContext(container)
        context.author = "prepare"
        for number in 0..<store.variant.tripCount {
            let trip = Trip("t\(number)", number)
            context.insert(trip)
            trip.stops = (0..<2).map { Stop("\(number).\($0)") }
            if number % 4 == 0 { trip.tags = [Tag("g\(number)")] }
            if number % 3 == 0 { try context.save() }
        }
        try context.save()
        for trip in try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.number % 2 == 0 })) {
            trip.note = store.variant.note
        }
        try context.save()
        let consumer = try container.historyConsumer(
            named: "reader", of: DefaultHistoryTransaction.self, startingNewAt: .beginning)
        while let batch = try consumer.nextBatch(limit: 100) { try consumer.acknowledge(batch) }
        consumer.release()
    }

    static func save(
        _ container: ModelContainer, _ step: Steps, _ change: (ModelContext) throws -> Void
    ) throws {
        try step {
            let context = ModelContext(container)
            try change(context)
            try context.save()
        }
    }

    private static func exportURL(_ store: ModelStore) -> URL {
        store.url.deletingLastPathComponent().appending(path: "export.jsonl")
    }

    /// Compares the models of a complete export with those of its store.
    private static func replay(_ store: any StoreUnderTest) throws -> String? {
        guard let store = store as? ModelStore else { return nil }
        let replica = try ModelContainer(
            for: ModelStore.schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
        try replica.replayHistory(from: try FileHandle(forReadingFrom: exportURL(store)))
        let (exported, rows) = (try store.rows(in: replica), try store.state().rows)
        return exported == rows ? nil : State(rows: exported).difference(from: State(rows: rows))
    }
}
