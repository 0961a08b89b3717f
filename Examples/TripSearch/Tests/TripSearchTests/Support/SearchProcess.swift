import Foundation
import SampleTrips

/// The program `trip-search`, running.
final class SearchProcess {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: String..., store: TripStore) throws {
        // The program is in the same directory as the test bundle, because the test target depends on it.
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "trip-search")
        process.arguments = arguments + ["--store", store.url.path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Waits until the process has written something, and returns it.
    func waitForOutput() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

    /// Sends SIGKILL, which the process cannot handle.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the process to exit, and returns its exit code and its output.
    func finish() throws -> (status: Int32, output: String) {
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
