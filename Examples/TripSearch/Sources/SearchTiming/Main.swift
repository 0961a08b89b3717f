import Chronicle
import Foundation
import SampleTrips
import TripSearch

/// Measures whether `trip-search follow`, another process, keeps up with a writer: `SearchTiming [CHANGES] [SECONDS]`.
///
/// The writer saves 100 changes at a time: inserts at first, then as many updates, and so on. The lag is the number of
/// changes that the index lacks.
@main
@MainActor
enum Main {
    private static let changesPerSave = 100

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let (rate, seconds) = (words.first ?? 10_000, words.dropFirst().first ?? 10)

        let directory = FileManager.default.temporaryDirectory.appending(path: "SearchTiming-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = TripStore(directory.appending(path: "Trips.store"))
        let container = try store.open(author: "timing", creating: true).container
        let follower = try start(store)
        defer { follower.terminate() }

        let clock = ContinuousClock()
        let start = clock.now
        let interval = Duration.seconds(1) * changesPerSave / rate
        var lags: [Int] = []
        var items: [PersistentIdentifier] = []
        for save in 0..<(rate * seconds / changesPerSave) {
            try await clock.sleep(until: start + interval * save)
            items = try write(save, items, container)
            if save % (rate / changesPerSave) == 0 { lags.append(try lag(container)) }
        }
        let written = clock.now - start
        while try lag(container) > 0 { try await clock.sleep(for: .milliseconds(1)) }
        let indexed = clock.now - start

        let count = rate * seconds
        let perSecond = Int(Double(count) / (written / .seconds(1)))
        print("\(count) changes in \(written), \(perSecond) per second; lag each second: \(lags)")
        print("the index was complete \(indexed - written) after the last commit")
    }

    /// Inserts items, or updates those of the previous save. Returns the items to update next.
    private static func write(
        _ save: Int, _ items: [PersistentIdentifier], _ container: ModelContainer
    ) throws -> [PersistentIdentifier] {
        let context = ModelContext(container)
        context.author = "timing"
        guard items.isEmpty else {
            let models = try context.fetch(
                FetchDescriptor<BucketListItem>(predicate: #Predicate { items.contains($0.persistentModelID) }))
            for item in models { item.title += " again" }
            try context.save()
            return []
        }
        let models = (0..<changesPerSave).map { BucketListItem(title: "Sight \(save) \($0) in the old town") }
        models.forEach(context.insert)
        try context.save()
        return models.map(\.persistentModelID)
    }

    /// The number of changes that the consumer has not acknowledged.
    private static func lag(_ container: ModelContainer) throws -> Int {
        let consumers: [HistoryConsumerStatus<DefaultHistoryToken>] = try container.historyConsumers(
            of: DefaultHistoryTransaction.self)
        return consumers.first?.lag?.changes ?? 0
    }

    /// Starts `trip-search follow`, and waits until it has built the index.
    private static func start(_ store: TripStore) throws -> Process {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "trip-search")
        process.arguments = ["follow", "--store", store.url.path]
        process.standardOutput = output
        try process.run()
        guard !output.fileHandleForReading.availableData.isEmpty else { throw Failure("trip-search ended.") }
        return process
    }
}
