package import Foundation

/// Other programs, mainly `sqlite3`.
package enum Shell {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// The environment of other programs, which do not run with the SQLite library that `.ci/sqlite-versions` tests.
    package static let environment: [String: String] = {
        var environment = ProcessInfo.processInfo.environment
        if environment["CHRONICLE_SQLITE_VERSION"] != nil { environment["LD_LIBRARY_PATH"] = nil }
        return environment
    }()

    /// Runs SQL in `sqlite3`.
    ///
    /// - Parameter timeout: How long it waits for the locks of other connections, in milliseconds.
    package static func sqlite3(_ file: URL, _ sql: String, timeout: Int = 60_000) throws -> String {
        let (status, output, errors) = try run(
            "/usr/bin/env", ["sqlite3", "-bail", "-cmd", ".timeout \(timeout)", file.path, sql])
        guard status == 0 else { throw Failure(description: "sqlite3 ended with \(status): \(errors)") }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package static func run(_ program: String, _ arguments: [String]) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = environment
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, errorText)
    }
}

/// A `sqlite3` process that holds a lock during a test.
package enum ShellSession {
    package static func holdingWriteLock(_ file: URL, _ body: () throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", file.path]
        process.environment = Shell.environment
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.start()
        defer {
            input.fileHandleForWriting.closeFile()
            process.waitUntilExit()
        }
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; SELECT 'locked';\n".utf8))
        // The output arrives when the lock is held.
        guard try output.fileHandleForReading.read(upToCount: 6) == Data("locked".utf8) else {
            throw Shell.Failure(description: "sqlite3 did not get the lock")
        }
        try body()
    }
}
