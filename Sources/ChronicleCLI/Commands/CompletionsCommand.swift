import Chronicle

/// `chronicle completions` and `chronicle manual`.
enum CompletionsCommand {
    static let command = Command(
        name: "completions", summary: "print the completions for a shell",
        discussion: """
            Prints a script with which a shell completes commands, options, and the names of models and tables.

              bash: source <(chronicle completions bash)
              fish: chronicle completions fish > ~/.config/fish/completions/chronicle.fish
              zsh: chronicle completions zsh > DIRECTORY/_chronicle, with a DIRECTORY of fpath
            """,
        operands: [.init(name: "SHELL", summary: "bash, fish or zsh", isOptional: true)],
        options: [
            .init(
                name: "names", value: "FILE", values: .files,
                summary: "print the names of the models or tables of a file, as the scripts do")
        ], run: run)

    static let manual = Command(
        name: "manual", summary: "print the manual page",
        discussion: "Prints the manual page, for example for man -l <(chronicle manual).", operands: [],
        run: { _, console in
            try console.write(ManualPage.text(Tool.commands))
            return .success
        })

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        if let path = arguments.value("names") {
            for name in try names(path, console) { try console.line(name) }
            return .success
        }
        switch try arguments.required("SHELL") {
        case "bash": try console.write(Completions.bash(Tool.commands))
        case "fish": try console.write(Completions.fish(Tool.commands))
        case "zsh": try console.write(Completions.zsh(Tool.commands))
        case let other: throw UsageError("there are no completions for \(other.escaped); use bash, fish or zsh")
        }
        return .success
    }

    /// An empty path is the default of ``StoreFile/path(_:_:)``. A server is not asked, because this could take long.
    private static func names(_ path: String, _ console: Console) throws -> [String] {
        let path = try StoreFile.path(path.isEmpty ? nil : path, console.settings.environment)
        console.file = path
        let location = try StoreFile.Location(path)
        guard let url = location.url else { return [] }
        try StoreFile.requireFile(path)
        var names: Set<String> = []
        do {
            let file = try StoreFile(location, allowsSave: false)
            names = Set(file.schema.entities.map(\.name) + (try file.trackedTables().filter(\.isOrdinary).map(\.name)))
        } catch SwiftDataError.notAChronicleStore {
            names = Set(try TrackedDatabase(url: url).tables().filter(\.isOrdinaryTable).map(\.name))
        }
        // The scripts read lines, and shells show them.
        return names.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }.sorted()
    }
}
