import Chronicle
import Foundation
import Synchronization

/// The size of a history and its retention, for which the C API has no equivalent.
enum RetentionRows {
    static var all: [Row] {
        let (short, long) = (LongHistory(changes: 10_000), LongHistory(changes: 1_000_000))
        return [
            Row(name: "statistics of a million changes", limit: .time(.milliseconds(10)), runs: 101) {
                try statistics(long, runs: $0)
            },
            Row(name: "the same against 10,000 changes", limit: .ratio(1.5), runs: 101) { runs in
                let (few, many) = (try short.context().container, try long.context().container)
                return try compare(
                    runs: runs, { _ in try timed { _ = try few.historyStatistics() } },
                    { _ in try timed { _ = try many.historyStatistics() } })
            },
            Row(name: "changes that a purge deletes per second", limit: .rate(150_000), runs: 3) { runs in
                let times = try (0..<max(runs, 1)).map { _ in try purgeTime() }
                return Row.Outcome(median: .rate(1_000_000 / times.median.seconds))
            },
            Row(name: "worst save while a million changes are purged", limit: .time(.milliseconds(15)), runs: 3) {
                runs in
                let worst = try (0..<max(runs, 1)).map { _ in try worstSave() }
                return Row.Outcome(median: .time(worst.max() ?? .zero))
            },
        ]
    }

    private static func statistics(_ history: LongHistory, runs: Int) throws -> Row.Outcome {
        let container = try history.context().container
        _ = try container.historyStatistics()
        let times = try (0..<max(runs, 1)).map { _ in
            try timed {
                let statistics = try container.historyStatistics()
                precondition(statistics[0].transactions == 1_001, "transactions are missing")
            }
        }
        return Row.Outcome(median: .time(times.median))
    }

    /// The longest of the saves of one row that another container makes every millisecond.
    ///
    /// The file is in memory if possible: the row measures the delay by locks. On a disk, a checkpoint of either container
    /// adds the time that the disk needs to synchronize.
    private static func worstSave() throws -> Duration {
        let memory = URL(filePath: "/dev/shm")
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        return try withTemporaryDirectory(in: isThere ? memory : FileManager.default.temporaryDirectory) { directory in
            let store = try TripStore(directory, .relaxed)
            try store.insert(1_000_000, perSave: 1_000)
            let container = try ModelContainer(
                for: Trip.self, configurations: ModelConfiguration(url: store.url, durability: .relaxed))
            let context = ModelContext(container)
            let purge = Purge(store.container)
            var times: [Duration] = []
            while purge.isRunning || times.isEmpty {
                context.insert(Trip(SampleTrip.at(times.count)))
                times.append(try timed { try context.save() })
                Thread.sleep(forTimeInterval: 0.001)
            }
            let deleted = try purge.deletedChanges()
            precondition(deleted >= 999_000, "changes are left")
            return times.max() ?? .zero
        }
    }

    private static func purgeTime() throws -> Duration {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed)
            try store.insert(1_000_000, perSave: 1_000)
            return try timed {
                let deleted = try Purge(store.container).deletedChanges()
                precondition(deleted >= 999_000, "changes are left")
            }
        }
    }
}

/// A purge that keeps 1,000 changes, in a task.
private final class Purge: Sendable {
    private let outcome = Mutex<Result<Int, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ container: ModelContainer) {
        Task.detached {
            let outcome: Result<Int, any Error>
            do {
                let results = try await container.purgeHistory(HistoryRetention(maximumChanges: 1_000))
                outcome = .success(results[0].changes)
            } catch {
                outcome = .failure(error)
            }
            self.outcome.withLock { $0 = outcome }
            self.end.signal()
        }
    }

    var isRunning: Bool { outcome.withLock { $0 == nil } }

    /// Waits for the end of the purge.
    func deletedChanges() throws -> Int {
        end.wait()
        return try outcome.withLock { try $0?.get() ?? 0 }
    }
}
