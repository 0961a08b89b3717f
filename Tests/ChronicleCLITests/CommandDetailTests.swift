import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Files, positions and values that commands treat in a special way.
@Suite struct CommandDetailTests {
    /// Makes a tracked database with a table, after statements of its program.
    private func tracked(_ sql: String) throws -> URL {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(file, sql)
        try TrackedDatabase(url: file).track()
        return file
    }

    @Test func startIsTheEarliestPositionAfterAPurge() async throws {
        let file = try GoldenStore.copy()
        #expect(try await CommandRun("purge", "--max-changes", "5", file.path).status == 0)
        #expect(try await CommandRun("diff", file.path, "start", "now").status == 1)
        #expect(try await CommandRun("log", "--after", "start", file.path).status == 0)
    }

    @Test(arguments: [["log", "--attribute", "destinatoin"], ["log", "--attribute", "xyz"]])
    func anUnknownAttributeIsAnError(_ arguments: [String]) async throws {
        let run = try await CommandRun(arguments + [GoldenStore.copy().path])
        #expect(run.status == 2)
        #expect(run.errors.contains(arguments[2]))
        #expect(run.errors.contains("did you mean destination?") == (arguments[2] != "xyz"))
    }

    @Test func filesThatCannotBeOpenedAreNamed() async throws {
        let store = try GoldenStore.copy()
        let missing = store.deletingLastPathComponent().appending(path: "missing/x").path
        for arguments in [
            ["import", store.path, missing], ["export", "-o", missing, store.path],
            ["timeline", "-o", missing, store.path],
        ] {
            let run = try await CommandRun(arguments)
            #expect(run.status == 3)
            #expect(run.errors.contains("missing/x: No such file or directory"), "\(run.errors)")
        }
    }

    @Test func aHyphenIsStandardOutput() async throws {
        let file = try GoldenStore.copy()
        let (export, redirected) = (
            try await CommandRun("export", file.path), try await CommandRun("export", "-o", "-", file.path)
        )
        // The date of a transaction that goes on is the present one.
        #expect(redirected.status == 0)
        let (lines, others) = (export.output.split(separator: "\n"), redirected.output.split(separator: "\n"))
        #expect(lines.count == others.count)
        #expect(lines.first == others.first)
        let page = try await CommandRun("timeline", "-o", "-", file.path)
        #expect(page.status == 0)
        #expect(page.output.lowercased().hasPrefix("<!doctype html>") && page.output.contains("Honeymoon"))
        #expect(!FileManager.default.fileExists(atPath: "-"))
    }

    @Test(arguments: ["no-such-pager", "no-such-pager -R", "/no/such/pager"])
    func aMissingPagerIsBypassed(_ pager: String) async throws {
        let run = try await CommandRun(["--help"]) { settings in
            settings.usesPager = true
            settings.environment["PAGER"] = pager
        }
        #expect(run.status == 0)
        #expect(run.output.contains("Commands"))
    }

    @Test func infinityDiffersFromItsText() {
        #expect(ValueText.json(Double.infinity).text == #"{"number":"inf"}"#)
        #expect(ValueText.json(-Float.infinity).text == #"{"number":"-inf"}"#)
        #expect(ValueText.json(Double.nan).text == #"{"number":"nan"}"#)
        #expect(ValueText.json("inf").text == #""inf""#)
    }

    /// JSON that a property is stored as is nested, unless a number would lose digits.
    @Test(arguments: [
        (#"{"b":[1,2.5,true,null,"x"],"a":1e300}"#, #"{"a":1e+300,"b":[1,2.5,true,null,"x"]}"#), ("[]", "[]"),
        ("7", "7"),
        ("18446744073709551615", nil), ("[0.12345678901234567890]", nil), ("{", nil),
    ])
    func nestedJSONIsExact(_ text: String, _ nested: String?) {
        #expect((try? JSONDecoder().decode(JSON.self, from: Data(text.utf8)))?.text == nested)
    }

    /// One value that the history does not preserve does not hide the others.
    @Test func missingValuesOfAPastState() async throws {
        let file = try tracked("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)")
        _ = try Shell.sqlite3(file, "INSERT INTO a VALUES (1, 'x', 1), (2, zeroblob(70000), 2), (3, NULL, 3)")
        let position = try await CommandRun("log", "--oneline", "-n", "1", file.path).output.prefix { $0 != " " }
        _ = try Shell.sqlite3(file, "UPDATE a SET v = 'y', w = 9")
        let text = try await CommandRun("at", file.path, "\(position)", "a")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("a/2\n    v: ?\n    w: 2"), "\(text.output)")
        #expect(text.output.contains("a/1\n    v: \"x\"\n    w: 1") && text.output.contains("a/3\n    v: nil"))
        let json = try await CommandRun("at", "--json", file.path, "\(position)", "a")
        #expect(json.output.contains(#"{"model":"a/2","values":{"w":2},"missing":["v"]}"#))
        #expect(json.output.contains(#"{"model":"a/3","values":{"v":null,"w":3}}"#))
        // A condition that depends on the value is an error.
        for condition in ["v = nil", "v != nil", "v = 0 and w > 1"] {
            let run = try await CommandRun("at", file.path, "\(position)", "a", "--where", condition)
            #expect(run.status > 1 && run.errors.contains("does not contain the value"), "\(run.output) \(run.errors)")
        }
        let known = try await CommandRun("at", file.path, "\(position)", "a", "--where", "v = nil and w != 2")
        #expect(known.status == 0 && known.output.hasPrefix("a/3\n"), "\(known.output) \(known.errors)")
    }

    /// A condition on the primary key finds the same rows with a lookup.
    @Test(arguments: [
        "id = 2", "id = 2 and v = \"x\"", "v = \"x\" and id = 3", "id = 9", "id = 2 and id = 3", "id != 2",
    ])
    func aConditionOnThePrimaryKey(_ condition: String) async throws {
        let file = try tracked("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        _ = try Shell.sqlite3(file, "INSERT INTO a VALUES (1, 'x'), (2, 'x'), (3, 'y')")
        let found = ["id = 2": 1, "id = 2 and v = \"x\"": 1, "id != 2": 2][condition] ?? 0
        let run = try await CommandRun("at", "--json", file.path, "now", "a", "--where", condition)
        #expect(run.output.split(separator: "\n").count == found)
        #expect(run.status == (found == 0 ? 1 : 0))
    }

    /// A program was interrupted in a transaction whose first pages it had written to the file.
    @Test(arguments: [["log"], ["stats"], ["verify"]]) func anInterruptedTransaction(_ command: [String]) async throws {
        let file = try tracked("CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, zeroblob(1000000))")
        let app = try Connection(path: file.path, mode: .readWrite)
        try app.execute(
            "PRAGMA cache_size = 1; BEGIN; UPDATE a SET v = randomblob(1000000); INSERT INTO a VALUES (2, 2)")
        let copy = try TemporaryDirectory().file("copy.db")
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
        }
        app.close()
        let run = try await CommandRun(command + [copy.path])
        #expect(run.status == 0, "\(run.output) \(run.errors)")
        #expect(try Shell.sqlite3(copy, "SELECT count(*) FROM a") == "1")
    }

    /// The history of a database is complete from the position where it was tracked.
    @Test func watchingFromTheBeginningOfAFreshFile() async throws {
        let file = try tracked("CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
        _ = try Shell.sqlite3(file, "INSERT INTO a VALUES (2)")
        let output = file.deletingLastPathComponent().appending(path: "changes").path
        let run = try await CommandRun(
            "watch", "--name", "x", "--from", "beginning", "--once", file.path, "--", "sh", "-c", "cat >> '\(output)'")
        #expect(run.status == 0, "\(run.errors)")
        let changes = try String(contentsOfFile: output, encoding: .utf8)
        #expect(changes.contains("a/2") && !changes.contains("reset"))
    }
}
