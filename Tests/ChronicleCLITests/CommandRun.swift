import Foundation
import Synchronization

@testable import ChronicleCLI

/// A command that runs in the test's process, with what it writes.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    private final class Sink: Sendable {
        let data = Mutex(Data())
        var text: String { String(decoding: data.withLock { $0 }, as: UTF8.self) }
    }

    /// Runs a command with a fixed time zone and time, and without colors and pager.
    init(_ arguments: [String], _ change: (inout Console.Settings) -> Void = { _ in }) async throws {
        var settings = Console.Settings()
        settings.timeZone = TimeZone(secondsFromGMT: 7_200) ?? .gmt
        settings.now = { Date(timeIntervalSinceReferenceDate: 789_000_000) }
        settings.libraryNotice = nil
        settings.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        change(&settings)
        let (output, errors) = (Sink(), Sink())
        let console = Console(
            settings, output: { data in output.data.withLock { $0.append(data) } },
            errors: { data in errors.data.withLock { $0.append(data) } })
        status = await Tool.run(arguments, console)
        (self.output, self.errors) = (output.text, errors.text)
    }

    init(_ arguments: String...) async throws { try await self.init(arguments) }
}
