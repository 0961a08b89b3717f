import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// The commands on the database of another program.
@Suite struct TrackTests {
    private static let commands: [(name: String, arguments: [String])] = [
        ("track-again", ["track", "FILE"]), ("track-again-json", ["track", "--json", "FILE"]),
        ("track-log", ["log", "FILE"]), ("track-log-json", ["log", "--json", "FILE"]),
        ("track-log-oneline", ["log", "--oneline", "--reverse", "FILE"]),
        ("track-log-model", ["log", "--model", "folder/(2,'it''s')", "FILE"]),
        ("track-show", ["show", "FILE", "15"]), ("track-diff", ["diff", "FILE", "start", "now"]),
        ("track-diff-json", ["diff", "--json", "FILE", "start", "now"]),
        ("track-blame", ["blame", "FILE", "label/'blue'"]),
        ("track-blame-json", ["blame", "--json", "FILE", "account/1"]),
        ("track-at-start", ["at", "FILE", "start", "label"]),
        ("track-at", ["at", "FILE", "2026-01-01 02:30", "folder"]),
        ("track-at-json", ["at", "--json", "FILE", "now", "label", "--where", "color >= 1"]),
        ("track-schema", ["schema", "FILE"]), ("track-stats", ["stats", "FILE"]),
        ("track-stats-json", ["stats", "--json", "FILE"]), ("track-consumers", ["consumers", "FILE"]),
        ("track-verify", ["verify", "FILE"]),
        ("track-purge-dry-run", ["purge", "--max-changes", "3", "--dry-run", "FILE"]),
        ("track-purge", ["purge", "--max-changes", "3", "FILE"]),
        ("track-purge-compact", ["purge", "--max-changes", "3", "--compact", "FILE"]),
        ("track-export", ["export", "FILE"]),
        ("track-watch", ["watch", "--name", "shell", "--from", "start", "--once", "FILE", "--", "cat"]),
        ("track-watch-snapshot", ["watch", "--name", "mirror", "--from", "snapshot", "--once", "FILE", "--", "cat"]),
        ("track-missing-model", ["blame", "FILE", "folder/(9,'x')"]),
        ("track-wrong-key", ["blame", "FILE", "folder/7"]),
        ("track-missing-table", ["track", "FILE", "account", "accounts"]), ("track-view", ["track", "FILE", "unread"]),
        ("track-no-file", ["track"]), ("track-help", ["track", "--help"]), ("untrack-help", ["untrack", "--help"]),
        ("untrack-keep", ["untrack", "FILE"]), ("untrack-json", ["untrack", "--delete-history", "--json", "FILE"]),
    ]

    @Test(arguments: commands.map(\.name)) func outputIsUnchanged(_ name: String) async throws {
        let file = try TrackedFile.make()
        let arguments = try #require(Self.commands.first { $0.name == name }).arguments
        let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 })
        try GoldenTests().expect(run, name, file)
        guard arguments.contains("--json") else { return }
        for line in run.output.split(separator: "\n") {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    /// Changes that another program makes at nearly the same time are one transaction, whose number is that of its last
    /// change. Earlier numbers remain positions.
    @Test func anEarlierNumberOfATransaction() async throws {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(file, TrackedFile.schema)
        try TrackedDatabase(url: file).track()
        var answers: [(arguments: [String], output: String)] = []
        for name in ["red", "blue", "green"] {
            _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('\(name)', 1)")
            let line = try await CommandRun("log", "--oneline", "-n", "1", file.path).output
            let number = try #require(line.split(separator: " ").first.map(String.init))
            let arguments = ["at", file.path, number, "label"]
            let output = try await CommandRun(arguments).output
            #expect(output.contains(name))
            answers.append((arguments, output))
        }
        for answer in answers {
            #expect(try await CommandRun(answer.arguments).output == answer.output)
            let transaction = try await CommandRun("show", file.path, answer.arguments[2])
            #expect(transaction.output.contains("label"), "\(answer.arguments)")
        }
        #expect(try await CommandRun("show", file.path, "\(Int64.max)").status == 1)
    }

    @Test func changesWithoutTriggersAreReconciled() async throws {
        let file = try TrackedFile.make()
        let app = try Connection(path: file.path, mode: .readWrite)
        try app.setTriggersEnabled(false)
        try app.execute("INSERT INTO label VALUES ('green', 2), ('grey', 3); DELETE FROM label WHERE name = 'blue'")
        app.close()
        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 1)
        let text =
            "label: 2 rows were inserted and 1 row was deleted without a record; use `chronicle track --reconcile \(file.path)`"
        #expect(verification.output.contains(text))
        #expect(try await CommandRun("stats", file.path).output.contains(text))
        let run = try await CommandRun("track", "--reconcile", file.path)
        #expect(run.output.contains("Reconciled 3 changes."))
        #expect(try await CommandRun("verify", file.path).status == 0)
        let log = try await CommandRun("log", "-n", "1", file.path)
        #expect(log.output.contains("reconciled: true"))
        #expect(log.output.contains("insert label/'green'") && log.output.contains("delete label/'blue'"))
        #expect(try await CommandRun("track", "--reconcile", file.path).output.contains("Reconciled 0 changes."))
    }

    /// `REPLACE` deleted a row because of a new index, without running a trigger.
    @Test func changesThatTrackFindsAreNamed() async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(
            file, "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        #expect(try await CommandRun("track", file.path).status == 0)
        #expect(try await CommandRun("track", file.path).output.hasSuffix("recorded\nNothing has changed.\n"))
        _ = try Shell.sqlite3(file, "CREATE UNIQUE INDEX i ON t(n)")
        _ = try Shell.sqlite3(file, "INSERT OR REPLACE INTO t VALUES (3, 'a')")
        let run = try await CommandRun("track", file.path)
        #expect(run.output == "t  recorded again\nReconciled 1 change.\n", "\(run)")
        #expect(try await CommandRun("log", "-n", "1", file.path).output.contains("delete t/1"))
        #expect(try await CommandRun("track", "--json", file.path).output.contains("\"reconciled\":0"))
        #expect(try await CommandRun("verify", file.path).status == 0)
    }

    @Test(arguments: ["track", "untrack"]) func unknownTables(_ command: String) async throws {
        let run = try await CommandRun(command, TrackedFile.make().path, "acount")
        #expect(run.status == 2)
        #expect(run.errors.contains("the database has no table acount; did you mean account?"))
    }

    /// Commands that only read report a change of the schema, and change nothing. Those that write follow it.
    @Test(arguments: [["track", "FILE"], ["tag", "FILE", "migrated"]])
    func schemaChangesAreFollowed(_ writer: [String]) async throws {
        let file = try TrackedFile.make()
        _ = try Shell.sqlite3(file, "ALTER TABLE label ADD COLUMN icon DEFAULT 'dot'")
        let content = try Data(contentsOf: file)
        for command in [["log"], ["stats"], ["verify"], ["schema"], ["export", "-o", "-"]] {
            let run = try await CommandRun(command + [file.path])
            #expect(run.status == (command == ["verify"] ? 1 : 0))
        }
        #expect(try Data(contentsOf: file) == content)
        let run = try await CommandRun(writer.map { $0 == "FILE" ? file.path : $0 })
        #expect(run.status == 0)
        if writer[0] == "track" { #expect(run.output.contains("\n    column added: label.icon\n")) }
        #expect(try await CommandRun("verify", file.path).status == 0)
        let log = try await CommandRun("log", "--model", "label/'blue'", "-n", "1", file.path).output
        #expect(log.contains("schema: column added: label.icon"))
        #expect(log.contains("icon: nil -> \"dot\""))
        let page = try await CommandRun("timeline", "-o", "-", file.path)
        #expect(page.output.contains("column added: label.icon"))
    }

    @Test func newTablesAreRecordedOnRequest() async throws {
        let file = try TrackedFile.make()
        let run = try await CommandRun("track", "--new-tables", file.path)
        #expect(run.output.contains("Tables that the program creates later are recorded.\n"))
        _ = try Shell.sqlite3(
            file, "CREATE TABLE later(id INTEGER PRIMARY KEY, v); INSERT INTO later VALUES (7, 'x')")
        let watch = try await CommandRun("watch", "--name", "w", "--from", "start", "--once", file.path, "--", "cat")
        #expect(watch.status == 0)
        let log = try await CommandRun("log", "-n", "1", file.path).output
        #expect(log.contains("schema: table added: later") && log.contains("insert later/7"))
        #expect(try await CommandRun("track", "--no-new-tables", file.path).status == 0)
        _ = try Shell.sqlite3(file, "CREATE TABLE last(id INTEGER PRIMARY KEY)")
        #expect(try await CommandRun("tag", file.path, "later").status == 0)
        #expect(
            try await CommandRun("stats", file.path).output.contains(
                "last: use `chronicle track \(file.path)` to record it"))
        #expect(try await CommandRun("track", "--new-tables", "--no-new-tables", file.path).status == 2)
    }

    /// A process that watches the file follows changes of the schema when they are committed.
    @Test func watchingFollowsTheSchema() throws {
        let file = try TrackedFile.make()
        try TrackedDatabase(url: file).track(recordsNewTables: true)
        let watch = try ToolProcess(
            ToolProcess.chronicle, ["watch", "--name", "w", "--from", "beginning", file.path, "--", "cat"])
        _ = try watch.line(containing: "bea@example.org")
        let wait = "PRAGMA busy_timeout = 10000; "
        _ = try Shell.sqlite3(
            file, wait + "CREATE TABLE later(id TEXT PRIMARY KEY, v); INSERT INTO later VALUES ('x', 1)")
        #expect(try watch.line(containing: "table added: later").contains("later/'x'"))
        _ = try Shell.sqlite3(file, wait + "ALTER TABLE later RENAME TO renamed; UPDATE renamed SET v = 2")
        _ = try watch.line(containing: "table renamed: later to renamed")
        _ = try Shell.sqlite3(file, wait + "UPDATE renamed SET v = 3")
        #expect(try watch.line(containing: "\"new\":{\"v\":3}").contains("renamed/'x'"))
        watch.kill(SIGKILL)
    }

    /// Tables that are not recorded are listed, but are no problem.
    @Test func tablesThatAreNotRecorded() async throws {
        let file = try TrackedFile.make()
        _ = try Shell.sqlite3(file, "CREATE TABLE later(id INTEGER PRIMARY KEY)")
        let statistics = try await CommandRun("stats", file.path)
        #expect(statistics.output.contains("later: use `chronicle track \(file.path)` to record it"))
        #expect(statistics.output.contains("settings: it has no primary key"))
        #expect(!statistics.output.contains("notes"))
        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 0)
        #expect(verification.errors.contains("not recorded: later, settings"))
    }

    /// A program dropped the tables of the history, and its writes fail.
    @Test(arguments: [["untrack", "FILE"], ["track", "FILE"]]) func aDroppedHistory(_ repair: [String]) async throws {
        let file = try TrackedFile.make()
        let drop = try Shell.sqlite3(
            file,
            "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_schema WHERE type = 'table' AND name LIKE 'chronicle%'")
        _ = try Shell.sqlite3(file, drop)
        let insertion = "INSERT INTO label VALUES ('x', 1)"
        #expect(throws: (any Error).self) { try Shell.sqlite3(file, insertion) }
        #expect(try await CommandRun("verify", file.path).status == 1)
        let log = try await CommandRun("log", file.path)
        #expect(log.status == 3)
        #expect(log.errors.contains("chronicle untrack"))
        #expect(try await CommandRun(repair.map { $0 == "FILE" ? file.path : $0 }).status == 0)
        _ = try Shell.sqlite3(file, insertion)
    }

    /// The recording of a table ended, or its program dropped it.
    @Test(arguments: ["untrack", "untrack all", "drop"]) func theHistoryOfATableRemains(_ end: String) async throws {
        let file = try TrackedFile.make()
        switch end {
        case "untrack": #expect(try await CommandRun("untrack", file.path, "label").status == 0)
        case "untrack all": #expect(try await CommandRun("untrack", file.path).status == 0)
        default:
            _ = try Shell.sqlite3(file, "DROP TABLE label")
            #expect(try await CommandRun("track", file.path).status == 0)
        }
        for option in [["--entity", "label"], ["--model", "label/'blue'"]] {
            let log = try await CommandRun(["log"] + option + [file.path])
            #expect(log.status == 0 && log.output.contains("label/'blue'"), "\(log)")
            #expect(!log.output.contains("account"))
        }
        let page = try await CommandRun("timeline", "-o", "-", "--entity", "label", file.path)
        #expect(page.status == 0 && page.output.contains("'blue'"), "\(page.errors)")
        let at = try await CommandRun("at", file.path, "now", "label")
        let advice = "`chronicle log --entity label \(file.path)` shows its changes"
        #expect(at.status == 2 && at.errors.contains(advice), "\(at)")
        let blame = try await CommandRun("blame", file.path, "label/'blue'")
        #expect(blame.status == 2 && blame.errors.contains(advice), "\(blame)")
        let unknown = try await CommandRun("log", "--entity", "lable", file.path)
        #expect(unknown.status == 2 && unknown.errors.contains("the store has no entity lable; did you mean label?"))
    }

    @Test func tablesThatAreNotRecordedAreNamed() async throws {
        let file = try TrackedFile.make()
        _ = try Shell.sqlite3(file, "CREATE TABLE later(id INTEGER PRIMARY KEY)")
        for (table, text) in [
            ("later", "the table later is not recorded; use `chronicle track \(file.path)` to record it"),
            ("settings", "the table settings cannot be recorded: it has no primary key"),
        ] {
            for arguments in [["at", file.path, "now", table], ["log", "--entity", table, file.path]] {
                let run = try await CommandRun(arguments)
                #expect(run.status == 2 && run.errors.contains(text), "\(run)")
            }
        }
        let key = try await CommandRun("log", "--model", "label/it's", file.path)
        #expect(key.errors.contains("a text key needs quotation marks: \"label/'it''s'\""), "\(key)")
    }

    /// The history does not contain the values of the rows, but the numbers of their keys.
    @Test(arguments: ["", " WITHOUT ROWID"], [true, false])
    func rowsWithoutValuesHaveTheirKey(_ options: String, disablesTriggers: Bool) async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE w(k TEXT NOT NULL, n, v, PRIMARY KEY (n, k))\(options);
            INSERT INTO w VALUES ('a', 1, 'x'), ('b', 2, 'y')
            """)
        #expect(try await CommandRun(["track", file.path] + (disablesTriggers ? [] : ["--no-values"])).status == 0)
        let app = try Connection(path: file.path, mode: .readWrite)
        if disablesTriggers { try app.setTriggersEnabled(false) }
        try app.execute("DELETE FROM w")
        app.close()
        #expect(try await CommandRun("track", "--reconcile", file.path).status == 0)
        let rows = try await CommandRun("at", "--json", file.path, "start", "w").output
        #expect(rows.contains(#""k":"a""#) && rows.contains(#""k":"b""#) && !rows.contains("NULL"), "\(rows)")
        let condition = try await CommandRun("at", file.path, "start", "w", "--where", "k = \"a\"")
        #expect(condition.status == 0 && condition.output.contains("a"), "\(condition)")
        let query = try await CommandRun(
            "sql", "--format", "csv", "--at", "start", file.path, "SELECT k, n FROM w ORDER BY k")
        #expect(query.output.contains("a,1") && query.output.contains("b,2"), "\(query)")
        let copy = file.deletingLastPathComponent().appending(path: "copy.db")
        #expect(try await CommandRun("at", file.path, "start", "-o", copy.path, "--unknown", "null").status == 0)
        #expect(try Shell.sqlite3(copy, "SELECT k, n, v FROM w ORDER BY k") == "a|1|\nb|2|")
        let watch = try await CommandRun(
            "watch", "--name", "w", "--from", "start", "--format", "debezium", "--once", file.path, "--", "sh", "-c",
            "cat > '\(copy.path).json'")
        #expect(watch.status == 0, "\(watch)")
        let text = try String(contentsOfFile: copy.path + ".json", encoding: .utf8)
        #expect(text.contains(#""before":{"k":"a","n":1,"v":"__debezium_unavailable_value"}"#), "\(text)")
    }

    private static let advice = [
        "chronicle_metadata": "use `chronicle untrack FILE` to delete the rest of the history",
        "chronicle_pending": "reject each write; use `chronicle untrack FILE` to delete the rest of the history",
        "chronicle_change":
            "reject each write; use `chronicle untrack FILE`, or `chronicle track FILE` to begin a new history",
        "chronicle_key_2": "reject each write; use `chronicle track FILE`",
        "chronicle_baseline": "the table chronicle_baseline was dropped; use `chronicle track FILE`",
    ]

    /// A program dropped a table of the history.
    @Test(arguments: advice.keys.sorted(), [false, true])
    func aDroppedTableOfTheHistory(_ table: String, ends: Bool) async throws {
        let file = try TrackedFile.make()
        let advice = try #require(Self.advice[table]).replacing("FILE", with: file.path)
        _ = try Shell.sqlite3(file, "DROP TABLE \(table)")
        let write = "INSERT INTO folder VALUES (1, 'x', 1)"
        if advice.contains("reject") { #expect(throws: (any Error).self) { try Shell.sqlite3(file, write) } }
        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 1 && verification.output.contains(advice), "\(verification)")
        let isReadable = table == "chronicle_baseline"
        #expect(try await CommandRun("stats", file.path).status == (isReadable ? 0 : 3))
        let keepsHistory = isReadable || table == "chronicle_key_2"
        let track = ends ? nil : try await CommandRun("track", file.path)
        if let track, table == "chronicle_metadata" || table == "chronicle_pending" {
            #expect(track.status == 3 && track.errors.contains(advice), "\(track)")
        } else if let track {
            #expect(track.status == 0, "\(track)")
            #expect(try await CommandRun("verify", file.path).output == "The file is valid.\n")
            _ = try Shell.sqlite3(file, write)
            #expect(try await CommandRun("log", file.path).output.contains("bea@example.org") == keepsHistory)
        }
        let untrack = try await CommandRun("untrack", file.path)
        #expect(untrack.status == 0, "\(untrack)")
        let remains = keepsHistory || track?.status == 0
        #expect(untrack.output.contains(remains ? "The history remains." : "No history remains: "), "\(untrack)")
        _ = try Shell.sqlite3(file, write + " ON CONFLICT DO NOTHING")
    }

    @Test func theFirstCallAndTheEnd() async throws {
        let file = try TemporaryDirectory().file("mail.db")
        _ = try Shell.sqlite3(file, TrackedFile.schema)
        let before = try Shell.sqlite3(file, "SELECT * FROM sqlite_schema ORDER BY name")
        try GoldenTests().expect(try await CommandRun("track", file.path), "track", file)
        try GoldenTests().expect(try await CommandRun("untrack", "--delete-history", file.path), "untrack", file)
        #expect(try Shell.sqlite3(file, "SELECT * FROM sqlite_schema ORDER BY name") == before)
        #expect(try await CommandRun("untrack", "--delete-history", file.path).status == 3)
        #expect(try await CommandRun("log", file.path).status == 3)
    }

    @Test(arguments: [
        ["log", "FILE"], ["log", "--model", "label/'red'", "FILE"], ["diff", "FILE", "start", "now"],
        ["blame", "FILE", "account/1"], ["at", "FILE", "start", "folder"], ["schema", "FILE"], ["stats", "FILE"],
        ["verify", "FILE"], ["export", "FILE"], ["timeline", "-o", "OUTPUT", "FILE"],
    ])
    func theBytesStay(_ arguments: [String]) async throws {
        let file = try TrackedFile.make()
        let before = try Data(contentsOf: file)
        let output = file.deletingLastPathComponent().appending(path: "timeline.html").path
        let run = try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 == "OUTPUT" ? output : $0 })
        #expect(run.status <= 1, "\(run.errors)")
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func interruptionsAreReported() async throws {
        let file = try TrackedFile.make()
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE new(name TEXT PRIMARY KEY, color); INSERT INTO new SELECT * FROM label; DROP TABLE label;
            ALTER TABLE new RENAME TO label; ALTER TABLE account ADD COLUMN name
            """)
        try GoldenTests().expect(try await CommandRun("verify", file.path), "track-verify-interrupted", file)
        let statistics = try await CommandRun("stats", file.path)
        #expect(statistics.output.contains("label: its triggers were dropped"))
        #expect(statistics.output.contains("account: the column name is not recorded"))
        try GoldenTests().expect(try await CommandRun("track", file.path), "track-resumed", file)
        #expect(try await CommandRun("verify", file.path).status == 0)
    }

    /// A rebuilt table has keys that are not integers, and triggers that record them.
    @Test func aChangedKeyIsFollowedFirst() async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(file, "CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try TrackedDatabase(url: file).track()
        let app = try Connection(path: file.path, mode: .readWrite)
        try app.execute("INSERT INTO a VALUES (1, 3); ALTER TABLE a RENAME COLUMN id TO k")
        let triggers = try app.scalarText(
            "SELECT group_concat(sql, ';') FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'a'")
        try app.execute(
            """
            CREATE TABLE n(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO n SELECT * FROM a; DROP TABLE a;
            ALTER TABLE n RENAME TO a; \(triggers ?? ""); INSERT INTO a VALUES ('x', 4)
            """)
        app.close()
        for arguments in [
            ["log", file.path], ["log", "--json", file.path], ["diff", file.path, "start", "now"],
            ["export", file.path], ["at", file.path, "start", "a"], ["at", file.path, "now", "a"],
            ["blame", file.path, "a/1"], ["timeline", "-o", "-", file.path],
        ] {
            let run = try await CommandRun(arguments)
            #expect(run.status == 3, "\(arguments): \(run.output)")
            #expect(run.errors.contains("use `chronicle track \(file.path)` to record this change"), "\(run.errors)")
        }
        let query = try await CommandRun("sql", file.path, "SELECT * FROM a")
        #expect(
            query.status == 2 && query.errors.contains("use `chronicle track \(file.path)` to record this change"),
            "\(query)")
        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 1 && verification.output.contains("use `chronicle track \(file.path)`"))
        #expect(try await CommandRun("track", file.path).status == 0)
        #expect(try await CommandRun("log", file.path).output.contains("insert a (1)/'x'"))
        #expect(try await CommandRun("verify", file.path).status == 0)
    }

    /// The exported history of a tracked database is a store, too.
    @Test func anExportIsImported() async throws {
        let file = try TrackedFile.make()
        let folder = file.deletingLastPathComponent()
        let (export, replica) = (folder.appending(path: "export.jsonl"), folder.appending(path: "replica.store"))
        #expect(try await CommandRun("export", "-o", export.path, file.path).status == 0)
        let imported = try await CommandRun("import", replica.path, export.path)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try await CommandRun("verify", replica.path).status == 0)
        #expect(
            try Shell.sqlite3(replica, "SELECT quote(name), color FROM label ORDER BY id") == "'blue'|1\nX'00FF'|1.5")
        #expect(imported.output.hasPrefix("Imported a snapshot of "), "\(imported.output)")
        // A tracked database cannot be a replica.
        #expect(try await CommandRun("import", file.path, export.path).status != 0)
    }

    @Test func thePageHasKeys() async throws {
        let file = try TrackedFile.make()
        let page = file.deletingLastPathComponent().appending(path: "page.html")
        #expect(try await CommandRun("timeline", "-o", page.path, file.path).status == 0)
        #expect(try String(contentsOf: page, encoding: .utf8).contains("(2,'inbox')"))
    }

    @Test func theServedPageReceivesChangesOfTheProgram() throws {
        let file = try TrackedFile.make()
        let before = try Data(contentsOf: file)
        let server = try ServedStore(file)
        let page = try HTTPClient.request("GET", "/", port: server.port).text
        #expect(page.contains("(2,'inbox')"))
        let position = try #require(page.firstMatch(of: /"position":"([^"]+)"/)).output.1
        let client = try HTTPClient(port: server.port)
        client.send(
            Data("GET /events?after=\(position) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n".utf8))
        #expect(try !client.receive(until: "retry").contains("reset"))
        #expect(try Data(contentsOf: file) == before)
        _ = try Shell.sqlite3(file, "INSERT INTO label VALUES ('green', 2)")
        _ = try client.receive(until: "'green'")
    }
}
