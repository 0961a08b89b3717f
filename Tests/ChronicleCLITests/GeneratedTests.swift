import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Completions and the manual page are generated from the declarations of the commands.
@Suite struct GeneratedTests {
    @Test(arguments: Completions.shells)
    func completionsContainEveryOption(_ shell: String) async throws {
        let run = try await CommandRun("completions", shell)
        #expect(run.status == 0)
        for command in Tool.commands {
            #expect(run.output.contains(command.name))
            let prefix = shell == "fish" ? "-l " : "--"
            for option in command.allOptions { #expect(run.output.contains("\(prefix)\(option.name)")) }
        }
    }

    @Test func bashCompletes() async throws {
        let script = try await CommandRun("completions", "bash").output
        let file = try TemporaryDirectory().file("chronicle.bash")
        try Data(script.utf8).write(to: file)
        func completions(_ words: String) throws -> [String] {
            let parts = words.split(separator: " ", omittingEmptySubsequences: false)
            let list = parts.map { "'\($0)'" }.joined(separator: " ")
            let code =
                "source '\(file.path)'; COMP_WORDS=(\(list)); COMP_CWORD=\(parts.count - 1); _chronicle; printf '%s\\n' \"${COMPREPLY[@]}\""
            let (status, output, errors) = try Shell.run("/bin/bash", ["-c", code])
            #expect(status == 0, "\(errors)")
            return output.split(separator: "\n").map(String.init)
        }
        #expect(try completions("chronicle sh") == ["show"])
        #expect(try completions("chronicle s") == ["show", "sql", "schema", "stats", "seal", "serve"])
        #expect(try completions("chronicle log --en") == ["--entity"])
        #expect(try completions("chronicle log --color a") == ["auto", "always"])
        #expect(try completions("chronicle completions z") == ["zsh"])
        #expect(try completions("chronicle log --author x").isEmpty)
    }

    /// The script calls the tool for the names of models and tables, in which nothing is expanded.
    @Test func bashCompletesNames() async throws {
        let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "chronicle")
        let directory = try TemporaryDirectory()
        let (script, tables) = (directory.file("chronicle.bash"), directory.file("my tables.db"))
        try Data(try await CommandRun("completions", "bash").output.utf8).write(to: script)
        _ = try Shell.sqlite3(
            tables,
            """
            CREATE TABLE account(id INTEGER PRIMARY KEY); CREATE TABLE "a b"(id INTEGER PRIMARY KEY);
            CREATE TABLE "a$(touch \(directory.file("expanded").path))"(id INTEGER PRIMARY KEY); CREATE VIEW all_accounts AS SELECT 1
            """)
        func completions(_ words: [String]) throws -> [String] {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let code = """
                chronicle() { '\(tool.path)' "$@"; }; source '\(script.path)'; COMP_WORDS=(\(list))
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _chronicle; printf '%s\\n' "${COMPREPLY[@]}"
                """
            let (status, output, errors) = try Shell.run("/bin/bash", ["-c", code])
            #expect(status == 0, "\(errors)")
            return output.split(separator: "\n").map(String.init)
        }
        let word = tables.path.replacing(" ", with: "\\ ")
        let before = try Data(contentsOf: tables)
        #expect(try completions(["chronicle", "track", word, "acc"]) == ["account"])
        #expect(try completions(["chronicle", "track", word, "account", "a "]) == ["a b"])
        #expect(try completions(["chronicle", "track", word, "a$"]).count == 1)
        #expect(try completions(["chronicle", "track", word, ""]).count == 3)
        #expect(!FileManager.default.fileExists(atPath: directory.file("expanded").path))
        #expect(try Data(contentsOf: tables) == before)
        let models = try GoldenStore.copy().path
        #expect(try completions(["chronicle", "at", models, "now", "Tr"]) == ["Trip"])
        #expect(try completions(["chronicle", "log", models, "--entity", "Tr"]) == ["Trip"])
        // The values of options are no operands, in any form.
        for option in [["-n", "5"], ["-n5"], ["--number", "5"], ["--number", "=", "5"], ["--json", "-n", "5"]] {
            #expect(try completions(["chronicle", "at", models, "now"] + option + ["Tr"]) == ["Trip"], "\(option)")
            #expect(try completions(["chronicle", "at", models] + option + ["Tr"]).isEmpty, "\(option)")
            #expect(try completions(["chronicle", "at"] + option + [models, "now", "Tr"]) == ["Trip"], "\(option)")
        }
        // bash divides words at colons.
        let date = ["2026-03-01T10", ":", "00"]
        #expect(try completions(["chronicle", "at", models] + date + ["Tr"]) == ["Trip"])
        #expect(try completions(["chronicle", "at", models, "--where", "a", "=", "1", "Tr"]).isEmpty)
        #expect(try completions(["chronicle", "log", models, "--color", "=", "a"]) == ["auto", "always"])
        #expect(try completions(["chronicle", "log", script.path, "--entity", ""]).isEmpty)
        #expect(try completions(["chronicle", "track", directory.url.path + "/chronicle.b"]) == [script.path])
        let run = try await CommandRun("completions", "--names", "postgresql://localhost/none")
        #expect(run.status == 0 && run.output.isEmpty)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")))
    func zshReadsTheCompletions() async throws {
        let file = try TemporaryDirectory().file("_chronicle")
        try Data(try await CommandRun("completions", "zsh").output.utf8).write(to: file)
        #expect(try Shell.run("/usr/bin/zsh", ["-n", file.path]).status == 0)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
    func fishReadsTheCompletions() async throws {
        let file = try TemporaryDirectory().file("chronicle.fish")
        try Data(try await CommandRun("completions", "fish").output.utf8).write(to: file)
        #expect(try Shell.run("/usr/bin/fish", ["--no-execute", file.path]).status == 0)
    }

    /// Each word in single quotation marks ends on its line, so that no summary breaks the script.
    @Test func quotationMarksOfFishAreBalanced() async throws {
        for line in try await CommandRun("completions", "fish").output.split(separator: "\n") {
            let text = line.replacing("\\'", with: "")
            #expect(text.count { $0 == "'" }.isMultiple(of: 2), "\(line)")
        }
    }

    /// `CHRONICLE_WRITE_GOLDEN=1 swift test --filter GeneratedTests` writes the page anew.
    @Test func theManualPageIsCurrent() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let page = folder.appending(path: "../../Documentation/chronicle.1").standardizedFileURL
        let text = ManualPage.text(Tool.commands)
        if ProcessInfo.processInfo.environment["CHRONICLE_WRITE_GOLDEN"] != nil { try Data(text.utf8).write(to: page) }
        #expect(text == (try String(contentsOf: page, encoding: .utf8)))
    }
}
