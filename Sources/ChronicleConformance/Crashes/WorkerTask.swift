import Chronicle
import Foundation

/// The last argument of the program.
enum WorkerTask {
    /// The worker is the only writer.
    case numberedSaves(StoreFeatures)
    /// Saves one book at a time, concurrently with other writers. The titles begin with the writer's number: `2-1`, `2-2`,
    /// ….
    case books(writer: Int)

    /// The text of the argument, such as `numbered 2047` or `books 2`.
    var text: String {
        switch self {
        case .numberedSaves(let features): "numbered \(features.rawValue)"
        case .books(let writer): "books \(writer)"
        }
    }

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let number = Int(words[1]) else { return nil }
        switch words[0] {
        case "numbered": self = .numberedSaves(StoreFeatures(rawValue: number))
        case "books": self = .books(writer: number)
        default: return nil
        }
    }
}

struct WorkerCommand: Sendable {
    let program: URL
    let arguments: [String]

    init<Store: DataStore>(
        _ task: WorkerTask, on configuration: Store.Configuration, _ harness: StoreHarness<Store>
    ) throws {
        let worker = try require(harness.fixture.worker, "a fixture with a worker")
        try expect(
            FileManager.default.isExecutableFile(atPath: worker.program.path),
            "the worker's program at \(worker.program.path); add it to the dependencies of the test target")
        program = worker.program
        arguments = [try worker.place(configuration), task.text]
    }

    /// Kills the workers when each has performed the given number of saves, and returns the numbers of acknowledged saves.
    static func run(_ commands: [WorkerCommand], saves: Int) throws -> [Int] {
        #if os(macOS) || os(Linux)
            let processes = try commands.map(WorkerProcess.init)
            for process in processes { try process.wait(forSaves: saves) }
            return try processes.map { try $0.kill().last?.number ?? 0 }
        #else
            return commands.map { _ in 0 }
        #endif
    }
}
