import Foundation

/// Shows output on a terminal in pages. As with git, `CHRONICLE_PAGER`, then `PAGER` replaces `less`; an empty value or
/// `cat` selects none. `less` gets the options `FRX` unless `LESS` is set: it ends if the output fits on the screen, shows
/// colors, and leaves the output on the screen.
final class Pager {
    private let process: ChildProcess

    /// `nil` if the environment selects no pager.
    init?(_ environment: [String: String]) throws {
        let command = environment["CHRONICLE_PAGER"] ?? environment["PAGER"] ?? "less"
        guard !command.isEmpty, command != "cat", Self.exists(command, environment) else { return nil }
        var environment = environment
        environment["LESS"] = environment["LESS"] ?? "FRX"
        // Ctrl-C is for the pager, which shares the terminal with this process.
        signal(SIGINT, SIG_IGN)
        process = try ChildProcess(["/bin/sh", "-c", command], environment: environment)
    }

    /// A missing program must not hide the output.
    private static func exists(_ command: String, _ environment: [String: String]) -> Bool {
        // The shell reads other commands, such as those with variables.
        let name = command.prefix { $0 != " " }
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || "/._+-".contains($0) }) else { return true }
        if name.contains("/") { return access(String(name), X_OK) == 0 }
        let directories = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return directories.contains { access("\($0)/\(name)", X_OK) == 0 }
    }

    func write(_ data: Data) throws { try process.write(data) }

    func finish() {
        process.closeInput()
        _ = process.wait()
    }
}
