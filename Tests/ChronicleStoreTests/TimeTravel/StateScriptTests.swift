import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The statements between two states, as a script that a program applies.
@Suite struct StateScriptTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func token(_ fixture: TrackedFixture) throws -> DefaultHistoryToken {
        try #require(try fixture.store().currentHistoryToken())
    }

    private func copy(_ fixture: TrackedFixture, _ token: DefaultHistoryToken, _ name: String) throws -> URL {
        let url = directory.file(name)
        try #require(try fixture.store().store(asOf: token) as? DefaultStore).writeDatabase(to: url)
        return url
    }

    /// Applies statements in a program that continues after an error.
    private func apply(_ statements: [String], to url: URL) throws -> (status: Int32, errors: String) {
        let script = directory.file("script.sql")
        try Data(statements.joined(separator: "\n").utf8).write(to: script)
        let run = try Shell.run("/usr/bin/env", ["sh", "-c", #"sqlite3 "$1" < "$2""#, "sh", url.path, script.path])
        return (run.status, run.errors)
    }

    // MARK: Unique values

    @Test(arguments: [
        "CREATE TABLE g(id INTEGER PRIMARY KEY, x, y AS (x || 'z') UNIQUE)",
        "CREATE TABLE g(id INTEGER PRIMARY KEY, x, y AS (x || 'z') STORED, UNIQUE (y))",
        "CREATE TABLE g(id INTEGER PRIMARY KEY, x, y AS (x || 'z')); CREATE UNIQUE INDEX i ON g(y)",
        "CREATE TABLE g(id INTEGER PRIMARY KEY, x UNIQUE)",
    ])
    func uniqueValuesAreExchanged(_ schema: String) throws {
        let fixture = try TrackedFixture(schema)
        try fixture.app.execute("INSERT INTO g(id, x) VALUES (1, 'a'), (2, 'b')")
        let start = try token(fixture)
        try fixture.app.execute(
            "UPDATE g SET x = 't' WHERE id = 1; UPDATE g SET x = 'a' WHERE id = 2; UPDATE g SET x = 'b' WHERE id = 1")
        let (store, end) = (try fixture.store(), try token(fixture))
        let url = try copy(fixture, start, "past.db")
        let rows = "SELECT id, x FROM g ORDER BY id"
        let forward = try apply(store.sqlStatements(from: start, to: end), to: url)
        #expect(forward.status == 0 && forward.errors.isEmpty, "\(forward.errors)")
        #expect(try Shell.sqlite3(url, rows) == "1|b\n2|a")
        let backward = try apply(store.sqlStatements(from: end, to: start), to: url)
        #expect(backward.status == 0 && backward.errors.isEmpty, "\(backward.errors)")
        #expect(try Shell.sqlite3(url, rows) == "1|a\n2|b")
    }

    // MARK: Triggers

    private static let audited = """
        CREATE TABLE audit(id INTEGER PRIMARY KEY, text); CREATE TABLE item(id INTEGER PRIMARY KEY, n);
        CREATE TRIGGER "it's added" AFTER INSERT ON item
        BEGIN -- a comment
          INSERT INTO audit(text) VALUES ('new ' || NEW.n);
        END;
        CREATE TRIGGER changed AFTER UPDATE ON Item BEGIN
          UPDATE item SET n = n || '!' WHERE id = NEW.id; END;
        CREATE TRIGGER noted AFTER INSERT ON audit BEGIN UPDATE audit SET text = upper(text) WHERE id = NEW.id; END
        """

    @Test func triggersOfAProgramChangeNothingMore() throws {
        let fixture = try TrackedFixture(Self.audited)
        try fixture.app.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
        let start = try token(fixture)
        let rows = "SELECT * FROM item; SELECT * FROM audit"
        let triggers =
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'chronicle%' ORDER BY 1"
        let (before, definitions) = (try Shell.sqlite3(fixture.url, rows), try Shell.sqlite3(fixture.url, triggers))
        try fixture.app.execute("UPDATE item SET n = 'x' WHERE id = 2; INSERT INTO item VALUES (3, 'c')")
        let (store, end) = (try fixture.store(), try token(fixture))
        let url = try copy(fixture, start, "past.db")
        let forward = try apply(store.sqlStatements(from: start, to: end), to: url)
        #expect(forward.status == 0 && forward.errors.isEmpty, "\(forward.errors)")
        #expect(try Shell.sqlite3(url, rows) == Shell.sqlite3(fixture.url, rows))
        #expect(try Shell.sqlite3(url, triggers) == definitions)
        // The triggers of Chronicle record what is applied to the database itself.
        let backward = try apply(store.sqlStatements(from: end, to: start), to: fixture.url)
        #expect(backward.status == 0 && backward.errors.isEmpty, "\(backward.errors)")
        #expect(try Shell.sqlite3(fixture.url, rows) == before)
        #expect(try Shell.sqlite3(fixture.url, triggers) == definitions)
        #expect(try token(fixture) != end)
        // The triggers were created again.
        try fixture.database.track()
        #expect(try fixture.problems() == [])
        #expect(try fixture.store().sqlStatements(from: start, to: token(fixture)) == [])
    }

    // MARK: Errors

    @Test(arguments: [
        "INSERT INTO item VALUES (3, 'other')", "DELETE FROM item WHERE id = 2", "DROP TABLE audit",
        "ALTER TABLE item RENAME COLUMN n TO m",
    ])
    func anErrorLeavesTheDatabaseUnchanged(_ change: String) throws {
        let fixture = try TrackedFixture(Self.audited)
        try fixture.app.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
        let start = try token(fixture)
        try fixture.app.execute("UPDATE item SET n = 'x' WHERE id = 2; INSERT INTO item VALUES (3, 'c')")
        let url = try copy(fixture, start, "past.db")
        _ = try Shell.sqlite3(url, "DROP TRIGGER noted; DROP TRIGGER \"it's added\"; \(change)")
        let before = try Shell.sqlite3(url, ".dump")
        let run = try apply(fixture.store().sqlStatements(from: start, to: token(fixture)), to: url)
        #expect(run.status != 0 && run.errors.contains("so nothing was changed"), "\(run.errors)")
        #expect(try Shell.sqlite3(url, ".dump") == before)
    }

    /// Without OR ABORT, the statements after the conflict would not be in a transaction.
    @Test(arguments: ["INSERT INTO item VALUES (1, 'a'), (2, 'b')", "UPDATE item SET n = 'b' WHERE id = 7"])
    func aConstraintThatRollsBackLeavesTheDatabaseUnchanged(_ change: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE item(id INTEGER PRIMARY KEY, n CHECK (n <> 'x') UNIQUE ON CONFLICT ROLLBACK)")
        try fixture.app.execute("INSERT INTO item VALUES (7, 'c'), (8, 'd')")
        let start = try token(fixture)
        try fixture.app.execute("\(change); UPDATE item SET n = 'e' WHERE id = 8")
        let url = try copy(fixture, start, "past.db")
        _ = try Shell.sqlite3(url, "INSERT INTO item VALUES (9, 'a'), (10, 'b')")
        let before = try Shell.sqlite3(url, ".dump")
        let run = try apply(fixture.store().sqlStatements(from: start, to: token(fixture)), to: url)
        #expect(run.status != 0, "\(run.errors)")
        #expect(try Shell.sqlite3(url, ".dump") == before)
    }

    @Test func aLockLeavesTheDatabaseUnchanged() throws {
        let fixture = try TrackedFixture(Self.audited)
        let start = try token(fixture)
        try fixture.app.execute("INSERT INTO item VALUES (1, 'a')")
        let url = try copy(fixture, start, "past.db")
        let statements = try fixture.store().sqlStatements(from: start, to: token(fixture))
        try ShellSession.holdingWriteLock(url) {
            let run = try apply(statements, to: url)
            #expect(run.status != 0 && run.errors.contains("locked"), "\(run.errors)")
        }
        #expect(try Shell.sqlite3(url, "SELECT count(*) FROM item") == "0")
        #expect(try apply(statements, to: url).status == 0)
        #expect(try Shell.sqlite3(url, "SELECT n FROM item") == "a")
    }

    // MARK: Unknown values

    /// A value that changed only after both positions needs no statement.
    @Test func rowsWithoutAChangeNeedNoValue() throws {
        let test = try TestStore(.file)
        let context = test.context()
        let trip = Trip(name: "a", destination: String(repeating: "x", count: 100_000))
        context.insert(trip)
        try context.save()
        let store = try #require(test.container.stores.first as? DefaultStore)
        let start = try #require(try store.currentHistoryToken())
        context.insert(Trip(name: "b", destination: "Rome"))
        try context.save()
        let end = try #require(try store.currentHistoryToken())
        trip.destination = "Oslo"
        try context.save()
        #expect(try store.sqlStatements(from: start, to: start) == [])
        let statements = try store.sqlStatements(from: start, to: end)
        #expect(statements.filter { $0.contains("\"Trip\"(") }.count == 1)
        #expect(!statements.contains { $0.hasPrefix("UPDATE \"Trip\"") })
        let now = try #require(try store.currentHistoryToken())
        #expect(throws: SwiftDataError.historyValueMissing) { try store.sqlStatements(from: start, to: now) }
    }
}
