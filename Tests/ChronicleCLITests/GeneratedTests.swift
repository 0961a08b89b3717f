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
        #expect(try completions("chronicle s") == ["show", "sql", "schema", "stats", "serve"])
        #expect(try completions("chronicle log --en") == ["--entity"])
        #expect(try completions("chronicle log --color a") == ["auto", "always"])
        #expect(try completions("chronicle completions z") == ["zsh"])
        #expect(try completions("chronicle log --author x").isEmpty)
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
