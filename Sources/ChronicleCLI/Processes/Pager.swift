import Foundation

/// The program that shows output on a terminal in pages, `less` by default.
///
/// As with git, `CHRONICLE_PAGER`, then `PAGER` selects another one; an empty value or `cat` selects none. `less` gets
/// the options `FRX` unless `LESS` is set: it ends if the output fits on the screen, shows colors, and leaves the output
/// on the screen.
final class Pager {
    private let process: ChildProcess

    /// Starts the pager, or returns `nil` if the environment selects none.
    init?(_ environment: [String: String]) throws {
        let command = environment["CHRONICLE_PAGER"] ?? environment["PAGER"] ?? "less"
        guard !command.isEmpty, command != "cat" else { return nil }
        var environment = environment
        environment["LESS"] = environment["LESS"] ?? "FRX"
        // Ctrl-C is for the pager, which shares the terminal with this process.
        signal(SIGINT, SIG_IGN)
        process = try ChildProcess(["/bin/sh", "-c", command], environment: environment)
    }

    func write(_ data: Data) throws { try process.write(data) }

    /// Waits until the user has closed the pager.
    func finish() {
        process.closeInput()
        _ = process.wait()
    }
}
