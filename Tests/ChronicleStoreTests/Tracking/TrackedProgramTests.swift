import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Schemas that need something of their program, and programs that change what tracking added.
@Suite struct TrackedProgramTests {
    // MARK: Functions in the schema

    /// Each schema uses deterministic built-in functions, which SQLite 3.38 to 3.40 rejects if the schema is not trusted.
    @Test(arguments: [
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT CHECK (json_valid(d) OR d IS NULL))",
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT CHECK (JSON_VALID(d) OR d IS NULL))",
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT); CREATE INDEX i ON a(json_extract(d, '$.x'), d -> 'y')",
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT, x AS (d ->> '$.x'), y AS (json_type(d, '$.y')) STORED)",
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT); CREATE UNIQUE INDEX i ON a(id, json_array(d, json(d)))",
        "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT); CREATE INDEX i ON a(id) WHERE json_array_length(d, '$.z') > 1",
    ])
    func jsonInTheSchema(_ schema: String) throws {
        let fixture = try TrackedFixture(schema)
        try fixture.app.execute(#"INSERT INTO a(d) VALUES ('{"x": 1, "y": "é", "z": [1, 2]}'); UPDATE a SET d = '{}'"#)
        #expect(try fixture.changes().map { $0.prefix(6) } == ["insert", "update"])
        #expect(try fixture.problems() == [])
        #expect(try fixture.store().fetchCount(ofEntity: "a") == 1)
        try fixture.database.untrack()
    }

    /// The functions of the connection have the results of those of SQLite, in every form of a call.
    @Test func jsonHasTheSameResults() throws {
        let file = try TemporaryDirectory().file("a.db")
        let queries = [
            "json_valid('{')", "json_valid('[1]')", "json_extract('{\"a\":[1,2]}', '$.a')",
            "json_extract('{\"a\":[1,2]}', '$.a', '$.b')", "'{\"a\":\"x\"}' -> 'a'", "'{\"a\":\"x\"}' ->> 'a'",
            "json_array(1, 'x', NULL, json('[1]'), 1.5)", "json_object('a', json('{}'), 'b', '[]')", "json_quote('é')",
            "json_array(json_extract('{\"a\":[1]}', '$.a'))", "json_set('{}', '$.a', json('[]'))", "json('{')",
            "json_extract(NULL, '$')", "json_type('[1]', '$[0]')", "json_patch('{\"a\":1}', '{\"a\":null}')",
        ]
        let plain = try Connection(path: ":memory:", mode: .readWriteCreate)
        do {
            let app = try Connection(path: file.path, mode: .readWriteCreate)
            try app.execute("PRAGMA trusted_schema = ON; CREATE TABLE a(d, CHECK (json_valid(d)))")
        }
        let connection = try Connection(path: file.path, mode: .readWrite)
        try connection.execute("INSERT INTO a VALUES ('[]')")
        func result(_ connection: Connection, _ query: String) throws -> String {
            do { return try connection.scalarText("SELECT quote(\(query))") ?? "NULL" } catch let error as SQLiteError {
                return error.message
            }
        }
        for query in queries { #expect(try result(connection, query) == result(plain, query), "\(query)") }
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO a VALUES ('[')") }
    }

    /// An open store continues when another program adds an index on JSON, and can be opened again.
    @Test(arguments: [true, false]) func anIndexOnJSONInAStore(_ isOpen: Bool) throws {
        let test = try TestStore(.file, [Trip.self])
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b", startDate: .now, endDate: .now))
        try context.save()
        try test.shell("CREATE INDEX i ON Trip(json_extract(name, '$.x')) WHERE json_valid(name)")
        let container = try isOpen ? test.container : test.reopened()
        let other = ModelContext(container)
        other.insert(Trip(name: "{}", destination: "c", startDate: .now, endDate: .now))
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 2)
        try DefaultStore.verify(fileAt: test.url) { Issue.record("\($0)") }
    }

    /// The history is read and verified without the functions of the program.
    @Test func functionsOfTheProgram() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, d TEXT); CREATE TABLE b(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 'x'); INSERT INTO b VALUES (1, 2)")
        // The program that has the function is not needed for the definition.
        try fixture.replaceSchema("d TEXT", with: "d TEXT CHECK (words(d) > 0)")
        try fixture.replaceSchema("v)", with: "v, w AS (words(v)))")
        #expect(try fixture.changes() == ["insert a/1 d='x'", "insert b/1 v=2"])
        #expect(try fixture.store().fetchCount(ofEntity: "b") == 1)
        #expect(try fixture.database.tables().allSatisfy { $0.state == .recorded })
        #expect(try fixture.problems() == [])
    }

    // MARK: Collations of the program

    @Test func collationsOfTheProgram() throws {
        let fixture = try TrackedFixture("SELECT 1", track: false)
        let reversed = SQLCollation("reversed") { first, second in
            first.lexicographicallyPrecedes(second) ? 1 : second.lexicographicallyPrecedes(first) ? -1 : 0
        }
        try fixture.app.define(reversed)
        try fixture.app.execute(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE reversed, x);
            CREATE UNIQUE INDEX i ON a(name);
            CREATE TABLE b(k INTEGER, name TEXT COLLATE reversed, v, PRIMARY KEY (k), UNIQUE (name, k)) WITHOUT ROWID;
            CREATE TABLE c(name TEXT COLLATE reversed PRIMARY KEY) WITHOUT ROWID;
            """)
        for name in "abcdefgh" { try fixture.app.execute("INSERT INTO a(name) VALUES ('\(name)')") }
        try fixture.database.track()
        try fixture.app.execute("INSERT INTO b VALUES (2, 'x', 1), (1, 'y', 2); DELETE FROM a WHERE name > 'f'")
        #expect(try fixture.changes().count == 7)
        #expect(try fixture.problems() == [])
        let store = try fixture.store()
        #expect(try store.fetchCount(ofEntity: "a") == 3)
        var rows = 0
        try store.fetchRows(ofEntity: "b") { _ in rows += 1 }
        #expect(rows == 2)
        guard case .unsupported(let reason)? = try fixture.database.tables().first(where: { $0.name == "c" })?.state
        else {
            Issue.record("the table is recorded")
            return
        }
        #expect(reason.contains("reversed"))
        // Damage of other tables is still found.
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.track(["c"]) }
    }

    // MARK: A dropped history

    private static let chronicleTables = """
        SELECT group_concat('DROP TABLE "' || name || '"', ';') FROM sqlite_schema WHERE type = 'table' \
        AND name LIKE 'chronicle%'
        """

    @Test(arguments: ["track", "untrack"]) func aDroppedHistory(_ command: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(k TEXT PRIMARY KEY)", track: false)
        let before = try fixture.schemaDump()
        try fixture.database.track()
        try fixture.app.execute(try #require(try fixture.app.scalarText(Self.chronicleTables)))
        #expect(throws: SQLiteError.self) { try fixture.app.execute("INSERT INTO a VALUES (1, 1)") }
        #expect(try fixture.problems().contains { $0.contains("chronicle untrack") })
        #expect(throws: SwiftDataError.damagedFile) { try fixture.store() }
        if command == "track" {
            #expect(try fixture.database.track().filter(\.isNew).map(\.name) == ["a", "b"])
            // SQLite does not notice the new schema when it prepares a statement with triggers.
            _ = try fixture.schemaDump()
            try fixture.app.execute("INSERT INTO a VALUES (1, 1)")
            #expect(try fixture.changes() == ["insert a/1 v=1"])
            #expect(try fixture.problems() == [])
            try fixture.database.untrack()
        } else {
            try fixture.database.untrack()
            _ = try fixture.schemaDump()
            try fixture.app.execute("INSERT INTO a VALUES (1, 1)")
        }
        #expect(try fixture.schemaDump() == before)
    }

    /// A history of which only some tables are missing is not deleted without a request.
    @Test(arguments: ["chronicle_pending", "chronicle_meta", "chronicle_entity", "chronicle_conflict"])
    func aPartlyDroppedHistory(_ table: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY, v)", track: false)
        let before = try fixture.schemaDump()
        try fixture.database.track()
        try fixture.app.execute("INSERT INTO a VALUES ('x', 1); DROP TABLE \(table)")
        #expect(try fixture.problems().contains { $0.contains(table) })
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.track() }
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
    }

    /// A store of models is not taken for a tracked database, even without its identifier.
    @Test func aStoreWithoutItsIdentifier() throws {
        let test = try TestStore(.file, [Trip.self])
        let context = test.context()
        context.insert(Trip(name: "a", destination: "b", startDate: .now, endDate: .now))
        try context.save()
        try test.shell("PRAGMA application_id = 0")
        let database = TrackedDatabase(url: test.url)
        #expect(throws: SwiftDataError.unsupportedFeature) { try database.untrack() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try database.stop() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try database.track() }
        #expect(throws: SwiftDataError.notAChronicleStore) { try test.reopened() }
        try test.shell("PRAGMA application_id = \(FileFormat.applicationIdentifier)")
        let other = ModelContext(try test.reopened())
        #expect(try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        try DefaultStore.verify(fileAt: test.url) { Issue.record("\($0)") }
    }

    // MARK: Triggers of the program

    /// A trigger that is created again after those of the recorder runs before them. That matters only if it writes the
    /// recorded table.
    @Test(arguments: [
        ("INSERT INTO log VALUES (new.v)", false), ("INSERT INTO \"a\" VALUES (new.id + 100, 1)", true),
        ("INSERT INTO log VALUES ('update a')", false), ("INSERT INTO b VALUES (new.id)", true),
        ("UPDATE OR IGNORE a SET v = 2 WHERE id = new.id", true), ("DELETE FROM /* not a */ log", false),
        ("DELETE FROM [A] WHERE id = new.id - 1", true),
        ("SELECT 1 FROM a; UPDATE log SET v = 1 /* update a */", false),
        ("INSERT INTO log SELECT v FROM a WHERE true ON CONFLICT DO UPDATE SET v = 1", false),
        ("REPLACE INTO `a` VALUES (new.id, 3)", true),
    ])
    func aTriggerThatIsCreatedAgain(_ body: String, _ writes: Bool) throws {
        let trigger = "CREATE TRIGGER own AFTER INSERT ON a WHEN new.id < 100 BEGIN \(body); END"
        let fixture = try TrackedFixture(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE log(v UNIQUE); CREATE TABLE b(id INTEGER PRIMARY KEY);
            CREATE TRIGGER b_writes AFTER INSERT ON b BEGIN UPDATE a SET v = 1; END; \(trigger);
            """)
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DROP TRIGGER own; \(trigger)")
        let state = try #require(try fixture.database.tables().first { $0.name == "a" }).state
        guard writes else {
            #expect(state == .recorded)
            try fixture.app.execute("INSERT INTO a VALUES (5, 5)")
            #expect(try fixture.database.track().filter(\.isNew).isEmpty)
            #expect(try fixture.changes(after: token).count == 1)
            #expect(try fixture.problems() == [])
            return
        }
        guard case .interrupted(let reason) = state else {
            Issue.record("the trigger writes the table")
            return
        }
        #expect(reason.contains("own"))
    }
}

extension TrackedFixture {
    /// Changes the definitions of tables and of an index, as a program does that adds a constraint without a new table.
    func replaceSchema(_ text: String, with replacement: String) throws {
        _ = try Shell.sqlite3(
            url,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, '\(text)', '\(replacement)') WHERE name IN ('a', 'b', 'i');
            """)
    }
}

extension TrackedProgramTests {
    // MARK: Changes without triggers

    /// The baseline of a table follows purges, also with keys that are far apart, and the first and last possible ones.
    @Test(arguments: ["id INTEGER PRIMARY KEY, v", "id TEXT PRIMARY KEY, v", "id, v, PRIMARY KEY (id)"])
    func theBaselineFollowsPurges(_ columns: String) throws {
        let keys: [Int64] = [.min, -7, 1, 2, 3, 5, 1_000_000, .max]
        let fixture = try TrackedFixture("CREATE TABLE a(\(columns))", track: false)
        for key in keys { try fixture.app.execute("INSERT INTO a VALUES (\(key), 1)") }
        try fixture.database.track()
        try fixture.app.execute("DELETE FROM a WHERE id IN (2, \(Int64.min)); INSERT INTO a VALUES (4, 1), (6, 1)")
        let store = try fixture.store(allowsSave: true)
        try store.deleteHistory(HistoryDescriptor())
        #expect(try fixture.problems() == [])
        try fixture.app.execute("INSERT INTO a VALUES (2, 1); DELETE FROM a WHERE id IN (4, \(Int64.max))")
        #expect(try fixture.problems() == [])
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("DELETE FROM a WHERE id = 3; INSERT INTO a VALUES (4, 1)")
        try fixture.app.setTriggersEnabled(true)
        let problems = try fixture.problems()
        #expect(
            problems.contains {
                $0.contains("1 row was deleted without a record") || $0.contains("and 1 row was deleted")
            })
        #expect(try fixture.database.track(reconciles: true).first?.reconciledChangeCount == 2)
        #expect(try fixture.problems() == [])
        try store.deleteHistory(HistoryDescriptor())
        #expect(try fixture.problems() == [])
    }

    /// Values that a program changed without triggers are found if the history has the earlier ones.
    @Test func unrecordedValues() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w); INSERT INTO a VALUES (1, 1, 1)")
        try fixture.app.execute("INSERT INTO a VALUES (2, 2, 2)")
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.setTriggersEnabled(false)
        // Nothing is known about the values of the first row.
        try fixture.app.execute("UPDATE a SET v = 9 WHERE id = 1")
        #expect(try fixture.problems() == [])
        try fixture.app.execute("UPDATE a SET v = 2.0, w = 'x' WHERE id = 2")
        #expect(try fixture.problems().count == 2)
        try fixture.database.track(reconciles: true)
        #expect(try fixture.changes(after: token) == ["update a/2 v=2>2.0 w=2>'x'"])
        #expect(try fixture.problems() == [])
    }

    /// A gap begins a new transaction, also after a statement that began one without a change.
    @Test(arguments: [true, false], ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"])
    func aGapWithoutChangesBefore(_ reconciles: Bool, _ key: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(\(key), v); INSERT INTO a VALUES (1, 1)")
        try fixture.app.execute("INSERT OR IGNORE INTO a VALUES (1, 2); CREATE TABLE b(id INTEGER PRIMARY KEY, v)")
        let tables = try fixture.database.track(reconciles: reconciles)
        #expect(tables.allSatisfy { $0.reconciledChangeCount == 0 })
        for number in 1...2 {
            try fixture.app.execute("INSERT INTO b VALUES (\(number), 1)")
            #expect(try fixture.changes() == (1...number).map { "insert b/\($0) v=1" })
            #expect(try fixture.problems() == [])
            // The next change begins a transaction.
            try fixture.app.execute("UPDATE chronicle_pending SET started = started - 10")
        }
        #expect(try fixture.store().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
    }

    @Test func reconciledUpdatesWithoutValues() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 1)")
        try fixture.database.track(preservesValues: false)
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.setTriggersEnabled(false)
        try fixture.app.execute("UPDATE a SET v = 2; INSERT INTO a VALUES (2, 2)")
        #expect(try fixture.database.track(reconciles: true).first?.reconciledChangeCount == 2)
        #expect(Set(try fixture.changes(after: token)) == ["insert a/2", "update a/1"])
        #expect(try fixture.problems() == [])
    }

    /// A check that ends with the error of a function reports no problem twice.
    @Test(arguments: [true, false]) func damageBesideAFunctionThatFails(_ isFirst: Bool) throws {
        let tables = ["CREATE TABLE a(id INTEGER PRIMARY KEY, v)", "CREATE TABLE b(id INTEGER PRIMARY KEY, d)"]
        let fixture = try TrackedFixture((isFirst ? tables : tables.reversed()).joined(separator: ";"))
        try fixture.app.execute(
            "CREATE INDEX i ON b(id) WHERE d = 1; INSERT INTO a VALUES (1, NULL); INSERT INTO b VALUES (1, '{')")
        try fixture.replaceSchema(", v)", with: ", v NOT NULL)")
        try fixture.replaceSchema("d = 1", with: "json_extract(d, ''$.x'')")
        #expect(try fixture.problems().filter { $0.contains("a.v") }.count == 1)
    }

    // MARK: Triggers that run first

    /// A row that remains after a trigger failed, because of FAIL, is not recorded: SQLite ends the statement before the
    /// triggers of the recorder.
    @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"]) func aTriggerThatFails(_ key: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(\(key), v UNIQUE)")
        try fixture.app.execute(
            """
            CREATE TEMP TRIGGER own AFTER INSERT ON a BEGIN UPDATE a SET v = 9 WHERE id = new.id; END;
            INSERT INTO a VALUES (1, 1)
            """)
        #expect(throws: SQLiteError.self) { try fixture.app.execute("INSERT OR FAIL INTO a VALUES (2, 2)") }
        #expect(try fixture.problems().contains { $0.contains("1 row was inserted without a record") })
        #expect(try fixture.database.track(reconciles: true).first?.reconciledChangeCount == 1)
        #expect(try fixture.changes().map { $0.suffix(3) } == ["v=9", "v=2"])
        #expect(try fixture.problems() == [])
    }

    @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"], [true, false])
    func temporaryTriggersOfTheProgram(_ key: String, _ isRecursive: Bool) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(\(key), v, o); CREATE TABLE log(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1, 1, 1)")
        let id = key.contains("TEXT") ? "'5'" : "5"
        try fixture.app.execute(
            """
            PRAGMA recursive_triggers = \(isRecursive ? 1 : 0);
            CREATE TEMP TRIGGER inserted AFTER INSERT ON a BEGIN
                INSERT INTO log VALUES (NULL); UPDATE a SET o = 7 WHERE id = new.id;
            END;
            CREATE TEMP TRIGGER updated AFTER UPDATE OF v ON a WHEN new.v < 9 BEGIN
                UPDATE a SET v = v + 1 WHERE id = new.id;
            END;
            CREATE TEMP TRIGGER deleted AFTER DELETE ON a BEGIN INSERT INTO a(id, v) VALUES (old.id, 'back'); END;
            INSERT INTO a VALUES (5, 5, NULL);
            """)
        let base = key.contains("TEXT") ? "id='5' " : ""
        #expect(try fixture.changes() == ["insert log/1", "insert a/\(id) \(base)v=5 o=7"])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET v = 6 WHERE id = 5")
        #expect(try fixture.changes(after: token) == ["update a/\(id) v=5>\(isRecursive ? 9 : 7)"])
        #expect(try fixture.problems() == [])
        let next = try fixture.store().currentHistoryToken()
        try fixture.app.execute("DELETE FROM a WHERE id = 5")
        let changes = try fixture.changes(after: next)
        #expect(changes.filter { $0.contains(" a/") }.map { $0.prefix(6) } == ["delete", "insert"])
        #expect(changes.last?.hasSuffix("v='back' o=7") == true)
        #expect(try fixture.problems() == [])
    }

    /// Two updates by a trigger are recorded before the insert that fired it, so whether the row existed is not known.
    @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"]) func anotherOrderIsUnknown(_ key: String) throws
    {
        let fixture = try TrackedFixture("CREATE TABLE a(\(key), v, o)")
        try fixture.app.execute(
            """
            CREATE TEMP TRIGGER twice AFTER INSERT ON a BEGIN
                UPDATE a SET o = 1 WHERE id = new.id; UPDATE a SET v = new.v || '!' WHERE id = new.id;
            END
            """)
        let store = try fixture.store()
        let start = try #require(try store.currentHistoryToken())
        try fixture.app.execute("INSERT INTO a VALUES (1, 'a', NULL)")
        let end = try #require(try store.currentHistoryToken())
        #expect(try fixture.problems().contains { $0.contains("exists before") })
        let earlier = try #require(try store.store(asOf: start) as? DefaultStore)
        #expect(throws: SwiftDataError.historyValueMissing) { try earlier.query("SELECT v FROM a") { _ in } }
        let present = try #require(try store.store(asOf: end) as? DefaultStore)
        try present.query("SELECT v, o FROM a") { #expect($0 == [.text("a!"), .integer(1)]) }
    }

    @Test(arguments: ["UTF-8", "UTF-16le"]) func wideTables(_ encoding: String) throws {
        let columns = (0..<130).map { "c\($0)" }
        let fixture = try TrackedFixture(
            "PRAGMA encoding = '\(encoding)'; CREATE TABLE a(id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))"
        )
        try fixture.app.execute("INSERT INTO a(id, c0, c61, c62, c129) VALUES (1, 0, 61, 62, 129)")
        for column in ["c0", "c61", "c62", "c129"] {
            // Ends the transaction.
            _ = try fixture.store(allowsSave: true).planHistoryPurge(
                HistoryRetention(maximumAge: .seconds(1_000)), at: Date())
            try fixture.app.execute("UPDATE a SET \(column) = -1")
        }
        let store = try fixture.store()
        var changed: [PropertyValue] = []
        try store.query("SELECT attribute FROM a_history WHERE operation = 'update' ORDER BY position") {
            changed += $0
        }
        #expect(changed == ["c0", "c61", "c62", "c129"].map { .text($0) })
        var states: [[PropertyValue]] = []
        try store.query("SELECT c61, c62, c129 FROM a_revisions ORDER BY \"from\"") { states.append($0) }
        let expected: [[Int64]] = [[61, 62, 129], [61, 62, 129], [-1, 62, 129], [-1, -1, 129], [-1, -1, -1]]
        #expect(states == expected.map { $0.map { .integer($0) } })
    }
}
