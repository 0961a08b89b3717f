package import Foundation

/// The worker program of the tests, as a running process.
package final class Worker {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()

    /// The worker is in the same directory as the test bundle, because the test target depends on it.
    package static let program: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return tests.appending(path: "ChronicleTestWorker")
    }()

    /// - Parameters:
    ///   - program: The executable, which may be a copy of the worker under another name.
    ///   - environment: Variables that differ from those of the tests.
    ///   - detectsLeaks: Whether Address Sanitizer searches for leaks when the worker exits. A worker that exits while other
    ///     threads run can have memory that is only referenced by their registers.
    package init(
        _ arguments: String..., program: URL = Worker.program, environment: [String: String] = [:],
        detectsLeaks: Bool = true
    ) throws {
        process.executableURL = program
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if !detectsLeaks { process.environment?["LSAN_OPTIONS"] = "detect_leaks=0" }
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.start()
    }

    /// Waits until the worker has written this many bytes, and returns them.
    @discardableResult package func wait(forBytes count: Int) throws -> Data {
        var seen = Data()
        while seen.count < count {
            guard let data = try output.fileHandleForReading.read(upToCount: count - seen.count), !data.isEmpty else {
                throw Shell.Failure(description: "the worker ended: \(endErrors())")
            }
            seen += data
        }
        return seen
    }

    /// Lets a worker continue that waits for a byte.
    package func proceed() throws { try input.fileHandleForWriting.write(contentsOf: Data([0])) }

    /// Whether the process has not ended.
    package var isRunning: Bool { process.isRunning }

    /// Sends SIGKILL, which the worker cannot handle.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the process has ended, also because of a signal.
    package func waitUntilExit() { process.waitUntilExit() }

    /// Sends SIGSTOP, and waits until every thread of the process has stopped.
    package func stop() throws {
        Foundation.kill(process.processIdentifier, SIGSTOP)
        let tasks = "/proc/\(process.processIdentifier)/task"
        func isStopped(_ thread: String) -> Bool {
            // The state follows the name of the program in parentheses. A thread that has ended has no file.
            guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8) else {
                return true
            }
            return status.split(separator: ")").last?.hasPrefix(" T") == true
        }
        while try !FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy(isStopped) { sched_yield() }
    }

    /// Lets a stopped process continue.
    package func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// Waits for the process to exit, and returns its output if it succeeded.
    package func finish() throws -> String {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Shell.Failure(description: "the worker ended with \(process.terminationStatus): \(endErrors())")
        }
        return text
    }

    private func endErrors() -> String {
        String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
