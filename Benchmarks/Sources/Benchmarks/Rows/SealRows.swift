import Chronicle
import Foundation

#if Seals
    @_spi(Benchmarks) import ChronicleSeals
#endif

/// Sealing and verifying a history of updates of two attributes with their values, and saves in a sealed store.
enum SealRows {
    #if Seals
        static var all: [Row] {
            let million = SealedHistory(changes: 1_000_000)
            return [
                Row(name: "seals: insert one per save, while nothing is sealed", limit: .ratio(1.05), runs: 45) {
                    runs in
                    try compare(
                        runs: runs, { try saves($0, isSealed: false) }, { try saves($0, isSealed: true) })
                },
                Row(name: "seals: changes with two values sealed per second", limit: .rate(100_000), runs: 3) {
                    runs in
                    let times = try (0..<max(runs, 1)).map { _ in try sealTime(changes: 100_000) }
                    return Row.Outcome(median: .rate(100_000 / times.median.seconds))
                },
                Row(name: "seals: memory of sealing 100,000 changes", limit: .bytes(32 * 1_048_576), runs: 1) {
                    _ in
                    try withTemporaryDirectory { directory in
                        let store = try TripStore(directory, .relaxed, preservesValues: true)
                        try store.update(100_000)
                        return try memory(.sealHistory, store.url)
                    }
                },
                Row(name: "seals: verify a million changes, without values", limit: .time(.seconds(2)), runs: 3) {
                    try verifications(million, runs: $0) { container, _ in try container.verifySealChain() }
                },
                Row(name: "seals: verify a million changes, with values", limit: .time(.seconds(6)), runs: 3) {
                    try verifications(million, runs: $0) { container, head in try container.verifySeals([head]) }
                },
                Row(name: "seals: memory of verifying a million", limit: .bytes(32 * 1_048_576), runs: 1) {
                    _ in
                    try memory(.verifySeals, million.sealed().store.url)
                },
            ]
        }

        /// Both files have the same rows before. The saves copy the log several times.
        private static func saves(_ directory: URL, isSealed: Bool) throws -> Duration {
            let store = try TripStore(directory, .relaxed)
            try store.insert(1_000, perSave: 1)
            if isSealed { _ = try store.container.sealHistory() }
            try store.insert(200, perSave: 1)
            return try timed { try store.insert(1_000, perSave: 1) }
        }

        private static func sealTime(changes: Int) throws -> Duration {
            try withTemporaryDirectory { directory in
                let store = try TripStore(directory, .relaxed, preservesValues: true)
                try store.update(changes)
                return try timed { _ = try store.container.sealHistory() }
            }
        }

        private static func verifications(
            _ history: SealedHistory, runs: Int, _ verify: (ModelContainer, HistorySeal) throws -> SealVerification
        ) throws -> Row.Outcome {
            let (store, head) = try history.sealed()
            let times = try (0...max(runs, 1)).map { _ in
                try timed {
                    let verification = try verify(store.container, head)
                    precondition(verification.isProven, "the history is not proven")
                }
            }
            // The first one warms up.
            return Row.Outcome(median: .time(Array(times.dropFirst()).median))
        }

        private static func memory(_ work: MemoryRows.Work, _ file: URL) throws -> Row.Outcome {
            let (count, bytes) = try MemoryRows.measure(work, file)
            precondition(count == 1, "the history is not sealed or proven")
            return Row.Outcome(median: .bytes(Double(bytes)))
        }
    #else
        /// The hashes need the trait.
        static var all: [Row] { [] }
    #endif
}

#if Seals
    extension TripStore {
        /// Inserts 1,000 trips, and updates two attributes of each until there are this many changes more.
        fileprivate func update(_ changes: Int) throws {
            let trips = (0..<1_000).map { Trip(SampleTrip.at($0)) }
            trips.forEach(context.insert)
            try context.save()
            for round in 0..<changes / 1_000 {
                for trip in trips { (trip.rating, trip.note) = (100 + round, "a note of round \(round)") }
                try context.save()
            }
        }
    }

    /// A sealed file with the given number of changes. Created when it is first used, and removed with the program.
    private final class SealedHistory {
        private let changes: Int
        private var made: (store: TripStore, head: HistorySeal)?
        private let directory = FileManager.default.temporaryDirectory
            .appending(path: "chronicle-benchmarks-\(UUID().uuidString)")

        init(changes: Int) { self.changes = changes }

        deinit {
            made = nil
            do { try FileManager.default.removeItem(at: directory) } catch CocoaError.fileNoSuchFile {
            } catch { FileHandle.standardError.write(Data("left behind: \(directory.path): \(error)\n".utf8)) }
        }

        func sealed() throws -> (store: TripStore, head: HistorySeal) {
            if let made { return made }
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let store = try TripStore(directory, .relaxed, preservesValues: true)
            try store.update(changes)
            let made = (store: store, head: try store.container.sealHistory())
            self.made = made
            return made
        }
    }
#endif
