import Foundation

/// A running worker process.
final class WorkerProcess {
    /// The numbers of the cases for the worker.
    let cases: Range<Int>
    /// The case that the worker started last.
    private(set) var current: Int
    private var beginning = ContinuousClock.now
    private var isHanging = false
    private let process = Process()
    private let output = Pipe()
    private let errorFile: URL
    private var said: [UInt8] = []
    private var hasClosed = false

    /// Environment variables for deterministic hashing, which gives sets and dictionaries the same order in every
    /// process.
    static let deterministic = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    /// - Parameter directory: The directory for the worker's error output.
    init(_ arguments: [String], in directory: URL, cases: Range<Int> = 0..<0) throws {
        self.cases = cases
        current = cases.lowerBound
        errorFile = directory.appending(path: "errors.txt")
        try Data().write(to: errorFile)
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [FuzzWorker.command] + arguments
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errorFile)
        // A crash does not print a backtrace, which takes seconds.
        let settings = Self.deterministic.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
        try process.run()
    }

    // MARK: Reading

    /// Waits until one of the workers prints something or exits.
    static func wait(for workers: [WorkerProcess], seconds: Int) {
        var descriptors = workers.map { worker in
            pollfd(fd: worker.output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&descriptors, nfds_t(descriptors.count), Int32(seconds * 1_000))
        for (worker, descriptor) in zip(workers, descriptors) where descriptor.revents != 0 { worker.read() }
    }

    private func read() {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { hasClosed = true }
        said += data
    }

    /// Returns the lines that the worker printed since the last call.
    func lines() -> [String] {
        guard let end = said.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        let lines = String(decoding: said[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
        said.removeSubrange(...end)
        return lines
    }

    func begin(_ number: Int) {
        current = number
        beginning = .now
    }

    var secondsOfCurrent: Int { Int((ContinuousClock.now - beginning).components.seconds) }

    // MARK: Ending

    var hasEnded: Bool { hasClosed }

    /// Kills the worker.
    func hang() {
        isHanging = true
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        hasClosed = true
    }

    /// The reason for which the worker ended, or `nil` if it finished its work.
    var unexpectedEnd: String? {
        process.waitUntilExit()
        if isHanging { return "it took longer than \(secondsOfCurrent) seconds" }
        switch (process.terminationReason, process.terminationStatus) {
        case (.exit, 0): return nil
        case (.exit, let status): return "the worker ended with exit code \(status)"
        case (_, let signal): return "the worker ended with signal \(signal)"
        }
    }

    /// Waits until the worker has exited.
    func finish() -> Bool {
        while !hasClosed { read() }
        return unexpectedEnd == nil
    }

    /// The first lines of the error output, which describe a crash.
    func errors() -> String {
        guard let text = try? String(contentsOf: errorFile, encoding: .utf8) else { return "" }
        return text.split(separator: "\n").prefix(5).joined(separator: "\n")
    }
}
