import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

// Triggers of the recorder that a program drops and creates again, with the same text.
extension TrackedSchemaChangeTests {
    private func triggers(_ fixture: TrackedFixture) throws -> [(name: String, sql: String)] {
        let texts = try fixture.app.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'a' ORDER BY rowid")
        var triggers: [(name: String, sql: String)] = []
        while try texts.step() { triggers.append((texts.text(0), texts.text(1))) }
        return triggers
    }

    /// Changes rows while the table has no triggers.
    private func write(_ sql: String, withoutTriggers fixture: TrackedFixture) throws {
        let triggers = try triggers(fixture)
        #expect(!triggers.isEmpty)
        for trigger in triggers { try fixture.app.execute("DROP TRIGGER \(trigger.name)") }
        try fixture.app.execute(sql)
        for trigger in triggers { try fixture.app.execute(trigger.sql) }
    }

    private func rebuildWithTriggers(_ fixture: TrackedFixture) throws {
        let triggers = try triggers(fixture).map(\.sql)
        try fixture.app.execute(
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, v); INSERT INTO n SELECT id, v + 10 FROM a; DROP TABLE a;
            ALTER TABLE n RENAME TO a; \(triggers.joined(separator: ";"))
            """)
    }

    /// As SQLite recommends: https://www.sqlite.org/lang_altertable.html#otheralter
    @Test(arguments: [false, true], [false, true])
    func aTableIsRebuiltWithItsTriggers(_ addsColumn: Bool, _ vacuums: Bool) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 3), (2, 4)")
        let triggers = try triggers(fixture).map(\.sql)
        try fixture.app.execute(
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, v\(addsColumn ? ", w" : ""));
            INSERT INTO n(id, v) SELECT id, v + 10 FROM a WHERE id = 1; DROP TABLE a; ALTER TABLE n RENAME TO a;
            \(triggers.joined(separator: ";"))
            """)
        if vacuums { try fixture.app.execute("VACUUM") }
        #expect(try fixture.database.followSchemaChanges() == (addsColumn ? ["column added: a.w"] : []))
        #expect(
            try fixture.changes() == ["insert a/1 v=3", "insert a/2 v=4", "delete a/2", "update a/1 v=3>13"])
        #expect(try fixture.problems() == [])
    }

    /// SQLite uses the numbers of dropped triggers again if they were the highest ones.
    @Test(arguments: [["a"], ["a", "b"]]) func triggersAreCreatedAgainSeveralTimes(_ names: [String]) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE b(id INTEGER PRIMARY KEY); CREATE TABLE a(id INTEGER PRIMARY KEY, v)", track: false)
        try fixture.database.track(names)
        try fixture.app.execute("INSERT INTO a VALUES (1, 0), (2, 0)")
        for round in 1...3 {
            try write("UPDATE a SET v = \(round) WHERE id = 2", withoutTriggers: fixture)
            let token = try #require(try fixture.store().currentHistoryToken())
            #expect(try fixture.database.followSchemaChanges() == [])
            #expect(try fixture.changes(after: token) == ["update a/2 v=\(round - 1)>\(round)"])
            #expect(try fixture.problems() == [])
        }
    }

    /// The history does not contain the values of the rows, so it cannot tell which ones changed.
    @Test(arguments: [false, true]) func earlierRowsOfATableThatIsRebuiltWithItsTriggers(_ isVacuumed: Bool) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 3), (2, 4); CREATE TABLE b(id)")
        if isVacuumed {
            try fixture.app.execute("DROP TABLE b; VACUUM")
            #expect(try fixture.database.followSchemaChanges() == [])
        }
        for _ in 1...3 {
            let token = try #require(try fixture.store().currentHistoryToken())
            try rebuildWithTriggers(fixture)
            #expect(try fixture.database.followSchemaChanges() == [])
            #expect(throws: SwiftDataError.historyTokenGap) { try fixture.changes(after: token) }
            #expect(try fixture.problems() == [])
            let later = try #require(try fixture.store().currentHistoryToken())
            try fixture.app.execute("UPDATE a SET v = 0 WHERE id = 1")
            #expect(try fixture.changes(after: later).count == 1)
        }
    }

    /// All triggers have other numbers then.
    @Test func vacuumIsNoChange() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 3); CREATE TABLE b(id)")
        var token = try #require(try fixture.store().currentHistoryToken())
        for sql in ["VACUUM", "DROP TABLE b; VACUUM", "CREATE TABLE c(id)", "DROP TABLE c; VACUUM"] {
            try fixture.app.execute(sql)
            #expect(try fixture.database.followSchemaChanges() == [])
            #expect(try fixture.changes(after: token) == [])
            #expect(try fixture.problems() == [])
            try fixture.app.execute("UPDATE a SET v = v + 1; VACUUM")
            #expect(try fixture.database.track().filter(\.isNew).isEmpty)
            #expect(try fixture.changes(after: token).count == 1)
            token = try #require(try fixture.store().currentHistoryToken())
        }
    }
}
