import Chronicle
import Testing

@testable import ChronicleCLI

/// Arguments are parsed according to the declaration of a command.
@Suite struct OptionTests {
    private static let command = Command(
        name: "test", summary: "test", discussion: "", operands: [.file, .init(name: "A", summary: "a")],
        options: [
            .init(name: "number", letter: "n", value: "N", summary: "number"),
            .init(name: "quick", letter: "q", summary: "quick"),
            .init(name: "when", value: "WHEN", values: .list(["now", "later"]), summary: "when"),
        ], trailing: "COMMAND", run: { _, _ in .success })

    private func parse(_ arguments: String...) throws -> Arguments {
        try OptionParser(command: Self.command).parse(arguments)
    }

    @Test func optionsAndOperandsMayBeMixed() throws {
        for arguments in [
            ["-n", "3", "-q", "file", "a"], ["file", "-qn3", "a"], ["file", "a", "--number=3", "--quick"],
            ["--number", "3", "file", "--quick", "a"],
        ] {
            let parsed = try OptionParser(command: Self.command).parse(arguments)
            #expect(try parsed.count("number") == 3)
            #expect(parsed.has("quick"))
            #expect(parsed.operands == ["FILE": "file", "A": "a"])
        }
    }

    @Test func optionalOperandsComeFirst() throws {
        #expect(try parse("a").operands == ["A": "a"])
    }

    /// The first operand is the file if it is a store, and otherwise a later one.
    @Test(arguments: [
        (["a"], ["A": "a"]), (["a", "b"], ["A": "a", "B": "b"]), (["store", "a"], ["FILE": "store", "A": "a"]),
        (["store"], ["A": "store"]), (["store", "a", "b"], ["FILE": "store", "A": "a", "B": "b"]),
    ])
    func optionalOperandsAtBothEnds(_ arguments: [String], _ operands: [String: String]) throws {
        let command = Command(
            name: "test", summary: "test", discussion: "",
            operands: [.file, .init(name: "A", summary: "a"), .init(name: "B", summary: "b", isOptional: true)],
            run: { _, _ in .success })
        #expect(try OptionParser(command: command, isStore: { $0 == "store" }).parse(arguments).operands == operands)
        #expect(throws: UsageError.self) { try OptionParser(command: command, isStore: { _ in true }).parse([]) }
    }

    @Test func argumentsAfterTwoHyphensBelongToTheCommand() throws {
        let parsed = try parse("a", "--", "grep", "-q", "--", "x")
        #expect(parsed.trailing == ["grep", "-q", "--", "x"])
        #expect(!parsed.has("quick"))
    }

    @Test func aHyphenIsAnOperand() throws {
        #expect(try parse("-").operands == ["A": "-"])
    }

    @Test(arguments: [
        (["--nmber", "3", "a"], "unknown option --nmber; did you mean --number?"),
        (["--xyzzyx", "a"], "unknown option --xyzzyx"),
        (["-x", "a"], "unknown option -x"),
        (["--number"], "--number requires a value: N"),
        (["-n"], "-n requires a value: N"),
        (["--quick=1", "a"], "--quick has no value"),
        (["--when", "never", "a"], "--when cannot be never; it is one of now, later"),
        ([], "A is missing"),
        (["a", "b", "c"], "unexpected argument c"),
    ])
    func errorsNameTheArgument(_ arguments: [String], _ message: String) throws {
        let error = #expect(throws: UsageError.self) { try OptionParser(command: Self.command).parse(arguments) }
        #expect(error?.message == message)
    }

    @Test(arguments: ["x", "-1", "1.5", "99999999999999999999"])
    func aCountIsANumber(_ text: String) throws {
        #expect(throws: UsageError.self) { try parse("--number=\(text)", "a").count("number") }
    }

    @Test(arguments: [
        ("lgo", "log"), ("dif", "diff"), ("stat", "stats"), ("vrify", "verify"), ("purgee", "purge"),
        ("consumer", "consumers"),
    ])
    func theNearestCommandIsSuggested(_ name: String, _ expected: String) {
        #expect(NearestName.nearest(to: name, in: Tool.commands.map(\.name)) == expected)
    }

    @Test func aNameThatDiffersTooMuchIsNotSuggested() {
        #expect(NearestName.nearest(to: "frobnicate", in: Tool.commands.map(\.name)) == nil)
        #expect(NearestName.nearest(to: "T", in: ["k", "t"]) == "t" && NearestName.nearest(to: "T", in: ["k"]) == nil)
        #expect(NearestName.nearest(to: String(repeating: "x", count: 100_000), in: ["log"]) == nil)
    }

    @Test func declarationsAreComplete() {
        #expect(Set(Tool.commands.map(\.name)).count == Tool.commands.count)
        for command in Tool.commands {
            let names = command.allOptions.map(\.name)
            #expect(Set(names).count == names.count)
            let letters = command.allOptions.compactMap(\.letter)
            #expect(Set(letters).count == letters.count)
            #expect(!command.discussion.isEmpty)
            #expect(!command.summary.hasSuffix("."))
            // The file and the last operands are optional.
            let required = command.operands.dropFirst().drop { !$0.isOptional }
            #expect(required.allSatisfy { $0.isOptional })
        }
    }

    @Test(arguments: Tool.commands.map(\.name), [20, 40, 80, 200])
    func helpFitsTheWidth(_ name: String, _ width: Int) throws {
        let command = try #require(Tool.commands.first { $0.name == name })
        let text = HelpText.text(of: command, width: width)
        #expect(text.contains(command.name))
        for option in command.allOptions { #expect(text.contains("--\(option.name)")) }
        // Words that are longer than the width, and examples, are not divided.
        for line in text.split(separator: "\n")
        where width >= 80 && !line.hasPrefix("  ") && !line.contains("Usage") {
            #expect(line.count <= width, "\(line)")
        }
    }

    @Test(arguments: [["--version"], ["version"], ["log", "--version"], ["watch", "--version", "--name", "x"]])
    func theVersionIsShown(_ arguments: [String]) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("chronicle \(Tool.version) (SQLite 3."))
    }
}
