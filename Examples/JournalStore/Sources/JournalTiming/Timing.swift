import Chronicle
import Foundation
import JournalStore

/// Measures the store and prints a table: `swift run -c release JournalTiming [DIRECTORY]`.
@main
struct Timing {
    static func main() throws {
        let parent = CommandLine.arguments.dropFirst().first ?? NSTemporaryDirectory()
        let directory = URL(fileURLWithPath: parent).appending(path: "JournalTiming-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: directory) } catch { emit("left behind: \(directory.path)") }
        }
        try saves(directory)
        try history(directory)
    }

    private struct WrongCount: Error {}

    /// 10,000 models in one save, compared with the same bytes in one write and one fsync.
    private static func saves(_ directory: URL) throws {
        let runs = 15
        var (plain, store, context) = ([Duration](), [Duration](), [Duration]())
        for run in 0..<runs {
            let url = directory.appending(path: "\(run).journal")
            let container = try open(url)
            let models = ModelContext(container)
            for number in 0..<10_000 { models.insert(Measurement(number)) }
            let before = try size(url)
            let clock = SaveClock(container)
            context.append(try time { try models.save() })
            let bytes = Data(repeating: 1, count: try size(url) - before)
            store.append(try clock.storeAlone())
            plain.append(try time { try write(bytes, to: directory.appending(path: "\(run).plain")) })
            if run == 0 { emit("10,000 models are \(bytes.count / 1_000) kB") }
        }
        emit("one write, one fsync     \(median(plain))")
        emit("the store's save         \(median(store))")
        emit("the context's save       \(median(context))")
    }

    /// 100 changes after a token, at the end of a million.
    private static func history(_ directory: URL) throws {
        let container = try open(directory.appending(path: "history.journal"), .relaxed)
        let context = ModelContext(container)
        for batch in 0..<9_999 {
            for number in 0..<100 { context.insert(Measurement(batch * 100 + number)) }
            try context.save()
        }
        let store = container.stores[0] as? JournalStore
        for (name, transactions) in [("in one transaction", 1), ("in 100 transactions", 100)] {
            guard let token = try store?.currentHistoryToken() else { return }
            for _ in 0..<transactions {
                for number in 0..<100 / transactions { context.insert(Measurement(number)) }
                try context.save()
            }
            let times = try (0..<50).map { _ in
                try time {
                    let found = try context.fetchHistory(HistoryDescriptor<JournalTransaction>.after(token))
                    guard found.flatMap(\.changes).count == 100 else { throw WrongCount() }
                }
            }
            emit("100 changes \(name) after a token \(median(times))")
        }
        let opening = try time { _ = try open(directory.appending(path: "history.journal")) }
        emit("opening it               \(opening)")
    }

    private static func open(
        _ url: URL, _ durability: JournalStoreConfiguration.Durability = .full
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Measurement.self, configurations: JournalStoreConfiguration(url: url, durability: durability))
    }

    private static func write(_ bytes: Data, to url: URL) throws {
        _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: bytes)
        try handle.synchronize()
        try handle.close()
    }

    private static func size(_ url: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    }

    private static func time(_ body: () throws -> Void) rethrows -> Duration {
        try ContinuousClock().measure(body)
    }

    private static func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

    private static func emit(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}

/// Saves the rows of a store again, as new ones, without a context.
struct SaveClock {
    let container: ModelContainer

    init(_ container: ModelContainer) { self.container = container }

    func storeAlone() throws -> Duration {
        guard let store = container.stores[0] as? JournalStore else { return .zero }
        let state = EditingState(id: UUID())
        let context = ModelContext(container)
        let rows = try store.fetch(
            DataStoreFetchRequest<Measurement>(descriptor: FetchDescriptor(), editingState: state)
        ).fetchedSnapshots
        // Temporary identifiers are those of models that were never saved.
        let models = rows.map { _ in Measurement(0) }
        for model in models { context.insert(model) }
        let inserted = zip(rows, models).map { row, model in
            row.copy(persistentIdentifier: model.persistentModelID, remappedIdentifiers: [:])
        }
        let request = DataStoreSaveChangesRequest(editingState: state, inserted: inserted, updated: [], deleted: [])
        return try ContinuousClock().measure { _ = try store.save(request) }
    }
}

final class Measurement: PersistentModel {
    @Attribute var name: String
    @Attribute var number: Int
    @Attribute var value: Double
    @Attribute var date: Date
    @Attribute var note: String?

    static let properties: PropertyMap<Measurement> = [
        "name": \.name, "number": \.number, "value": \.value, "date": \.date, "note": \.note,
    ]
    let persistentBackingData: any BackingData<Measurement>
    init(backingData: any BackingData<Measurement>) { persistentBackingData = backingData }

    init(_ number: Int) {
        persistentBackingData = Measurement.createBackingData()
        name = "measurement \(number)"
        self.number = number
        value = Double(number) / 7
        date = Date(timeIntervalSinceReferenceDate: Double(number))
        note = number.isMultiple(of: 3) ? "every third has a note" : nil
    }
}
