import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// `chronicle at -o` and `chronicle diff --sql`.
@Suite struct PastDatabaseCommandTests {
    private let file: URL
    private let output: URL

    init() throws {
        file = try GoldenStore.copy()
        output = file.deletingLastPathComponent().appending(path: "past.db")
    }

    private func sql(_ file: URL, _ sql: String) throws -> String { try Shell.sqlite3(file, sql) }

    @Test func thePastIsWrittenAndBroughtUpToDate() async throws {
        let run = try await CommandRun("at", file.path, "planned", "-o", output.path)
        #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
        let trips = "SELECT name, destination, note IS NULL FROM Trip"
        #expect(try sql(output, trips) == "Honeymoon|Rome|1")
        #expect(
            try sql(output, "SELECT name FROM sqlite_schema WHERE name LIKE 'chronicle%' AND type <> 'index'").isEmpty)
        let forward = try await CommandRun("diff", "--sql", file.path, "planned", "now")
        #expect(forward.status == 1)
        _ = try sql(output, forward.output)
        let tables = try sql(
            output, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).split(separator: "\n")
        #expect(tables.count >= 6)
        for table in tables {
            let rows = "SELECT * FROM \"\(table)\" ORDER BY 1, 2"
            #expect(try sql(output, rows) == sql(file, rows))
        }
        let backward = try await CommandRun("diff", "--sql", "--reverse", file.path, "planned", "now")
        _ = try sql(output, backward.output)
        #expect(try sql(output, trips) == "Honeymoon|Rome|1")
        #expect(try sql(output, "SELECT count(*) FROM LinkTag") == "0")
        let equal = try await CommandRun("diff", "--sql", file.path, "now")
        #expect(equal.status == 0 && equal.output.isEmpty)
    }

    @Test(arguments: [
        (["at", "FILE", "planned", "Trip", "-o", "NEW"], "omit ENTITY"),
        (["at", "FILE", "planned", "-o", "NEW", "--json"], "omit ENTITY"),
        (["at", "FILE", "planned"], "ENTITY is missing"),
        (["at", "FILE", "planned", "Trip", "--unknown", "null"], "--unknown requires -o"),
        (["at", "FILE", "planned", "-o", "NEW", "--unknown", "0"], "--unknown cannot be 0"),
        (["at", "FILE", "planed", "-o", "NEW"], "did you mean the tag planned?"),
        (["at", "FILE.missing", "planned", "-o", "NEW"], "FILE.missing: No such file"),
        (["diff", "--sql", "--json", "FILE", "planned"], "omit --stat"),
        (["diff", "--sql", "--entity", "Trip", "FILE", "planned"], "omit --stat"),
        (["diff", "--reverse", "FILE", "planned"], "--reverse requires --sql"),
    ])
    func mistakesAreExplained(_ arguments: [String], _ message: String) async throws {
        func path(_ text: String) -> String {
            text.replacing("FILE", with: file.path).replacing("NEW", with: output.path)
        }
        let run = try await CommandRun(arguments.map(path))
        #expect(run.status == 2 || message.hasSuffix("No such file"))
        #expect(run.errors.contains(path(message)), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    @Test(arguments: [0o600, 0o640]) func theCopyIsReadableForNoOthers(_ permissions: Int) async throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
        let run = try await CommandRun("at", file.path, "planned", "-o", output.path)
        #expect(run.status == 0, "\(run.errors)")
        var status = stat()
        let result = stat(output.path, &status)
        let found = Int(status.st_mode) & 0o777
        #expect(result == 0 && found & ~permissions == 0 && found & 0o600 == 0o600)
    }

    /// The shell continues after an error, so COMMIT would keep the changes of the statements before it.
    @Test(arguments: [
        "DELETE FROM Trip", "DROP TABLE LinkItem", "ALTER TABLE Trip RENAME COLUMN note TO remark",
    ])
    func statementsChangeAllRowsOrNone(_ change: String) async throws {
        let run = try await CommandRun("at", file.path, "planned", "-o", output.path)
        #expect(run.status == 0, "\(run.errors)")
        _ = try sql(output, change)
        let before = try sql(output, ".dump")
        let script = file.deletingLastPathComponent().appending(path: "forward.sql")
        try Data(try await CommandRun("diff", "--sql", file.path, "planned", "now").output.utf8).write(to: script)
        let applied = try Shell.run(
            "/usr/bin/env", ["sh", "-c", #"sqlite3 "$1" < "$2""#, "sh", output.path, script.path])
        #expect(applied.status != 0 && applied.errors.contains("so nothing was changed"), "\(applied.errors)")
        #expect(try sql(output, ".dump") == before)
    }

    @Test func anExistingFileIsNotReplaced() async throws {
        try Data("x".utf8).write(to: output)
        let run = try await CommandRun("at", file.path, "now", "-o", output.path)
        #expect(run.status == 3 && run.errors.contains("exists already"))
        #expect(try String(contentsOf: output, encoding: .utf8) == "x")
    }

    @Test func aPositionBeforeTheHistoryIsAnError() async throws {
        #expect(try await CommandRun("purge", "--max-changes", "5", file.path).status == 0)
        for arguments in [["at", file.path, "1", "-o", output.path], ["diff", "--sql", file.path, "1"]] {
            let run = try await CommandRun(arguments)
            #expect(run.status == 3 && run.errors.contains("deleted"), "\(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: output.path))
    }

    /// Values of more than 65,536 bytes are not preserved by default.
    @Test func anUnknownValueSaysWhatToEnable() async throws {
        let test = try TestStore(.file)
        let context = test.context()
        let trip = Trip(name: "a", destination: String(repeating: "x", count: 100_000))
        context.insert(trip)
        try context.save()
        let token = try context.currentHistoryToken()
        let store = try #require(test.container.stores.first)
        let position = try #require(token.position(in: store.identifier))
        trip.destination = "Oslo"
        try context.save()
        let refused = try await CommandRun("at", test.url.path, "\(position)", "-o", output.path)
        #expect(refused.status == 3)
        #expect(refused.errors.contains("destination") && refused.errors.contains("enable preserving values"))
        let statements = try await CommandRun("diff", "--sql", "--reverse", test.url.path, "\(position)", "now")
        #expect(statements.status == 3 && statements.output.isEmpty, "\(statements.output)")
        #expect(statements.errors.contains("destination") && statements.errors.contains("enable preserving values"))
        let replaced = try await CommandRun("at", test.url.path, "\(position)", "-o", output.path, "--unknown", "null")
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(try sql(output, "SELECT destination IS NULL FROM Trip") == "1")
    }

    /// A copy of the present contains rows whose changes cannot be recorded; other commands name them.
    @Test(arguments: ["k TEXT PRIMARY KEY, v", "k INTEGER, l DEFAULT 0, v, PRIMARY KEY (k, l)"])
    func rowsWithoutAKey(_ columns: String) async throws {
        let file = try TemporaryDirectory().file("app.db")
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE w(\(columns)); INSERT INTO w(k, v) VALUES (1, 1);
            CREATE TABLE other(rowid, oid, _rowid_, id INTEGER PRIMARY KEY); INSERT INTO other(id) VALUES (5);
            """)
        try TrackedDatabase(url: file).track()
        _ = try Shell.sqlite3(file, "INSERT INTO w(k, v) VALUES (NULL, 'a'), (NULL, 'b'), (2, 'c')")
        let copy = try await CommandRun("at", file.path, "now", "-o", output.path)
        #expect(copy.status == 0, "\(copy.errors)")
        for rows in ["SELECT rowid, * FROM w ORDER BY 1", "SELECT * FROM other"] {
            #expect(try sql(output, rows) == sql(file, rows))
        }
        let limitation = "w: rows with NULL in the primary key are missing"
        let verification = try await CommandRun("verify", file.path)
        #expect(verification.status == 0 && verification.errors.contains("Note: \(limitation) from the history."))
        #expect(try await CommandRun("stats", file.path).output.contains(limitation))
        let json = try await CommandRun("stats", "--json", file.path).output
        #expect(json.contains(#""limitations":{"w":["rows with NULL in the primary key are missing"]}"#), "\(json)")
        try FileManager.default.removeItem(at: output)
        let past = try await CommandRun("at", file.path, "start", "-o", output.path)
        #expect(past.status == 3 && past.errors.contains("NULL in the primary key"), "\(past.errors)")
        let replaced = try await CommandRun("at", file.path, "start", "-o", output.path, "--unknown", "null")
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(try sql(output, "SELECT v FROM w") == "1")
    }
}
