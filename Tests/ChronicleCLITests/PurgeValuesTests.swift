import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `purge --erase-values`: rules for preserved values.
@Suite struct PurgeValuesTests {
    private func run(_ file: URL, _ arguments: String...) async throws -> CommandRun {
        try await CommandRun(["purge"] + arguments + [file.path])
    }

    /// The tool's clock is an hour after the newest transactions.
    @Test func valuesAreErased() async throws {
        let file = try GoldenStore.copy()
        let before = try await CommandRun("log", "--oneline", file.path)
        let rules = ["--erase-values", "Trip.note=0s", "--erase-values", "BucketListItem=9999w"]
        let planned = try await CommandRun(["purge", "--dry-run"] + rules + [file.path])
        #expect(planned.status == 0, "\(planned.errors)")
        let lines = planned.output.split(separator: "\n")
        try #require(lines.count >= 3 && lines[0] == "Would delete 0 transactions.", "\(planned.output)")
        #expect(lines[1].hasPrefix("Would erase ") && lines[1].contains(" of Trip.note, up to "))
        #expect(lines[2] == "Would erase 0 preserved values of BucketListItem.")
        let count = try #require(lines[1].split(separator: " ").compactMap { Int($0) }.first)
        #expect(count > 0)
        let json = try await CommandRun(["purge", "--dry-run", "--json"] + rules + [file.path])
        #expect(
            json.output.contains(#"{"entity":"Trip","attribute":"note","seconds":0,"count":\#(count),"through":""#),
            "\(json.output)")
        #expect(json.output.contains(#"{"entity":"BucketListItem","attribute":null,"#))

        let purged = try await CommandRun(["purge"] + rules + [file.path])
        #expect(
            purged.output.hasPrefix("Deleted 0 transactions with 0 changes.\nErased \(count) preserved value"),
            "\(purged.output) \(purged.errors)")
        // A purge groups changes of other programs.
        let after = try await CommandRun("log", "--oneline", file.path)
        #expect(after.output.split(separator: "\n").count == before.output.split(separator: "\n").count)
        #expect(try await CommandRun("verify", file.path).status == 0)
        let again = try await CommandRun(["purge", "--json"] + rules + [file.path])
        #expect(again.output.contains(#""values":0"#), "\(again.output)")
        #expect(try await !run(file, "--max-changes", "1000", "--json").output.contains("values"))
    }

    /// The newest changes are of another program, and have no header yet.
    @Test(arguments: 1...13) func theWholeHistoryIsPlanned(_ maximum: Int) async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(file, "CREATE TABLE d(pk INTEGER PRIMARY KEY, v)")
        #expect(try await CommandRun("track", file.path).status == 0)
        for _ in 0..<4 {
            // The next change begins another transaction.
            _ = try Shell.sqlite3(
                file, "INSERT INTO d(v) VALUES (1), (2), (3); UPDATE chronicle_pending SET started = started - 60")
        }
        let planned = try await run(file, "--dry-run", "--max-changes", "\(maximum)").output
        let purged = try await run(file, "--max-changes", "\(maximum)").output
        let count = maximum < 6 ? 3 : maximum < 9 ? 2 : maximum < 12 ? 1 : 0
        let text = "\(count) transaction\(count == 1 ? "" : "s")"
        #expect(planned.hasPrefix("Would delete \(text)") && purged.hasPrefix("Deleted \(text)"), "\(planned)\(purged)")
    }

    @Test(arguments: [
        ("Trip.nte=1d", "Trip has no attribute nte; did you mean note?"),
        ("Tripp=1d", "the history has no entity Tripp; did you mean Trip?"),
        ("Tripp.note=1d", "the history has no entity Tripp; did you mean Trip?"),
        (
            "Trip.note",
            "Trip.note is not a rule; write an entity or an attribute with an age, such as Customer.email=30d"
        ),
        ("Trip.note=1", "Trip.note=1 is not a rule"), ("=1d", "=1d is not a rule"),
    ])
    func errors(_ rule: String, _ message: String) async throws {
        let file = try GoldenStore.copy()
        for options in [["--dry-run"], []] {
            let run = try await CommandRun(
                ["purge", "--max-changes", "1", "--erase-values", rule] + options + [file.path])
            #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
        }
        #expect(try await !CommandRun("log", "--oneline", file.path).output.isEmpty)
    }

    @Test func attributesOfOtherSubclassesAreUnknown() async throws {
        let types: [any PersistentModel.Type] = [
            Siblings.First.Base.self, Siblings.First.One.self, Siblings.First.Two.self,
        ]
        let store = try TestStore(.file, types, preservesValues: true)
        let rule = try await run(store.url, "--erase-values", "Two.value=1d")
        #expect(rule.status == 2 && rule.errors.contains("Two has no attribute value"), "\(rule.errors)")
        #expect(try await run(store.url, "--erase-values", "One.value=1d").status == 0)
    }

    @Test func aStoreWithoutPreservedValuesSaysWhatToEnable() async throws {
        let store = try TestStore(.file, [BucketListItem.self, Trip.self])
        try store.add("a")
        let rule = try await run(store.url, "--erase-values", "Trip.note=1d")
        #expect(
            rule.status == 2
                && rule.errors.contains(
                    "preserves no values of Trip.note; open the store with preservesValues: true to preserve them"),
            "\(rule.errors)")
        // The name is preserved by its option.
        #expect(try await run(store.url, "--erase-values", "Trip.name=1d").status == 0)
    }

    @Test func tablesHaveRules() async throws {
        let file = try TemporaryDirectory().file("tracked.db")
        _ = try Shell.sqlite3(
            file, #"CREATE TABLE "a.b"(id INTEGER PRIMARY KEY, "x=y"); CREATE TABLE c(id INTEGER PRIMARY KEY, t)"#)
        #expect(try await CommandRun("track", file.path).status == 0)
        _ = try Shell.sqlite3(file, #"INSERT INTO "a.b" VALUES (1, 'secret')"#)
        // A change that is more than a second later ends the transaction.
        _ = try Shell.sqlite3(file, "UPDATE chronicle_pending SET started = started - 600000000")
        let purged = try await run(file, "--erase-values", "a.b.x=y=1d")
        #expect(purged.status == 0 && purged.output.hasSuffix("Erased 1 preserved value.\n"), "\(purged)")
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM chronicle_change WHERE new_value = 'secret'") == "0")
        #expect(try await CommandRun("verify", file.path).status == 0)
        #expect(try await CommandRun("track", "--no-values", file.path).status == 0)
        let rule = try await run(file, "--erase-values", "c.t=1d")
        #expect(
            rule.status == 2 && rule.errors.contains("run `chronicle track --values \(file.path)`"), "\(rule.errors)")
    }

    /// Each name is the one that exists, whichever period separates it.
    @Test func namesCanContainPeriods() async throws {
        let file = try TemporaryDirectory().file("tracked.db")
        _ = try Shell.sqlite3(
            file,
            #"""
            CREATE TABLE a(id INTEGER PRIMARY KEY, "b.c", "b.d"); CREATE TABLE "a.b"(id INTEGER PRIMARY KEY, c, e);
            CREATE TABLE "a.b.e"(id INTEGER PRIMARY KEY, f); CREATE TABLE "q""r"(id INTEGER PRIMARY KEY, "x""y")
            """#)
        #expect(try await CommandRun("track", file.path).status == 0)
        func planned(_ rule: String) async throws -> CommandRun {
            try await run(file, "--dry-run", "--erase-values", "\(rule)=1d")
        }
        for (rule, name) in [
            ("a.b.d", "a.b.d"), ("a.b", "a.b"), ("a.b.e.f", "a.b.e.f"), (#""a"."b.c""#, "a.b.c"),
            (#""a".b.c"#, "a.b.c"), (#""a.b".c"#, "a.b.c"), (#""a.b"."e""#, "a.b.e"), (#""a.b.e""#, "a.b.e"),
            (#"q"r.x"y"#, #"q"r.x"y"#), (#""q""r"."x""y""#, #"q"r.x"y"#),
        ] {
            let run = try await planned(rule)
            #expect(
                run.status == 0 && run.output.hasSuffix("Would erase 0 preserved values of \(name).\n"),
                "\(rule): \(run.output) \(run.errors)")
        }
        for (rule, message) in [
            (
                "a.b.c",
                "a.b.c can be the attribute b.c of the entity a or the attribute c of the entity a.b; "
                    + #"write names in double quotes, such as "a"."b.c" or "a.b"."c""#
            ),
            (
                "a.b.e",
                #"a.b.e can be the entity a.b.e or the attribute e of the entity a.b; write names in double quotes, "#
                    + #"such as "a.b.e" or "a.b"."e""#
            ),
            ("a.b.g", "a has no attribute b.g, and a.b has no attribute g; did you mean b.c?"),
            (#""a.b"."cc""#, "a.b has no attribute cc; did you mean c?"),
            ("x.y.z", "the history has no entity x or x.y"),
        ] {
            let run = try await planned(rule)
            #expect(run.status == 2 && run.errors.contains(message), "\(rule): \(run.output) \(run.errors)")
        }
    }
}
