enum HelpText {
    /// Returns the arguments of a command, such as `[OPTION…] [FILE] TRANSACTION`.
    static func usage(of command: Command) -> String {
        let operands = command.operands.map(\.usage)
        let trailing = command.trailing.map { ["--", $0] } ?? []
        return (["chronicle", command.name, "[OPTION...]"] + operands + trailing).joined(separator: " ")
    }

    /// Returns the names of an option, such as `-n, --number N`.
    static func names(of option: Command.Option) -> String {
        (option.letter.map { "-\($0), " } ?? "") + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    static func text(of command: Command, width: Int) -> String {
        var text = "\(command.summary.capitalizedFirst).\n\nUsage: \(usage(of: command))\n\n"
        text += TextLayout.wrapped(command.discussion, width: width) + "\n"
        text += section("Arguments", command.operands.map { ($0.name, $0.summary) }, width)
        text += section("Options", command.allOptions.map { (names(of: $0), $0.summary) }, width)
        text += section("Exit status", statuses(of: command), width)
        return text
    }

    static func statuses(of command: Command) -> [(String, String)] {
        [("0", "success")] + (command.negativeResult.map { [("1", $0)] } ?? [])
            + [("2", "wrong arguments"), ("3", "the file cannot be read or written")]
    }

    static func overview(_ commands: [Command], width: Int) -> String {
        "Inspect the history of Chronicle stores and tracked databases, without model classes.\n\n"
            + "Usage: chronicle COMMAND [OPTION...] [FILE] ...\n"
            + section("Commands", commands.map { ($0.name, $0.summary) }, width)
            + "\n"
            + TextLayout.wrapped(
                "Commands do not change the file unless their description says so. 'chronicle COMMAND --help' describes a "
                    + "command.", width: width) + "\n"
    }

    private static func section(_ title: String, _ rows: [(String, String)], _ width: Int) -> String {
        rows.isEmpty ? "" : "\n\(title):\n" + TextLayout.definitions(rows, width: width)
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
