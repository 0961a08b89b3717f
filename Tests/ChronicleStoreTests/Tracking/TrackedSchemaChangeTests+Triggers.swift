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

    /// A table whose triggers contain the new name of its key, so that they also work without rowids, and for keys of any type.
    private func rebuiltTable(endsTransactions: Bool = false) throws -> TrackedFixture {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1, 3)"
        )
        func write(_ sql: String) throws {
            if endsTransactions { try fixture.app.execute("UPDATE chronicle_pending SET started = started - 9") }
            try fixture.app.execute(sql)
        }
        try write("ALTER TABLE a RENAME COLUMN id TO k")
        let triggers = try triggers(fixture).map(\.sql)
        try write(
            """
            CREATE TABLE n(k INTEGER PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO n SELECT * FROM a; DROP TABLE a;
            ALTER TABLE n RENAME TO a; \(triggers.joined(separator: ";"))
            """)
        try write("INSERT INTO a VALUES ('x', 4)")
        try write("INSERT INTO b VALUES (7)")
        try write("INSERT INTO a VALUES (2, 5)")
        try write("UPDATE a SET v = v + 1")
        try write("UPDATE a SET k = 'y' WHERE k = 2")
        try write("REPLACE INTO a VALUES ('y', 8)")
        return fixture
    }

    private static let changesOfRebuiltTable = [
        "insert a (1)/'x' v=4", "insert b/7", "insert a (1)/2 v=5", "update a (1)/1 v=3>4", "update a (1)/2 v=5>6",
        "update a (1)/'x' v=4>5", "delete a (1)/2 v=6", "insert a (1)/'y' v=6", "delete a (1)/'y' v=6",
        "insert a (1)/'y' v=8",
    ]

    /// The history can be read again after the change was followed, and nothing is missing.
    @Test(arguments: [false, true]) func theKeysOfARebuiltTableAreNoRowIDs(_ endsTransactions: Bool) throws {
        let fixture = try rebuiltTable(endsTransactions: endsTransactions)
        let start = try #require(try fixture.store().earliestHistoryToken())
        func expectAdvice(_ read: () throws -> Void) {
            let error = #expect(throws: SwiftDataError.unsupportedFeature) { try read() }
            #expect(error?.detail?.contains("use `chronicle track FILE` to record this change") == true)
        }
        expectAdvice { _ = try fixture.changes() }
        let past = try #require(try fixture.store().store(asOf: start) as? DefaultStore)
        expectAdvice { _ = try past.fetchCount(ofEntity: "a") }
        #expect(try fixture.problems().contains { $0.contains("use `chronicle track FILE`") })
        #expect(try fixture.database.followSchemaChanges() == ["primary key changed: a"])
        #expect(
            try fixture.changes(after: start) == Self.changesOfRebuiltTable + [
                "delete a (1)/1", "delete a (1)/'x'", "delete a (1)/'y'", "insert a/1 k=1 v=4",
                "insert a/'x' k='x' v=5",
                "insert a/'y' k='y' v=8",
            ])
        #expect(try fixture.problems() == [])
        try fixture.app.execute("UPDATE a SET v = 0 WHERE k = 'x'")
        #expect(try fixture.changes(after: start).last == "update a/'x' v=5>0")
        #expect(try fixture.problems() == [])
    }

    /// The table is dropped, has rowids again, or is not recorded any more.
    @Test(arguments: ["drop", "rebuild", "rename", "stop"]) func theHistoryOfOtherKeysEnds(_ end: String) throws {
        let fixture = try rebuiltTable()
        let start = try #require(try fixture.store().earliestHistoryToken())
        let triggers = try triggers(fixture).map(\.sql)
        var later: [String] = []
        switch end {
        case "drop":
            try fixture.app.execute("DROP TABLE a")
            #expect(try fixture.database.followSchemaChanges() == ["table dropped: a"])
        case "rebuild":
            try fixture.app.execute(
                """
                CREATE TABLE n(k INTEGER PRIMARY KEY, v); INSERT INTO n SELECT * FROM a WHERE typeof(k) = 'integer';
                DROP TABLE a; ALTER TABLE n RENAME TO a; \(triggers.joined(separator: ";")); INSERT INTO a VALUES (4, 0)
                """)
            #expect(try fixture.database.followSchemaChanges() == ["primary key changed: a"])
            later = ["insert a/1 v=4", "insert a/4 v=0"]
        case "rename":
            try fixture.app.execute("ALTER TABLE a RENAME TO c")
            #expect(
                try fixture.database.followSchemaChanges() == ["table renamed: a to c", "primary key changed: c"])
            later = ["insert c/1 k=1 v=4", "insert c/'x' k='x' v=5", "insert c/'y' k='y' v=8"]
        default: try fixture.database.stop()
        }
        let name = ["drop": "a", "rebuild": "a (1)", "rename": "c (1)", "stop": "a"][end] ?? ""
        let changes = try fixture.changes(after: start)
        let known = Self.changesOfRebuiltTable.map { $0.replacing("a (1)", with: name) }
        #expect(Array(changes.prefix(known.count)) == known)
        #expect(
            changes.dropFirst(known.count).filter { !$0.hasPrefix("delete") && !$0.hasPrefix("insert \(name)/") }
                == later)
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
