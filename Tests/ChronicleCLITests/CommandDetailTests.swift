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

    #if !Seals
        @Test func verificationSaysThatSealsWereNotVerified() async throws {
            let file = try GoldenStore.copy()
            #expect(try await !CommandRun("verify", file.path).errors.contains("sealed"))
            do {
                let store = try StoreFile(StoreFile.Location(file.path), allowsSave: true).store
                let sealing = try #require(store as? any HistorySealing)
                _ = try sealing.sealHistory(ReferenceHashing())
            }
            let verification = try await CommandRun("verify", file.path)
            #expect(verification.status == 0)
            #expect(verification.errors.contains("Note: the history is sealed; its seals were not verified."))
        }
    #endif

    /// Changes that were not recorded are between the transactions of the file, and no other transaction is missing.
    @Test func aGapWithinTheHistory() async throws {
        let file = try GoldenStore.copy()
        let before = try await CommandRun("stats", file.path).output
        #expect(!before.contains("recorded completely since"))
        #expect(try await !CommandRun("verify", file.path).errors.contains("gap"))
        let trip = try Shell.sqlite3(file, "SELECT id FROM chronicle_entity WHERE name = 'Trip'")
        _ = try Shell.sqlite3(
            file, "DROP TRIGGER chronicle_\(trip)_update; UPDATE Trip SET note = 'lost'")
        #expect(try await CommandRun("tag", file.path, "resumed").status == 0)
        let tag = try await CommandRun("tag", file.path).output.split(separator: "\n").first { $0.contains("resumed") }
        let gap = String(try #require(tag?.split(separator: " ").first))
        let number = String(gap.prefix { $0 != "-" })
        _ = try Shell.sqlite3(file, "UPDATE Trip SET name = 'x'")
        _ = try await CommandRun("tag", file.path, "later")

        let statistics = try await CommandRun("stats", file.path).output
        let row = try Regex("history begins +at the start\nrecorded completely since +\(gap)\n")
        #expect(statistics.contains(row), "\(statistics)")
        let json = try await CommandRun("stats", "--json", file.path).output
        #expect(json.contains("\"earliestToken\":\"0\",\"completeToken\":\"\(gap)\""), "\(json)")
        let gauges = try await CommandRun("stats", "--format", "prometheus", file.path).output
        let gauge = try Regex("chronicle_history_earliest_position\\{[^}]*\\} \(number)\n")
        #expect(gauges.contains(gauge), "\(gauges)")

        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 0 && verification.errors.contains("has a gap before \(gap);"), "\(verification)")

        let log = try await CommandRun("log", "--oneline", file.path).output.split(separator: "\n")
        #expect(log.filter { $0.contains("(after changes that were not recorded)") } == [log[0]], "\(log)")
        #expect(log.count > 5)
        let lines = try await CommandRun("log", "--json", file.path).output.split(separator: "\n")
        #expect(lines.filter { $0.contains("\"followsGap\":true") } == [lines[0]])
        let full = try await CommandRun("log", "-n", "1", file.path).output
        #expect(full.contains("(changes before it were not recorded)"), "\(full)")

        for start in ["start", "beginning", number, gap] {
            let difference = try await CommandRun("diff", file.path, start)
            #expect(difference.status == 1 && difference.output.hasPrefix("update Trip/1\n"), "\(difference)")
            let trips = try await CommandRun("at", file.path, start, "Trip")
            #expect(trips.status == 0 && trips.output.contains("Honeymoon"), "\(trips)")
            let changes = try await CommandRun("log", "--oneline", "--after", start, file.path)
            #expect(changes.output == "\(log[0])\n", "\(changes)")
        }
        let earlier = try await CommandRun("at", file.path, "11", "Trip")
        let text = "some changes between position 11 and position \(number) were not recorded, because"
        #expect(earlier.status == 3 && earlier.errors.contains(text), "\(earlier)")
        #expect(earlier.errors.hasSuffix("; use a later position, such as start\n"), "\(earlier)")
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

    /// Each table has the key of a row in another place: as the rowid, as a text, in several columns.
    @Test(arguments: [
        ("r", "pk = 7", "r/7"), ("r", "id = 7", "r/7"), ("r", "pk > 7", nil), ("t", "k = 'x'", "t/'x'"),
        ("t", "\"k\" = \"NULL\"", "t/'NULL'"), ("c", "a = 1 and b = 'it''s'", "c/(1,'it''s')"),
        ("q", "\"q w\" = 2", "q/1"), ("q", "\"a=\"\"b\" = 3", "q/1"), ("q", "id = 1 and 'q w' >= 2", "q/1"),
    ])
    func conditionsNameKeysAndColumns(_ table: String, _ condition: String, _ model: String?) async throws {
        let run = try await CommandRun("at", keysAndNames().path, "now", table, "--where", condition)
        #expect(run.status == (model == nil ? 1 : 0), "\(run.errors)")
        #expect(run.output.split(separator: "\n").first.map(String.init) == model)
    }

    @Test(arguments: [
        ("t", "id = 1", "t has no stored property id; its primary key is k"),
        ("c", "id = 1", "c has no stored property id; its primary key is a, b"),
        ("r", "pkk = 1", "did you mean pk?"), ("q", "q = 2", "q has no stored property q"),
    ])
    func conditionsWithOtherKeys(_ table: String, _ condition: String, _ message: String) async throws {
        let run = try await CommandRun("at", keysAndNames().path, "now", table, "--where", condition)
        #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }

    private func keysAndNames() throws -> URL {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE r(pk INTEGER PRIMARY KEY, v); INSERT INTO r VALUES (7, 1);
            CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('NULL', 4), ('x', 1);
            CREATE TABLE c(a, b, v, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO c VALUES (1, 'it''s', 1), (2, 'b', 2);
            CREATE TABLE q(id INTEGER PRIMARY KEY, "q w" INT, "a=""b"); INSERT INTO q VALUES (1, 2, 3);
            """)
        try TrackedDatabase(url: file).track()
        return file
    }
}
