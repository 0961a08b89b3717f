import Chronicle
import Foundation

/// Several processes that write to one PostgreSQL database. They are this program, started with other arguments.
enum PostgresWriterRows {
    private static let argument = "--postgres-writer"

    static var all: [Row] {
        [
            // At least 0.7 times the commits.
            Row(name: "four writer processes, insert one per save (PostgreSQL)", limit: .ratio(1 / 0.7), runs: 21) {
                try measure(runs: $0, numbers: false)
            },
            Row(
                name: "four writer processes and a reader of the history (PostgreSQL)", limit: .ratio(1 / 0.5), runs: 21
            ) { try measure(runs: $0, numbers: true) },
        ]
    }

    /// Compares the time of a commit with and without history.
    ///
    /// - Parameter numbers: Whether another process reads the history meanwhile, as soon as it is notified.
    private static func measure(runs: Int, numbers: Bool) throws -> Row.Outcome {
        let (writers, saves) = (4, 200)
        func start(recordsHistory: Bool) throws -> [Child] {
            let schema = try PostgresServer.cluster.get().makeSchema()
            // The tables exist before the first writer opens the store.
            _ = try PostgresServer.container(schema, recordsHistory: recordsHistory)
            let reader = numbers && recordsHistory ? [try Child(.reader, schema)] : []
            return try reader + (0..<writers).map { _ in try Child(recordsHistory ? .writer : .plainWriter, schema) }
        }
        let (without, with) = (try start(recordsHistory: false), try start(recordsHistory: true))
        func run(_ children: [Child]) throws -> Duration {
            let writing = children.suffix(writers)
            return try timed {
                for child in writing { try child.send(saves) }
                for child in writing { try child.wait() }
            }
        }
        let outcome = try compare(runs: runs, { _ in try run(without) }, { _ in try run(with) })
        for child in without + with { try child.end() }
        guard case .time(let time) = outcome.median else { return outcome }
        return Row.Outcome(median: .time(time / (writers * saves)), ratio: outcome.ratio)
    }

    private enum Role: String {
        /// Saves as many models as a line of its input says, one by one.
        case writer
        /// The same in a store without history.
        case plainWriter
        /// Fetches each transaction.
        case reader
    }

    private final class Child {
        private let process = Process()
        private let (input, output) = (Pipe(), Pipe())

        /// Starts a process, and waits until it has opened the store.
        init(_ role: Role, _ schema: String) throws {
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = [
                argument, role.rawValue, try PostgresServer.cluster.get().connectionString(), schema,
            ]
            (process.standardInput, process.standardOutput) = (input, output)
            // Only this process may keep it open: a process ends when it is closed.
            _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
            try process.run()
            try wait()
        }

        func send(_ number: Int) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8)) }

        /// Waits until the process has done what it received.
        func wait() throws {
            let byte = try output.fileHandleForReading.read(upToCount: 1)
            precondition(byte == Data("\n".utf8), "a writer failed")
        }

        func end() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            precondition(process.terminationStatus == 0, "a writer failed")
        }
    }

    // MARK: The other process

    /// Does what the arguments specify, if they are those of such a process.
    static func run(_ arguments: [String]) async throws -> Bool {
        guard arguments.count == 4, arguments[0] == argument, let role = Role(rawValue: arguments[1]) else {
            return false
        }
        let container = try PostgresServer.container(
            arguments[3], at: arguments[2], recordsHistory: role != .plainWriter)
        switch role {
        case .writer, .plainWriter: try write(container)
        case .reader: try await read(container)
        }
        return true
    }

    private static func didFinish() { FileHandle.standardOutput.write(Data("\n".utf8)) }

    private static func write(_ container: ModelContainer) throws {
        didFinish()
        while let line = readLine() {
            let context = ModelContext(container)
            context.author = "benchmark"
            for index in 0..<(Int(line) ?? 0) {
                context.insert(Trip(SampleTrip.at(index)))
                try context.save()
            }
            didFinish()
        }
    }

    private static func read(_ container: ModelContainer) async throws {
        let observer = try HistoryObserver(modelContainer: container)
        let context = ModelContext(container)
        var token = try context.currentHistoryToken()
        let reading = Task {
            for await _ in observer.eventCounts {
                token = try context.fetchHistory(.after(token)).last?.token ?? token
            }
        }
        didFinish()
        while readLine() != nil {}
        reading.cancel()
    }
}
