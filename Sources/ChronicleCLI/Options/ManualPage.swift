import Foundation

/// The manual page in the language of `man`: https://man7.org/linux/man-pages/man7/man.7.html
enum ManualPage {
    static func text(_ commands: [Command]) -> String {
        var lines = [
            ".TH CHRONICLE 1", ".SH NAME", "chronicle \\- inspect the history of Chronicle stores", ".SH SYNOPSIS",
            ".B chronicle", "\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR] ...", ".SH DESCRIPTION",
        ]
        lines += paragraphs(
            "Reads and writes the stores of programs that use Chronicle, without their model classes, and records the "
                + "changes of other SQLite and PostgreSQL databases. Commands do not change the file unless their description says so."
        )
        lines += [".SH COMMANDS"]
        for command in commands {
            lines += [".SS \(escaped(HelpText.usage(of: command)))"]
            lines += paragraphs(command.summary.capitalizedFirst + ".") + paragraphs(command.discussion)
            for operand in command.operands { lines += definition(operand.name, operand.summary) }
            for option in command.options { lines += definition(HelpText.names(of: option), option.summary) }
            if let negative = command.negativeResult { lines += definition("Exit status 1", negative) }
        }
        lines += [".SH OPTIONS"]
        for option in Command.Option.common { lines += definition(HelpText.names(of: option), option.summary) }
        lines += [".SH EXIT STATUS"]
        for (status, meaning) in [
            ("0", "success; the answer is yes"), ("1", "the answer is no"), ("2", "wrong arguments"),
            ("3", "the file cannot be read or written"),
        ] { lines += definition(status, meaning) }
        lines += [".SH ENVIRONMENT"]
        for (name, meaning) in environment { lines += definition(name, meaning) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let environment = [
        ("CHRONICLE_FILE", "the store if FILE is omitted"),
        ("CHRONICLE_PAGER, PAGER", "the pager on a terminal, less by default; empty or cat for none"),
        ("LESS", "the options of less, FRX by default"), ("NO_COLOR", "if it is not empty, the output has no colors"),
        ("COLUMNS", "the width if the output is not a terminal"), ("TZ", "the time zone of dates"),
    ]

    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                lines.append(".PP")
            } else if line.hasPrefix("  ") {
                lines += [".br", "\\ \\ \\fB\(escaped(line.drop { $0 == " " }))\\fR"]
            } else {
                lines.append(escaped(line))
            }
        }
        return lines + [".PP"]
    }

    private static func definition(_ term: String, _ text: String) -> [String] {
        [".TP", ".B \(escaped(term))", escaped(text)]
    }

    /// Escapes backslashes, hyphens that are not to be divided, and a period or an apostrophe at the beginning of a line.
    private static func escaped(_ text: some StringProtocol) -> String {
        let escaped = String(text).replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
