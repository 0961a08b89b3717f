import ChronicleTestSupport
import Foundation

/// A program that a test starts and reads lines from, such as `chronicle serve`.
final class ToolProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var buffer = Data()

    /// `chronicle`, which is beside the tests.
    static let chronicle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "chronicle").path

    /// The worker of the tests of the store, a second process that writes.
    static let worker = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "ChronicleTestWorker").path

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        // A shell without job control starts programs in the background with SIGINT ignored, which children inherit.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--default-signal=INT", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errors
        try process.start()
    }

    deinit { if process.isRunning { kill(SIGKILL) } }

    /// Reads lines until one contains a text.
    func line(containing text: String) throws -> String {
        while true {
            while let end = buffer.firstIndex(of: 10) {
                let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
                buffer = Data(buffer[buffer.index(after: end)...])
                if line.contains(text) { return line }
            }
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                let errors = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
                throw Shell.Failure(description: "the program ended without “\(text)”: \(errors)")
            }
            buffer += data
        }
    }

    /// Sends a signal, and waits until the process has ended.
    ///
    /// - Returns: How it ended, and the signal or its exit status.
    @discardableResult
    func kill(_ signal: Int32) -> (reason: Process.TerminationReason, status: Int32) {
        Foundation.kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return (process.terminationReason, process.terminationStatus)
    }
}

/// A server of a test's store.
final class ServedStore {
    let process: ToolProcess
    let port: UInt16

    var url: String { "http://localhost:\(port)/" }

    init(_ file: URL, _ options: [String] = []) throws {
        process = try ToolProcess(ToolProcess.chronicle, ["serve", file.path, "--port", "0"] + options)
        let line = try process.line(containing: "http://localhost:")
        guard let port = line.firstMatch(of: /localhost:(\d+)\//).flatMap({ UInt16($0.output.1) }) else {
            throw Shell.Failure(description: "no port in \(line)")
        }
        self.port = port
    }
}
