import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What happens when the program of a tracked database changes its schema.
@Suite struct TrackedSchemaChangeTests {
    private func state(_ name: String, _ fixture: TrackedFixture) throws -> TrackedDatabase.Table.State? {
        try fixture.database.tables().first { $0.name == name }?.state
    }

    /// Expects that a change interrupts the recording, which verification reports, and that the next call resumes it.
    private func expectGap(
        _ fixture: TrackedFixture, _ table: String, _ reason: String, location: SourceLocation = #_sourceLocation
    ) throws {
        guard case .interrupted(let text)? = try state(table, fixture) else {
            Issue.record("the table is recorded", sourceLocation: location)
            return
        }
        #expect(text.contains(reason), sourceLocation: location)
        #expect(try fixture.problems().contains { $0.contains(reason) }, sourceLocation: location)
        let token = try fixture.store().currentHistoryToken()
        #expect(try fixture.database.track().filter(\.isNew).map(\.name) == [table], sourceLocation: location)
        #expect(try fixture.problems() == [], sourceLocation: location)
        #expect(throws: SwiftDataError.historyTokenGap, sourceLocation: location) { try fixture.changes(after: token) }
    }

    /// The procedure of https://www.sqlite.org/lang_altertable.html#otheralter, as many programs use it.
    @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY, x) WITHOUT ROWID --"])
    func aRebuiltTable(_ key: String) throws {
        let definition = "(\(key), v\n)".replacing("--, v\n)", with: "")
        let fixture = try TrackedFixture("CREATE TABLE a\(definition)")
        try fixture.app.execute("INSERT INTO a(id) VALUES (1), (2)")
        try fixture.app.execute(
            """
            PRAGMA foreign_keys = OFF; BEGIN; CREATE TABLE new\(definition);
            INSERT INTO new SELECT * FROM a; DROP TABLE a; ALTER TABLE new RENAME TO a; COMMIT;
            INSERT INTO a(id) VALUES (3); DELETE FROM a WHERE id = 1
            """)
        try expectGap(fixture, "a", "triggers were dropped")
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DELETE FROM a WHERE id = 3; INSERT INTO a(id) VALUES (1)")
        #expect(try fixture.changes(after: token).map { $0.prefix(6) } == ["delete", "insert"])
        #expect(try fixture.problems() == [])
    }

    @Test func addedColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(
            "INSERT INTO a VALUES (1, 1); ALTER TABLE a ADD COLUMN w DEFAULT 5; UPDATE a SET w = 6, v = 2")
        #expect(try fixture.changes() == ["insert a/1 v=1", "update a/1 v=1>2"])
        try expectGap(fixture, "a", "the column w is not recorded")
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET w = 7")
        #expect(try fixture.changes(after: token) == ["update a/1 w=6>7"])
    }

    /// SQLite does not drop a column that a trigger uses. The recording has to end first.
    @Test func droppedColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 1, 2)")
        #expect(throws: SQLiteError.self) { try fixture.app.execute("ALTER TABLE a DROP COLUMN w") }
        try fixture.database.stop(["a"])
        #expect(try state("a", fixture) == .notRecorded)
        try fixture.app.execute("ALTER TABLE a DROP COLUMN w; UPDATE a SET v = 2")
        #expect(try fixture.changes() == ["insert a/1 v=1 w=2"])
        #expect(try fixture.database.track(["a"]).first?.isNew == true)
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET v = 3")
        #expect(try fixture.changes(after: token) == ["update a/1 v=2>3"])
        #expect(try fixture.problems() == [])
    }

    @Test func renamedColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("ALTER TABLE a RENAME COLUMN v TO w; INSERT INTO a VALUES (1, 2)")
        // SQLite changes the triggers as well, so the change is recorded under the earlier name.
        #expect(try fixture.changes() == ["insert a/1 v=2"])
        try expectGap(fixture, "a", "the column v does not exist")
    }

    @Test func renamedTables() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES ('x', 1); ALTER TABLE a RENAME TO b; UPDATE b SET v = 2")
        guard case .interrupted(let reason)? = try state("a", fixture) else {
            Issue.record("the table exists")
            return
        }
        #expect(reason.contains("renamed to b"))
        let token = try fixture.store().currentHistoryToken()
        // Nothing is missing: SQLite renames the triggers with the table.
        #expect(try fixture.database.track().filter(\.isNew).isEmpty)
        try fixture.app.execute("DELETE FROM b")
        #expect(try fixture.changes(after: token) == ["delete b/'x' k='x' v=2"])
        #expect(try fixture.problems() == [])
    }

    @Test func aNewPrimaryKey() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, k TEXT)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 'x')")
        try fixture.app.execute(
            "DROP TABLE a; CREATE TABLE a(id INTEGER, k TEXT PRIMARY KEY); INSERT INTO a VALUES (1, 'x')")
        try expectGap(fixture, "a", "primary key")
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET id = 2")
        #expect(try fixture.changes(after: token) == ["update a/'x' id=1>2"])
        // The changes of the earlier table remain under another name.
        #expect(try fixture.store().schema.entities.map(\.name) == ["a"])
        let identifiers = try fixture.store().fetchHistory(.init()).flatMap(\.changes).map(
            \.changedPersistentIdentifier)
        #expect(identifiers.first?.description == "a (1)/1")
    }

    @Test func droppedAndNewTables() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY)")
        try fixture.app.execute("INSERT INTO a VALUES (1); DROP TABLE a; CREATE TABLE c(id INTEGER PRIMARY KEY)")
        #expect(try state("a", fixture) == .interrupted(reason: "the table does not exist"))
        #expect(try fixture.changes() == ["insert a/1"])
        #expect(try fixture.database.track().filter(\.isNew).map(\.name) == ["c"])
        #expect(try state("a", fixture) == nil)
        #expect(try fixture.store().schema.entities.map(\.name) == ["b", "c"])
        #expect(try fixture.problems() == [])
    }

    @Test(arguments: [
        "DROP TRIGGER chronicle_1_update", "CREATE UNIQUE INDEX u ON a(v)",
        "CREATE TRIGGER later AFTER INSERT ON a BEGIN UPDATE a SET v = 1; END",
    ])
    func changedTriggers(_ sql: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(sql)
        try expectGap(fixture, "a", sql.contains("later") ? "created later" : "triggers are not those")
    }

    /// A trigger that changes another table does not matter.
    /// The triggers of earlier versions do not contain default values. They are replaced without a gap.
    @Test func triggersOfAnEarlierVersion() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, u UNIQUE NOT NULL DEFAULT 1)")
        let present = try fixture.schemaDump()
        let value = "ifnull(NEW.\"u\", 1)"
        let statement = try fixture.app.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND instr(sql, ?)")
        try statement.bind(value, at: 1)
        var triggers: [(name: String, sql: String)] = []
        while try statement.step() { triggers.append((statement.text(0), statement.text(1))) }
        #expect(triggers.count == 2)
        for trigger in triggers {
            try fixture.app.execute("DROP TRIGGER \"\(trigger.name)\"")
            try fixture.app.execute(trigger.sql.replacing(value, with: "NEW.\"u\""))
        }
        try fixture.app.execute("INSERT INTO a VALUES (1, 2)")
        let token = try #require(try fixture.store().currentHistoryToken())
        #expect(try fixture.database.tables().map(\.state) == [.recorded])
        #expect(try fixture.problems() == [])
        try fixture.database.track()
        #expect(try fixture.schemaDump() == present)
        try fixture.app.execute("INSERT INTO a VALUES (2, 3)")
        #expect(try fixture.changes(after: token) == ["insert a/2 u=3"])
    }

    @Test func aLaterTriggerOfAnotherTable() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE account(id INTEGER PRIMARY KEY, v); CREATE TABLE log(id INTEGER PRIMARY KEY)")
        try fixture.app.execute(
            "CREATE TRIGGER later AFTER INSERT ON account BEGIN INSERT INTO log(id) VALUES (NULL); END")
        try fixture.app.execute("INSERT INTO account VALUES (7, 8)")
        #expect(try fixture.changes() == ["insert log/1", "insert account/7 v=8"])
        #expect(try state("account", fixture) == .recorded)
    }
}
