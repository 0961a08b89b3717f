import Chronicle
import Foundation

/// Commit events in another process, which this program starts again with other arguments.
enum EventRows {
    static var all: [Row] {
        [ModelConfiguration.Durability.relaxed, .full].flatMap { durability in
            let name =
                "events: wake-up in another process, commit to changes (\(durability == .full ? "full" : "normal"))"
            let latencies = Latencies(durability)
            return [
                Row(name: "\(name), p50", limit: .time(.microseconds(500)), runs: 10_000) {
                    Row.Outcome(median: .time(try latencies.percentile(0.5, commits: $0)))
                },
                Row(name: "\(name), p99", limit: .time(.milliseconds(5)), runs: 10_000) {
                    Row.Outcome(median: .time(try latencies.percentile(0.99, commits: $0)))
                },
            ]
        } + [
            Row(name: "events: CPU time of an idle listener, each second", limit: .time(.milliseconds(1)), runs: 10) {
                Row.Outcome(median: .time(try idleTime(seconds: $0)))
            },
            Row(
                name: "events: insert one per save, ten listeners in another process", limit: .ratio(1.05), runs: 15
            ) { runs in
                try compare(
                    runs: runs, { try inserts($0, listeners: 0) }, { try inserts($0, listeners: 10) })
            },
        ]
    }

    /// The delays of one measurement, for the rows of several percentiles.
    private final class Latencies {
        private let durability: ModelConfiguration.Durability
        private var sorted: [Duration]?

        init(_ durability: ModelConfiguration.Durability) { self.durability = durability }

        func percentile(_ fraction: Double, commits: Int) throws -> Duration {
            let sorted = try sorted ?? withTemporaryDirectory { try latencies($0, durability, commits).sorted() }
            self.sorted = sorted
            return sorted[Int(Double(sorted.count - 1) * fraction)]
        }
    }

    /// The time from the end of each save to the return of the other process's fetch of its changes.
    private static func latencies(
        _ directory: URL, _ durability: ModelConfiguration.Durability, _ commits: Int
    ) throws -> [Duration] {
        let store = try TripStore(directory, durability)
        let child = try Child(.receive, store.url, commits)
        var committed: [Int64] = []
        for index in 0..<commits {
            store.context.insert(Trip(SampleTrip.at(index)))
            try store.context.save()
            committed.append(nanoseconds())
            // Commits that follow each other immediately are reported together.
            usleep(1_000)
        }
        let received = try child.numbers()
        precondition(received.count == commits, "the process received \(received.count) transactions")
        return zip(committed, received).map { .nanoseconds(max($1 - $0, 0)) }
    }

    private static func idleTime(seconds: Int) throws -> Duration {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed)
            return .nanoseconds(try Child(.idle, store.url, seconds).numbers()[0]) / seconds
        }
    }

    private static func inserts(_ directory: URL, listeners: Int) throws -> Duration {
        let store = try TripStore(directory, .relaxed)
        try store.insert(1_000, perSave: 1)
        let child = listeners > 0 ? try Child(.observe, store.url, listeners) : nil
        let time = try timed { try store.insert(10_000, perSave: 1) }
        _ = try child?.numbers()
        return time
    }

    /// The monotonic clock, which is the same in all processes.
    fileprivate static func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

// MARK: - The other process

extension EventRows {
    private static let argument = "--events"

    private enum Task: String {
        /// Fetches the given number of transactions, and prints when each was received.
        case receive
        /// Listens for the given number of seconds, and prints its CPU time.
        case idle
        /// Listens with the given number of observers that match nothing, until its input ends.
        case observe
    }

    /// A process that listens to a store.
    private final class Child {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())

        init(_ task: Task, _ url: URL, _ number: Int) throws {
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = [argument, task.rawValue, url.path, String(number)]
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
            // The line that says that it listens.
            _ = try output.fileHandleForReading.read(upToCount: 1)
        }

        /// Waits for the end of the process and returns what it printed.
        func numbers() throws -> [Int64] {
            try input.fileHandleForWriting.close()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            precondition(process.terminationStatus == 0, "the process failed")
            return text.split(separator: "\n").compactMap { Int64($0) }
        }
    }

    /// Does what the arguments specify, if they are those of such a process.
    static func run(_ arguments: [String]) async throws -> Bool {
        guard arguments.count == 4, arguments[0] == argument, let task = Task(rawValue: arguments[1]),
            let number = Int(arguments[3])
        else { return false }
        let container = try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[2]), durability: .relaxed))
        switch task {
        case .receive: try await receive(number, container)
        case .idle:
            let observer = try HistoryObserver(modelContainer: container)
            FileHandle.standardOutput.write(Data("\n".utf8))
            let before = nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            sleep(UInt32(number))
            print(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before)
            withExtendedLifetime(observer) {}
        case .observe:
            let observers = try (0..<number).map {
                try HistoryObserver(authors: ["nobody \($0)"], modelContainer: container)
            }
            FileHandle.standardOutput.write(Data("\n".utf8))
            _ = try FileHandle.standardInput.readToEnd()
            precondition(observers.allSatisfy { $0.eventCounter == 0 }, "an observer matched")
        }
        return true
    }

    private static func receive(_ count: Int, _ container: ModelContainer) async throws {
        let context = ModelContext(container)
        let observer = try HistoryObserver(modelContainer: container)
        var token = try context.currentHistoryToken()
        FileHandle.standardOutput.write(Data("\n".utf8))
        var received: [Int64] = []
        for await _ in observer.eventCounts {
            for transaction in try context.fetchHistory(.after(token)) {
                received.append(nanoseconds())
                token = transaction.token
            }
            if received.count == count { break }
        }
        print(received.map(String.init).joined(separator: "\n"))
    }
}
