import Chronicle
import Foundation

#if Seals
    import ChronicleSeals
#endif

/// Memory use, measured in a separate process, because memory that earlier rows released would be reused in this one.
enum MemoryRows {
    /// The argument that makes the program such a process, followed by the work and a path.
    private static let argument = "--in-memory"

    enum Work: String {
        /// Reads a history in pages of ten transactions.
        case readPages
        /// Reads a history with a consumer.
        case drainConsumer
        /// Fetches all trips and keeps them.
        case fetchAll
        /// Deletes all trips with one batch delete.
        case deleteAll
        #if Seals
            /// Seals the history.
            case sealHistory
            /// Verifies the seals with all values.
            case verifySeals
        #endif
    }

    /// Does the work on the file in a separate process.
    ///
    /// - Returns: The number of changes or models, and the growth of the process in bytes.
    static func measure(_ work: Work, _ file: URL) throws -> (count: Int, bytes: Int) {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        child.arguments = [argument, work.rawValue, file.path]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let answer = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        let numbers = answer.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        precondition(child.terminationStatus == 0 && numbers.count == 2, "the process failed")
        return (numbers[0], numbers[1])
    }

    /// Does the work that the arguments specify, if any.
    static func run(_ arguments: [String]) throws -> Bool {
        guard arguments.count == 3, arguments[0] == argument, let work = Work(rawValue: arguments[1]) else {
            return false
        }
        try run(work, arguments[2])
        return true
    }

    private static func run(_ work: Work, _ path: String) throws {
        let container = try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(url: URL(fileURLWithPath: path), durability: .relaxed))
        let context = ModelContext(container)
        // The code and the file are resident from now on.
        _ = try context.fetchCount(FetchDescriptor<Trip>())
        let before = try peak()
        let count =
            switch work {
            case .readPages: try readPages(context)
            case .drainConsumer:
                try ConsumerRows.count(container.historyConsumer(named: "memory", startingNewAt: .beginning))
            case .fetchAll: try context.fetch(FetchDescriptor<Trip>()).count
            case .deleteAll: try deleteAll(context)
            #if Seals
                case .sealHistory: try container.sealHistory().position > 0 ? 1 : 0
                case .verifySeals: try container.verifySeals().isProven ? 1 : 0
            #endif
            }
        print(count, try peak() - before)
    }

    private static func readPages(_ context: ModelContext) throws -> Int {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.fetchLimit = 10
        var changes = 0
        while true {
            let page = try context.fetchHistory(descriptor)
            guard let token = page.last?.token else { return changes }
            changes += page.reduce(0) { $0 + $1.tripChanges }
            descriptor.predicate = #Predicate { $0.token > token }
        }
    }

    private static func deleteAll(_ context: ModelContext) throws -> Int {
        let count = try context.fetchCount(FetchDescriptor<Trip>())
        try context.delete(model: Trip.self)
        return try count - context.fetchCount(FetchDescriptor<Trip>())
    }

    /// The peak resident size in bytes. `getrusage` on Linux would include that of the parent process.
    private static func peak() throws -> Int {
        #if os(Linux)
            let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
            let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: \.isWhitespace) ?? []
            return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 1_024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }
}
