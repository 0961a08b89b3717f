import ChronicleTestSupport
import Foundation
import Testing

/// The program at the start of the README was compiled and run, and the tool prints its history.
@Suite struct ReadmeTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func blocks(_ language: String) throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return readme.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    private func run(_ program: String, _ arguments: [String], in directory: URL) throws -> String {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let command = ["cd \"$0\" && exec \"$@\"", directory.path, products.appending(path: program).path] + arguments
        let (status, output, errors) = try Shell.run("/bin/sh", ["-c"] + command)
        #expect(status == 0, "\(errors)")
        return output
    }

    @Test func readmeContainsTheCompiledProgram() throws {
        let program = try String(contentsOf: root.appending(path: "Examples/Quickstart/main.swift"), encoding: .utf8)
        #expect(try blocks("swift").first == program)
    }

    @Test func programAndToolPrintTheOutputInTheReadme() throws {
        let directory = try TemporaryDirectory()
        let output = try run("Quickstart", [], in: directory.url)
        #expect(try blocks("text").first == output)
        let listing = try #require(try blocks("console").first)
        let command = try #require(listing.split(separator: "\n").first).split(separator: " ").map(String.init)
        #expect(command.prefix(2) == ["$", "chronicle"])
        let log = try run("chronicle", Array(command.dropFirst(2)), in: directory.url)
        // Numbers that differ in each run.
        func stable(_ text: String) -> String {
            text.replacing(/-[0-9a-f]{16}/, with: "").replacing(/Date: .*/, with: "Date:").replacing(
                /\([0-9]+\)/, with: "")
        }
        #expect(stable(log) == stable(listing.split(separator: "\n", maxSplits: 1).last.map(String.init) ?? ""))
    }

    @Test func readmeHasTheResultsOfTheFaults() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let results = try String(
            contentsOf: root.appending(path: "Documentation/Reliability.md"), encoding: .utf8)
        let all = try #require(results.split(separator: "\n").first { $0.hasPrefix("| all |") })
        let columns = all.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        let (lost, invalid) = (columns[5], columns[6])
        for (name, column) in ["simulated power failures": 1, "failing system calls": 2, "killed processes": 4] {
            #expect(readme.contains("| \(name) | \(columns[column]) | \(lost) |"))
        }
        #expect(lost == "0" && invalid == "0")
    }
}
