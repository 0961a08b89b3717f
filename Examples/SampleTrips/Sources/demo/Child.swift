import Foundation
import SampleTrips

/// A child process whose output is read.
final class Child {
    struct Result {
        let status: Int32
        let processIdentifier: pid_t
        /// The output of the process, including errors.
        let output: String

        var lines: [Substring] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    }

    private let process = Process()
    private let pipe = Pipe()
    private var output = Data()

    init(_ program: URL, _ arguments: [String], _ environment: [String: String]) {
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
    }

    var processIdentifier: pid_t { process.processIdentifier }

    func start() throws { try process.run() }

    /// Waits until the process has written something.
    func waitForOutput() -> String {
        let data = pipe.fileHandleForReading.availableData
        output += data
        return String(decoding: data, as: UTF8.self)
    }

    func finish() throws -> Result {
        output += try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit else { throw Failure("a process died: \(process.terminationStatus)") }
        return Result(
            status: process.terminationStatus, processIdentifier: process.processIdentifier,
            output: String(decoding: output, as: UTF8.self))
    }
}
