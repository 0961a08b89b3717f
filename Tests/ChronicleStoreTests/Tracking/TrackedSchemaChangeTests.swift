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

    /// Expects that changes of the schema are followed without a gap: the history describes them, and contains what was not
    /// recorded in between.
    func expectFollowed(
        _ fixture: TrackedFixture, _ changes: [String], _ lines: [String], location: SourceLocation = #_sourceLocation
    ) throws {
        let token = try #require(try fixture.store().currentHistoryToken(), sourceLocation: location)
        #expect(try fixture.database.followSchemaChanges() == changes, sourceLocation: location)
        #expect(try fixture.database.followSchemaChanges() == [], sourceLocation: location)
        #expect(try fixture.changes(after: token) == lines, sourceLocation: location)
        let last = try #require(try fixture.store().fetchHistory(.after(token)).last, sourceLocation: location)
        var metadata = ["schema": changes.joined(separator: ", ")]
        if !lines.isEmpty { metadata["reconciled"] = "true" }
        #expect(last.metadata == metadata, sourceLocation: location)
        #expect(try fixture.problems() == [], sourceLocation: location)
        #expect(try fixture.database.tables().allSatisfy { $0.state == .recorded }, sourceLocation: location)
    }

    private func rebuild(_ definition: String) -> String {
        """
        PRAGMA foreign_keys = OFF; BEGIN; CREATE TABLE new\(definition);
        INSERT INTO new SELECT * FROM a; DROP TABLE a; ALTER TABLE new RENAME TO a; COMMIT;
        INSERT INTO a(id) VALUES (3); DELETE FROM a WHERE id = 1
        """
    }

    private static let keys = [
        "id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY, x) WITHOUT ROWID --",
    ]

    /// The procedure of https://www.sqlite.org/lang_altertable.html#otheralter, as many programs use it. Values that were
    /// never recorded can have changed.
    @Test(arguments: keys) func aRebuiltTableWithUnknownValues(_ key: String) throws {
        let definition = "(\(key), v\n)".replacing("--, v\n)", with: "")
        let fixture = try TrackedFixture(
            "CREATE TABLE a\(definition); INSERT INTO a(id) VALUES (1), (2)")
        try fixture.app.execute(rebuild(definition))
        try expectGap(fixture, "a", "triggers were dropped")
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DELETE FROM a WHERE id = 3; INSERT INTO a(id) VALUES (1)")
        #expect(try fixture.changes(after: token).map { $0.prefix(6) } == ["delete", "insert"])
        #expect(try fixture.problems() == [])
    }

    @Test(arguments: keys) func aRebuiltTable(_ key: String) throws {
        let definition = "(\(key), v\n)".replacing("--, v\n)", with: "")
        let fixture = try TrackedFixture("CREATE TABLE a\(definition)")
        try fixture.app.execute("INSERT INTO a(id) VALUES (1), (2)")
        try fixture.app.execute(rebuild(definition))
        let insert =
            key.contains("TEXT")
            ? "insert a/'3' id='3' \(key.contains("x)") ? "x" : "v")=NULL" : "insert a/3 v=NULL"
        try expectFollowed(
            fixture, ["table rebuilt: a"], [key.contains("TEXT") ? "delete a/'1'" : "delete a/1", insert])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DELETE FROM a WHERE id = 3; INSERT INTO a(id) VALUES (1)")
        #expect(try fixture.changes(after: token).map { $0.prefix(6) } == ["delete", "insert"])
        #expect(try fixture.problems() == [])
    }

    /// A migration adds, removes and converts columns.
    @Test func aRebuiltTableWithOtherColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v INTEGER, w)")
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1, 1, 'x'), (2, NULL, 'y');
            CREATE TABLE new(id INTEGER PRIMARY KEY, v TEXT, u DEFAULT 7); INSERT INTO new(id, v) SELECT id, v FROM a;
            DROP TABLE a; ALTER TABLE new RENAME TO a; UPDATE a SET u = NULL WHERE id = 2
            """)
        let start = try fixture.store().currentHistoryToken()
        try expectFollowed(
            fixture, ["table rebuilt: a", "column removed: a.w", "column changed: a.v", "column added: a.u"],
            ["update a/1 v=1>'1' u=NULL>7"])
        // The rows are those of the past in the columns of the present, which convert values.
        let position = try #require(start)
        let past = try #require(try fixture.store().store(asOf: position) as? DefaultStore)
        var rows: [[PropertyValue]] = []
        try past.fetchRows(ofEntity: "a") { rows.append($0.values) }
        #expect(rows == [[.text("1"), .null], [.null, .null]])
    }

    @Test func addedColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(
            "INSERT INTO a VALUES (1, 1), (2, 2); ALTER TABLE a ADD COLUMN w DEFAULT 5; UPDATE a SET w = 6, v = 2 WHERE id = 1"
        )
        #expect(try fixture.changes() == ["insert a/1 v=1", "insert a/2 v=2", "update a/1 v=1>2"])
        try expectFollowed(fixture, ["column added: a.w"], ["update a/1 w=NULL>6", "update a/2 w=NULL>5"])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET w = 7 WHERE id = 1")
        #expect(try fixture.changes(after: token) == ["update a/1 w=6>7"])
    }

    /// A change of the schema that changes no value is a transaction without changes, which every kind of read contains.
    @Test func transactionsWithoutChanges() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 1)")
        var tokens: [DefaultHistoryToken?] = []
        for name in ["b", "c", "d"] {
            tokens.append(try fixture.store().currentHistoryToken())
            try fixture.app.execute("ALTER TABLE a ADD COLUMN \(name)")
            try expectFollowed(fixture, ["column added: a.\(name)"], [])
        }
        let store = try fixture.store(allowsSave: true)
        for (index, token) in tokens.enumerated() {
            let descriptor = HistoryDescriptor<DefaultHistoryTransaction>.after(try #require(token))
            // The first token is that of changes without a header.
            let count = try store.fetchHistory(descriptor).count
            #expect(count == 3 - index)
            #expect(try store.fetchHistoryWithoutChanges(descriptor).count == count)
            #expect(try store.fetchHistoryCount(descriptor) == count)
            #expect(try store.fetchHistoryIdentifiers(descriptor).count == count)
            #expect(try store.fetchHistoryPage(descriptor, changeCount: 10).transactions.count == count)
        }
        try store.deleteHistory(HistoryDescriptor(predicate: #Predicate { $0.author == nil }))
        #expect(try fixture.problems() == [])
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

    /// SQLite changes the triggers as well, so that nothing is missing.
    @Test func renamedColumns() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k1 INT, k2 TEXT, v, w, PRIMARY KEY (k1, k2))")
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1, 'x', 2, 3); ALTER TABLE a RENAME COLUMN v TO "n ""1"; ALTER TABLE a RENAME k2 TO key;
            ALTER TABLE a RENAME w TO v; ALTER TABLE a ADD COLUMN x; UPDATE a SET v = 4, "n ""1" = 5
            """)
        // The history has the earlier names until then.
        #expect(try fixture.changes() == ["insert a/1,'x' k1=1 k2='x' v=2 w=3", "update a/1,'x' v=2>5 w=3>4"])
        try expectFollowed(
            fixture,
            [
                "column renamed: a.k2 to key", "column renamed: a.v to n \"1", "column renamed: a.w to v",
                "column added: a.x",
            ], [])
        #expect(
            try fixture.changes()
                == ["insert a/1,'x' k1=1 key='x' n \"1=2 v=3", "update a/1,'x' n \"1=2>5 v=3>4"])
    }

    @Test(arguments: [false, true]) func aRenamedColumnAndAnotherSetting(_ preservesValues: Bool) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)", track: false)
        try fixture.database.track(preservesValues: !preservesValues)
        try fixture.app.execute("ALTER TABLE a RENAME COLUMN v TO u")
        let table = try #require(try fixture.database.track(preservesValues: preservesValues).first)
        #expect(table.schemaChanges == ["column renamed: a.v to u"] && !table.isNew)
        try fixture.app.execute("INSERT INTO a VALUES (1, 2); UPDATE a SET u = 3")
        #expect(try fixture.changes().last?.contains("2>3") == preservesValues)
    }

    /// The change of the schema of a table that remains recorded is followed when another one ends.
    @Test func anotherTableIsNotRecordedAnyMore() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(
            "INSERT INTO b(id) VALUES (1); ALTER TABLE b ADD COLUMN w; UPDATE b SET w = 2")
        try fixture.database.stop(["a"])
        #expect(try fixture.changes().count == 2)
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE b SET w = 3")
        #expect(try fixture.changes(after: token) == ["update b/1 w=2>3"])
        #expect(try fixture.problems() == [])
    }

    @Test func renamedTables() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES ('x', 1); ALTER TABLE a RENAME TO b; UPDATE b SET v = 2")
        guard case .interrupted(let reason)? = try state("a", fixture) else {
            Issue.record("the table exists")
            return
        }
        #expect(reason.contains("renamed to b"))
        try expectFollowed(fixture, ["table renamed: a to b"], [])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DELETE FROM b")
        #expect(try fixture.changes(after: token) == ["delete b/'x' k='x' v=2"])
        #expect(try fixture.problems() == [])
    }

    @Test(arguments: ["id INTEGER, k TEXT PRIMARY KEY", "id INTEGER PRIMARY KEY, k TEXT COLLATE NOCASE"])
    func aNewPrimaryKey(_ columns: String) throws {
        let isInteger = columns.contains("INTEGER PRIMARY")
        let fixture = try TrackedFixture(
            isInteger
                ? "CREATE TABLE a(id INTEGER, k TEXT PRIMARY KEY)" : "CREATE TABLE a(id INTEGER PRIMARY KEY, k TEXT)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 'x')")
        try fixture.app.execute("DROP TABLE a; CREATE TABLE a(\(columns)); INSERT INTO a VALUES (1, 'y')")
        try expectFollowed(
            fixture, ["primary key changed: a"],
            isInteger
                ? ["delete a (1)/'x'", "insert a/1 k='y'"] : ["delete a (1)/1", "insert a/'y' id=1 k='y'"])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET \(isInteger ? "k = 'z'" : "id = 2")")
        #expect(try fixture.changes(after: token) == [isInteger ? "update a/1 k='y'>'z'" : "update a/'y' id=1>2"])
        // The changes of the earlier table remain under another name.
        #expect(try fixture.store().schema.entities.map(\.name) == ["a"])
    }

    /// The numbers of the keys depend on their collation.
    @Test func aNewCollationOfTheKey() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY, v)")
        try fixture.app.execute(
            """
            INSERT INTO a VALUES ('x', 1); DROP TABLE a; CREATE TABLE a(k TEXT PRIMARY KEY COLLATE NOCASE, v);
            INSERT INTO a VALUES ('X', 1)
            """)
        try expectFollowed(
            fixture, ["primary key changed: a"], ["delete a (1)/'x'", "insert a/'X' k='X' v=1"])
    }

    /// The rows of a dropped table are deleted. A table of the same name is another one, whose rows are inserts.
    @Test func droppedTables() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (5)")
        try fixture.app.execute("INSERT INTO a VALUES (1); DROP TABLE a")
        #expect(try state("a", fixture) == .interrupted(reason: "the table does not exist"))
        try expectFollowed(fixture, ["table dropped: a"], ["delete a/1", "delete a/5"])
        #expect(try fixture.store().schema.entities.map(\.name) == ["b"])
        try fixture.app.execute("CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (5)")
        try expectFollowed(fixture, ["table added: a"], ["insert a/5"])
        try fixture.database.stop(["a"])
        try fixture.app.execute("ALTER TABLE b ADD COLUMN v")
        #expect(try fixture.database.followSchemaChanges() == ["column added: b.v"])
        #expect(try state("a", fixture) == .notRecorded)
    }

    @Test func theLastTableIsDropped() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        try fixture.app.execute("INSERT INTO a VALUES (1); DROP TABLE a")
        let token = try fixture.store().currentHistoryToken()
        let tables = try fixture.database.track()
        #expect(tables.map(\.name) == ["a"] && tables.first?.schemaChanges == ["table dropped: a"])
        #expect(tables.first?.state == .unsupported(reason: "the table was dropped"))
        #expect(try fixture.changes(after: token) == ["delete a/1"])
        #expect(try fixture.problems() == [])
    }

    // MARK: New tables

    @Test(arguments: ["id INTEGER PRIMARY KEY, v", "id TEXT PRIMARY KEY, v", "id TEXT, v, PRIMARY KEY (id, v)"])
    func newTables(_ columns: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE other(id INTEGER PRIMARY KEY)", track: false)
        try fixture.database.track(["a"], recordsNewTables: true)
        try fixture.app.execute("CREATE TABLE c(\(columns)); INSERT INTO c VALUES (1, 2); CREATE TABLE no_key(v)")
        let token = try #require(try fixture.store().currentHistoryToken())
        // Opening the file for reading changes nothing.
        #expect(try fixture.store().schema.entities.map(\.name) == ["a"])
        #expect(try state("c", fixture) == .notRecorded)
        _ = try fixture.store(allowsSave: true)
        #expect(try state("c", fixture) == .recorded)
        #expect(try state("other", fixture) == .notRecorded)
        try fixture.app.execute("DELETE FROM c")
        let lines = try fixture.changes(after: token)
        #expect(lines.map { $0.prefix(8) } == ["insert c", "delete c"])
        let transactions = try fixture.store().fetchHistory(.after(token))
        #expect(transactions.first?.metadata == ["schema": "table added: c", "reconciled": "true"])
        #expect(try fixture.problems() == [])
        // The recording of a table that ended by request is not resumed.
        try fixture.database.stop(["c"])
        try fixture.app.execute("CREATE TABLE later(id INTEGER PRIMARY KEY)")
        #expect(try fixture.database.followSchemaChanges() == ["table added: later"])
        #expect(try state("c", fixture) == .notRecorded)
        try fixture.database.track(["a"], recordsNewTables: false)
        try fixture.app.execute("CREATE TABLE last(id INTEGER PRIMARY KEY)")
        #expect(try fixture.database.followSchemaChanges() == [])
    }

    // MARK: Triggers

    @Test(arguments: [
        "DROP TRIGGER chronicle_1_update", "CREATE UNIQUE INDEX u ON a(v)",
        "CREATE TRIGGER later AFTER INSERT ON a BEGIN UPDATE a SET v = 1; END",
    ])
    func changedTriggers(_ sql: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(sql)
        guard case .interrupted(let reason)? = try state("a", fixture) else {
            Issue.record("the table is recorded")
            return
        }
        #expect(reason.contains(sql.contains("later") ? "created later" : "triggers are not those"))
        try fixture.app.execute("INSERT INTO a VALUES (1, 2); UPDATE a SET v = 3")
        let token = try fixture.store().currentHistoryToken()
        #expect(try fixture.database.track().allSatisfy { !$0.isNew })
        #expect(try fixture.problems() == [])
        #expect(try fixture.changes(after: token) == (sql.hasPrefix("DROP") ? ["update a/1 v=2>3"] : []))
    }

    /// A trigger is missing, and the history does not contain all values that it would have recorded.
    @Test func missingTriggersWithUnknownValues() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 1)")
        try fixture.app.execute("DROP TRIGGER chronicle_1_update")
        try expectGap(fixture, "a", "triggers are not those")
    }

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

    /// A trigger that changes another table does not matter.
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
