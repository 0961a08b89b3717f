import ChronicleTestSupport
import Foundation
import Testing

/// The program at the start of the README was compiled and run.
@Suite struct ReadmeTests {
    private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func blocks(_ language: String) throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return readme.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    @Test func readmeContainsTheCompiledProgram() throws {
        let program = try String(contentsOf: root.appending(path: "Examples/FirstSteps/main.swift"), encoding: .utf8)
        #expect(try blocks("swift").first == program)
    }

    @Test func programPrintsTheOutputInTheReadme() throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "FirstSteps")
        let (status, output, errors) = try Shell.run(program.path, [])
        #expect(status == 0, "\(errors)")
        #expect(try blocks("text").first == output)
    }
}
