import Foundation

/// The worker, as a running process.
///
/// `@unchecked Sendable`: after `init`, only one thread uses it.
final class WorkerProcess: @unchecked Sendable {
    struct Failure: Error {
        let text: String
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// The worker is in the same directory as the test bundle, because the test target depends on it.
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "JournalWorker")

    init(_ arguments: String...) throws {
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Waits until the worker has written this many bytes.
    func wait(forBytes count: Int) throws {
        var seen = 0
        while seen < count {
            guard let data = try output.fileHandleForReading.read(upToCount: count - seen), !data.isEmpty else {
                throw Failure(text: "the worker ended: \(endOfErrors())")
            }
            seen += data.count
        }
    }

    /// Sends SIGKILL, which the worker cannot handle.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the process to exit, and returns its output if it succeeded.
    func finish() throws -> String {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "the worker ended with \(process.terminationStatus): \(endOfErrors())")
        }
        return text
    }

    private func endOfErrors() -> String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
