/// `chronicle completions` and `chronicle manual`.
enum CompletionsCommand {
    static let command = Command(
        name: "completions", summary: "print the completions for a shell",
        discussion: """
            Prints a script with which a shell completes commands and options.

              bash: source <(chronicle completions bash)
              fish: chronicle completions fish > ~/.config/fish/completions/chronicle.fish
              zsh: chronicle completions zsh > DIRECTORY/_chronicle, with a DIRECTORY of fpath
            """,
        operands: [.init(name: "SHELL", summary: "bash, fish or zsh")], run: run)

    static let manual = Command(
        name: "manual", summary: "print the manual page",
        discussion: "Prints the manual page, for example for man -l <(chronicle manual).", operands: [],
        run: { _, console in
            try console.write(ManualPage.text(Tool.commands))
            return .success
        })

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        switch try arguments.required("SHELL") {
        case "bash": try console.write(Completions.bash(Tool.commands))
        case "fish": try console.write(Completions.fish(Tool.commands))
        case "zsh": try console.write(Completions.zsh(Tool.commands))
        case let other: throw UsageError("there are no completions for \(other.escaped); use bash, fish or zsh")
        }
        return .success
    }
}
