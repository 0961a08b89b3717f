import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleCLI

/// Commands that read between a change of the schema of a tracked database and the next `track`.
@Suite struct InterruptedTableTests {
    struct Change: CustomTestStringConvertible {
        let sql: String
        let reason: String
        /// The name of the table after `track`; `nil` if its earlier rows are not known.
        var name: String? = "t"
        var testDescription: String { sql }
    }

    static let changes = [
        Change(sql: "DROP TABLE t", reason: "the table does not exist", name: nil),
        Change(
            sql: """
                DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, v, w); INSERT INTO t VALUES (1, 'uno', 1), (7, 'seven', 0)
                """, reason: "its triggers were dropped", name: nil),
        Change(sql: "ALTER TABLE t RENAME COLUMN v TO x", reason: "the column v was renamed to x"),
        Change(sql: "ALTER TABLE t RENAME TO s", reason: "the table was renamed to s", name: "s"),
        Change(sql: "DROP TRIGGER TRIGGER; UPDATE t SET v = 'uno'", reason: "its triggers are not those of the table"),
    ]

    private let file: URL
    private let copy: URL

    init() throws {
        file = try TemporaryDirectory().file("app.db")
        copy = file.deletingLastPathComponent().appending(path: "past.db")
    }

    /// A database with the tag `p1`, and a later change of each table.
    private func make() async throws {
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, v, w); CREATE TABLE u(id INTEGER PRIMARY KEY, z);
            CREATE TABLE k(name TEXT PRIMARY KEY, v)
            """)
        #expect(try await run("track", "FILE").status == 0)
        _ = try Shell.sqlite3(
            file,
            "INSERT INTO t VALUES (1, 'one', 0), (2, 'two', 0); INSERT INTO u VALUES (1, 5); INSERT INTO k VALUES ('a', 1)"
        )
        #expect(try await run("tag", "FILE", "p1").status == 0)
        _ = try Shell.sqlite3(file, "UPDATE t SET w = 1 WHERE id = 1; UPDATE u SET z = 6")
    }

    private func apply(_ change: Change) throws {
        let trigger = try Shell.sqlite3(
            file,
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 't' AND name GLOB 'chronicle_[0-9]_update'"
        )
        _ = try Shell.sqlite3(file, change.sql.replacing("TRIGGER TRIGGER", with: "TRIGGER \(trigger)"))
    }

    private func run(_ arguments: String...) async throws -> CommandRun {
        try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 == "NEW" ? copy.path : $0 })
    }

    private func run(all arguments: [String]) async throws -> CommandRun {
        try await CommandRun(arguments.map { $0 == "FILE" ? file.path : $0 == "NEW" ? copy.path : $0 })
    }

    private static let refused = [
        ["at", "FILE", "p1", "t"], ["at", "FILE", "p1", "-o", "NEW"],
        ["at", "FILE", "p1", "-o", "NEW", "--unknown", "null"],
        ["sql", "FILE", "--at", "p1", "SELECT * FROM t"], ["sql", "FILE", "--at", "p1", "SELECT id, v FROM t"],
        ["sql", "FILE", "--at", "p1", "--unknown", "null", "SELECT * FROM t"],
        ["sql", "FILE", "SELECT * FROM t_revisions"], ["diff", "FILE", "p1", "now"], ["diff", "FILE", "p1"],
        ["diff", "--sql", "FILE", "p1", "now"], ["diff", "--sql", "--reverse", "FILE", "p1"], ["export", "FILE"],
        ["export", "--snapshot", "FILE"],
    ]

    @Test(arguments: changes) func pastStatesAreRefused(_ change: Change) async throws {
        try await make()
        try apply(change)
        for arguments in Self.refused {
            let run = try await run(all: arguments)
            #expect(run.status == 3, "\(arguments): \(run)")
            #expect(run.errors.contains(change.reason) || run.errors.contains("renamed from t"), "\(arguments): \(run)")
            #expect(run.errors.contains("use `chronicle track \(file.path)` to record this change"), "\(run)")
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
        #expect(try await run("track", "FILE").status == 0)
        let export = try await run("export", "FILE")
        #expect(export.status == 0, "\(export)")
        guard let name = change.name else { return }
        let rows = try await run("at", "FILE", "p1", name)
        #expect(rows.output.contains("one") && rows.output.contains("two"), "\(rows)")
        #expect(!rows.output.contains("uno") && !rows.output.contains("seven"), "\(rows)")
        let query = try await run("sql", "FILE", "--at", "p1", "SELECT count(*) AS number FROM \(name)")
        #expect(query.status == 0 && query.output.contains("2"), "\(query)")
        #expect(try await run("at", "FILE", "p1", "-o", "NEW").status == 0)
        #expect(try Shell.sqlite3(copy, "SELECT count(*) FROM \(name)") == "2")
        #expect(try await run("diff", "FILE", "p1", "now").status == 1)
        #expect(try await run("diff", "--sql", "FILE", "p1", "now").status == 1)
    }

    /// The newest position is not the present.
    @Test func theNewestPositionIsRefused() async throws {
        try await make()
        try apply(Self.changes[1])
        let newest = try Shell.sqlite3(file, "SELECT max(id) FROM chronicle_change")
        for arguments in [["at", "FILE", newest, "t"], ["diff", "FILE", newest, "now"]] {
            let run = try await run(all: arguments)
            #expect(run.status == 3 && run.errors.contains("its triggers were dropped"), "\(run)")
        }
        #expect(try await run("diff", "FILE", "now", "now").status == 0)
        #expect(try await run("at", "FILE", "now", "t").output.contains("seven"))
        #expect(try await run("sql", "FILE", "SELECT v FROM t").output.contains("seven"))
    }

    @Test(arguments: changes) func otherTablesAreReadable(_ change: Change) async throws {
        try await make()
        try apply(change)
        let rows = try await run("at", "FILE", "p1", "u")
        #expect(rows.status == 0 && rows.output.contains("z: 5"), "\(rows)")
        let query = try await run("sql", "FILE", "--at", "p1", "SELECT z FROM u")
        #expect(query.status == 0 && query.output.contains("5"), "\(query)")
        let states = try await run("sql", "FILE", "--format", "csv", "SELECT z FROM u_revisions ORDER BY z")
        #expect(states.status == 0 && states.output.contains("5\n6"), "\(states)")
        let difference = try await run("diff", "--entity", "u", "FILE", "p1", "now")
        #expect(difference.status == 1 && difference.output.contains("update u/1"), "\(difference)")
        #expect(try await run("at", "FILE", "now", "u").output.contains("z: 6"))
    }

    @Test(arguments: changes) func historiesHaveANote(_ change: Change) async throws {
        try await make()
        try apply(change)
        let note = "Changes may be missing, because the program has changed tables: "
        for arguments in [
            ["log", "FILE"], ["show", "FILE", "p1"], ["blame", "FILE", "u/1"], ["timeline", "-o", "-", "FILE"],
        ] {
            let run = try await run(all: arguments)
            #expect(run.status == 0 && run.errors.contains(note), "\(arguments): \(run.errors)")
            #expect(run.errors.contains("use `chronicle track \(file.path)`"), "\(run.errors)")
            if arguments[0] == "timeline" { #expect(run.output.contains(note)) }
        }
        #expect(try await run("track", "FILE").status == 0)
        #expect(try await !run("log", "FILE").errors.contains(note))
    }

    @Test func renamedTablesAndColumnsAreNamed() async throws {
        try await make()
        try apply(Self.changes[2])
        let column = try await run("at", "FILE", "now", "t")
        #expect(column.status == 3 && column.errors.contains("the column v was renamed to x"), "\(column)")
        let statistics = try await run("stats", "FILE")
        #expect(statistics.output.contains("the column v was renamed to x"), "\(statistics)")
        _ = try Shell.sqlite3(file, "ALTER TABLE t RENAME TO s")
        let table = try await run("at", "FILE", "now", "s")
        #expect(table.status == 3 && table.errors.contains("the table was renamed from t"), "\(table)")
    }

    /// The rows of a table with other keys are known by numbers, which new keys do not have yet.
    @Test func thePresentOfATableWithNumberedKeys() async throws {
        try await make()
        _ = try Shell.sqlite3(
            file, "DROP TABLE k; CREATE TABLE k(name TEXT PRIMARY KEY, v); INSERT INTO k VALUES ('b', 2), ('c', 3)")
        let rows = try await run("at", "FILE", "now", "k")
        #expect(rows.status == 3 && rows.errors.contains("its triggers were dropped"), "\(rows)")
        let query = try await run("sql", "FILE", "--format", "csv", "SELECT name FROM k ORDER BY name")
        #expect(query.status == 0 && query.output.contains("b\nc"), "\(query)")
    }

    /// The values of the other columns are known.
    @Test func additionalColumnsAndTablesAreNoInterruption() async throws {
        try await make()
        _ = try Shell.sqlite3(file, "ALTER TABLE t ADD COLUMN y; CREATE TABLE n(id INTEGER PRIMARY KEY)")
        let rows = try await run("at", "FILE", "p1", "t")
        #expect(rows.status == 0 && rows.output.contains("one"), "\(rows)")
        #expect(try await run("sql", "FILE", "--at", "p1", "SELECT v FROM t").status == 0)
        #expect(try await run("diff", "FILE", "p1", "now").status == 1)
        #expect(try await run("export", "FILE").status == 0)
        #expect(try await !run("log", "FILE").errors.contains("may be missing"))
    }

    /// `track` cannot record the table any more.
    @Test func anUnsupportedTableDoesNotAffectOthers() async throws {
        try await make()
        _ = try Shell.sqlite3(file, "DROP TABLE k; CREATE TABLE k(name, v)")
        let rows = try await run("at", "FILE", "p1", "u")
        #expect(rows.status == 0 && rows.output.contains("z: 5"), "\(rows)")
        #expect(try await run("sql", "FILE", "--at", "p1", "SELECT z FROM u").status == 0)
    }
}
