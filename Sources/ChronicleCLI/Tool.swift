import Chronicle
import Foundation

@main
enum Tool {
    /// The commands in the order of the help.
    static let commands: [Command] = [
        LogCommand.command, ShowCommand.command, DiffCommand.command, BlameCommand.command, AtCommand.command,
        SQLCommand.command, ViewsCommand.command, SchemaCommand.command, StatisticsCommand.command,
        ConsumersCommand.command,
        TagCommand.command,
        SealCommand.command, VerifyCommand.command,
        PurgeCommand.command, TrackCommand.command, UntrackCommand.command,
        ExportCommand.command, ImportCommand.command, ConvertCommand.command, WatchCommand.command,
        TimelineCommand.command, ServeCommand.command, CompletionsCommand.command, CompletionsCommand.manual,
    ]

    /// The version as in the changelog.
    static let version = "0.2.0-dev"

    static func main() async {
        // Writes to a closed pipe are errors, which end the process quietly.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        exit(await run(Array(CommandLine.arguments.dropFirst()), console))
    }

    /// Returns the exit status.
    static func run(_ arguments: [String], _ console: Console) async -> Int32 {
        do {
            let status = try await runCommand(arguments, console)
            // The command has ended with a status, also if its last output is not read any more.
            do { try console.finish() } catch is Console.ClosedOutput {}
            return status.rawValue
        } catch is Console.ClosedOutput {
            // The reader of the output has ended, for example `head` or a pager. There is nothing left to write.
            try? console.finish()
            return ExitStatus.success.rawValue
        } catch {
            // The error is reported below even if the output cannot be written.
            try? console.finish()
            let (message, status) = ErrorText.describe(error, file: console.file)
            console.message("chronicle: \(message)")
            return status.rawValue
        }
    }

    private static func runCommand(_ arguments: [String], _ console: Console) async throws -> ExitStatus {
        guard let name = arguments.first, !["--help", "-h", "help"].contains(name) || arguments.count > 1 else {
            try console.write(HelpText.overview(commands, width: console.settings.columns))
            return arguments.isEmpty ? .usage : .success
        }
        if name == "--version" || name == "version" { return try writeVersion(console) }
        if name == "help" { return try await runCommand([arguments[1], "--help"], console) }
        guard let command = commands.first(where: { $0.name == name }) else {
            if name == "revert" { throw UsageError("the tool does not write models; see ModelContext/revert(_:)") }
            let nearest = NearestName.nearest(to: name, in: commands.map(\.name))
            throw UsageError(
                "unknown command \(name.escaped)"
                    + (nearest.map { "; did you mean \($0)?" } ?? "; see chronicle --help"))
        }
        let parsed: Arguments
        do {
            parsed = try OptionParser(command: command).parse(arguments.dropFirst())
        } catch let error as UsageError {
            throw UsageError("\(name): \(error.message)\nUsage: \(HelpText.usage(of: command))")
        }
        if command.isVersionRequest(parsed) { return try writeVersion(console) }
        console.apply(parsed)
        if parsed.has("help") {
            try console.write(HelpText.text(of: command, width: console.settings.columns))
            return .success
        }
        do { return try await command.run(parsed, console) } catch {
            if error is Console.ClosedOutput { throw error }
            guard let misplaced = parsed.misplacedFile(of: command) else { throw error }
            throw UsageError("\(name): \(misplaced)\nUsage: \(HelpText.usage(of: command))")
        }
    }

    private static func writeVersion(_ console: Console) throws -> ExitStatus {
        try console.line("chronicle \(version) (SQLite \(DefaultStore.libraryVersion))")
        return .success
    }
}
