/// A command such as `log`: its declaration, from which parsing, help, completions and the manual page are derived, and the
/// closure that runs it.
struct Command: Sendable {
    /// An argument without a name, such as `FILE`.
    struct Operand: Sendable {
        let name: String
        let summary: String
        /// Whether the operand may be missing. See ``OptionParser`` for which one is missing.
        var isOptional = false
        /// The last operand can be missing or repeated.
        var isRepeated = false

        /// The name in a usage text, such as `[FILE]` or `[TABLE...]`.
        var usage: String { isRepeated ? "[\(name)...]" : isOptional ? "[\(name)]" : name }
    }

    struct Option: Sendable {
        /// What a shell suggests for the value.
        enum Values: Sendable {
            case any, files
            /// The names of the models or tables of a file.
            case names
            case list([String])
        }

        let name: String
        var letter: Character?
        /// `nil` if the option has no value.
        var value: String?
        var values = Values.any
        let summary: String
    }

    let name: String
    /// One line without a period.
    let summary: String
    /// The details for `--help` and the manual page.
    let discussion: String
    var operands: [Operand] = [.file]
    var options: [Option] = []
    /// The name of the arguments after `--`, or `nil` if the command has none.
    var trailing: String?
    /// The meaning of exit status 1, or `nil` if the command does not use it.
    var negativeResult: String?
    let run: @Sendable (Arguments, Console) async throws -> ExitStatus

    /// Without a value, `--version` requests the version of the tool even if the command has an option of this name.
    func isVersionRequest(_ arguments: Arguments) -> Bool {
        arguments.has("version") && (arguments.value("version") == "" || !options.contains { $0.name == "version" })
    }

    /// Includes the options that every command has.
    var allOptions: [Option] {
        // An option of the command replaces one that every command has.
        options + Option.common.filter { common in !options.contains { $0.name == common.name } }
    }
}

extension Command.Operand {
    static func tables(_ summary: String) -> Command.Operand {
        Command.Operand(name: "TABLE", summary: summary, isRepeated: true)
    }

    /// Most commands read or write the store.
    static let file = Command.Operand(
        name: "FILE",
        summary: "the store, a path or postgresql://…; $CHRONICLE_FILE or the only store in the directory if omitted",
        isOptional: true)
}

extension Command.Option {
    static let json = Command.Option(name: "json", summary: "print JSON, one object per line")

    static let modelFile = Command.Option(
        name: "model", value: "FILE", values: .files,
        summary: "the compiled model of a store of SwiftData or Core Data, a .mom or .momd, for the names in the output"
    )

    static let common = [
        Command.Option(
            name: "color", value: "WHEN", values: .list(["auto", "always", "never"]),
            summary: "use colors: auto (on a terminal), always or never"),
        Command.Option(name: "no-pager", summary: "do not show the output with a pager"),
        Command.Option(name: "help", letter: "h", summary: "show this help"),
        Command.Option(name: "version", summary: "show the version of the tool"),
    ]
}

enum ExitStatus: Int32, Sendable {
    /// The command did what it was asked to do, or the answer is yes.
    case success = 0
    /// The answer is no: nothing was found, positions differ, or a file is damaged.
    case negative = 1
    case usage = 2
    case unreadable = 3
}
