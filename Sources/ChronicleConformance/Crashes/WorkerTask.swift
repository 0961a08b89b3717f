import Chronicle
import Foundation

/// What a worker is to do, as the last of its program's arguments.
enum WorkerTask {
    /// Saves each of which follows from its number: ``NumberedSaves``. It is alone.
    case numberedSaves(StoreFeatures)
    /// Saves of a book each, beside other writers. The books are called `2-0`, `2-1`, … by the writer's number.
    case books(writer: Int)

    /// `numbered 2047` or `books 2`
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

/// How a worker is started.
struct WorkerCommand: Sendable {
    let program: URL
    let arguments: [String]

    init<Store: DataStore>(
        _ task: WorkerTask, on configuration: Store.Configuration, _ harness: StoreHarness<Store>
    ) throws {
        let worker = try require(harness.fixture.worker, "a worker")
        try expect(
            FileManager.default.isExecutableFile(atPath: worker.program.path),
            "the worker's program at \(worker.program.path); does the target of the tests depend on it?")
        program = worker.program
        arguments = [try worker.place(configuration), task.text]
    }

    /// Runs workers side by side until each has saved so often, and kills them.
    ///
    /// - Returns: How many saves of each returned.
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
