import ChronicleTestSupport
import Foundation

/// The worker program of the tests, as a running process.
final class Worker {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// The worker is in the same directory as the test bundle, because the test target depends on it.
    static let program: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return tests.appending(path: "ChronicleTestWorker")
    }()

    /// - Parameter detectsLeaks: Whether Address Sanitizer searches for leaks when the worker exits. A worker that exits
    ///   while other threads run can have memory that is only referenced by their registers.
    init(_ arguments: String..., detectsLeaks: Bool = true) throws {
        process.executableURL = Self.program
        if !detectsLeaks {
            process.environment = ProcessInfo.processInfo.environment.merging(["LSAN_OPTIONS": "detect_leaks=0"]) { $1 }
        }
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
                throw Shell.Failure(description: "the worker ended: \(endErrors())")
            }
            seen += data.count
        }
    }

    /// Whether the process has not ended.
    var isRunning: Bool { process.isRunning }

    /// Sends SIGKILL, which the worker cannot handle.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the process has ended, also because of a signal.
    func waitUntilExit() { process.waitUntilExit() }

    /// Sends SIGSTOP, and waits until every thread of the process has stopped.
    func stop() throws {
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
    func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

    /// Waits for the process to exit, and returns its output if it succeeded.
    func finish() throws -> String {
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

/// A small file system that a test can fill, in a separate mount namespace.
enum Mounts {
    static let arePossible: Bool = {
        let probe = try? Shell.run("/usr/bin/env", ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        return probe?.status == 0
    }()

    /// Runs a shell script in a temporary file system of this size. In the script, `$store` is a file in it,
    /// `$directory` is its root, and `$worker` is the program.
    static func run(_ script: String, in directory: URL, kilobytes: Int) throws -> String {
        let mounted = """
            directory=$0; worker=$1; store=$0/test.store
            mount -t tmpfs -o size=\(kilobytes)k tmpfs "$directory" || exit 1
            \(script)
            """
        let (status, output, errors) = try Shell.run(
            "/usr/bin/env", ["unshare", "-rm", "sh", "-c", mounted, directory.path, Worker.program.path])
        guard status == 0 else { throw Shell.Failure(description: "the script ended with \(status): \(errors)") }
        return output
    }
}
