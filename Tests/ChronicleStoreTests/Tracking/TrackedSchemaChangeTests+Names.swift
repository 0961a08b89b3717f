import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

// Changes of which one alone looks like another one.
extension TrackedSchemaChangeTests {
    @Test(arguments: [
        ("ALTER TABLE b RENAME TO c; ALTER TABLE a RENAME TO b", ["a to b", "b to c"]),
        ("ALTER TABLE a RENAME TO x; ALTER TABLE b RENAME TO a; ALTER TABLE x RENAME TO b", ["a to b", "b to a"]),
    ])
    func namesThatOtherTablesHad(_ sql: String, _ names: [String]) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY, w)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (3, 4); \(sql); UPDATE b SET v = 5")
        try expectFollowed(fixture, names.map { "table renamed: \($0)" }, [])
        let other = names[1].suffix(1)
        #expect(
            try fixture.changes() == ["insert b/1 v=2", "insert \(other)/3 w=4", "update b/1 v=2>5"])
    }

    /// As when a program rotates a log. The triggers show which table is which, also if both have the same columns.
    @Test(arguments: [("id INTEGER PRIMARY KEY, v", "1 v=NULL"), ("k TEXT PRIMARY KEY", "'1' k='1'")], [false, true])
    func aNewTableHasTheNameOfARenamedOne(_ table: (columns: String, line: String), _ recordsNewTables: Bool) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (9, 9)", track: false)
        try fixture.database.track(recordsNewTables: recordsNewTables)
        let start = try fixture.store().currentHistoryToken()
        let key = table.columns.prefix { $0 != " " }
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1, 2); ALTER TABLE a RENAME TO b; CREATE TABLE a(\(table.columns));
            INSERT INTO a(\(key)) VALUES (1); UPDATE b SET v = 3 WHERE id = 1
            """)
        try expectFollowed(fixture, ["table renamed: a to b", "table added: a"], ["insert a/\(table.line)"])
        #expect(
            try fixture.changes(after: start) == ["insert b/1 v=2", "update b/1 v=2>3", "insert a/\(table.line)"])
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE b SET v = 4 WHERE id = 9; DELETE FROM a")
        #expect(try fixture.changes(after: token).map { $0.prefix(8) } == ["update b", "delete a"])
        #expect(try fixture.problems() == [])
    }

    @Test(arguments: ["VIEW a AS SELECT * FROM b", "TABLE a(v)"])
    func somethingElseHasTheNameOfARenamedTable(_ definition: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 2); ALTER TABLE a RENAME TO b; CREATE \(definition)")
        #expect(try fixture.database.followSchemaChanges() == ["table renamed: a to b"])
        try fixture.app.execute("UPDATE b SET v = 3")
        #expect(try fixture.changes() == ["insert b/1 v=2", "update b/1 v=2>3"])
        #expect(try fixture.problems() == [])
    }

    /// The program is ended, or the change is noticed, after each statement.
    @Test func aRebuildThatBeginsWithTheRename() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 2)")
        for sql in [
            "ALTER TABLE a RENAME TO o; CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)",
            "INSERT INTO a SELECT *, 3 FROM o",
            "DROP TABLE o",
        ] {
            try fixture.app.execute(sql)
            try fixture.database.followSchemaChanges()
        }
        try fixture.app.execute("UPDATE a SET v = 4")
        #expect(
            try fixture.changes() == ["insert o/1 v=2", "insert a/1 v=2 w=3", "delete o/1", "update a/1 v=2>4"])
        #expect(try fixture.problems() == [])
        #expect(try fixture.database.tables().map(\.state) == [.recorded])
    }

    /// The program is ended, or the change is noticed, between the statements.
    @Test(arguments: [false, true]) func aTableIsRebuiltInSeveralTransactions(_ recordsNewTables: Bool) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)", track: false)
        try fixture.database.track(recordsNewTables: recordsNewTables)
        for sql in [
            "INSERT INTO a VALUES (1, 2); CREATE TABLE n(id INTEGER PRIMARY KEY, v, w); INSERT INTO n SELECT *, 3 FROM a",
            "DROP TABLE a", "ALTER TABLE n RENAME TO a",
        ] {
            try fixture.app.execute(sql)
            try fixture.database.followSchemaChanges()
        }
        let token = try fixture.store().currentHistoryToken()
        try fixture.app.execute("UPDATE a SET v = 4")
        #expect(try fixture.changes(after: token) == ["update a/1 v=2>4"])
        #expect(try fixture.problems() == [])
        #expect(try fixture.database.tables().map(\.state) == [.recorded])
    }

    @Test func aRebuiltTableWithAnotherCase() throws {
        let fixture = try TrackedFixture("CREATE TABLE Foo(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(
            """
            INSERT INTO Foo VALUES (1, 2); CREATE TABLE n(id INTEGER PRIMARY KEY, v); INSERT INTO n SELECT * FROM Foo;
            DROP TABLE Foo; ALTER TABLE n RENAME TO foo
            """)
        try expectFollowed(fixture, ["table renamed: Foo to foo", "table rebuilt: foo"], [])
        #expect(try fixture.database.track().filter(\.isNew).isEmpty)
        try fixture.app.execute("UPDATE foo SET v = 3")
        #expect(try fixture.changes() == ["insert foo/1 v=2", "update foo/1 v=2>3"])
    }

    @Test(arguments: ["CREATE UNIQUE INDEX i ON a(u)", "DROP INDEX j", "DROP INDEX j; CREATE UNIQUE INDEX i ON a(u)"])
    func aRenamedColumnAndAnotherUniqueIndex(_ sql: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE UNIQUE INDEX j ON a(v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 2); ALTER TABLE a RENAME COLUMN v TO u; \(sql)")
        try expectFollowed(fixture, ["column renamed: a.v to u"], [])
        try fixture.app.execute("REPLACE INTO a VALUES (2, 2)")
        let isReplaced = !sql.hasPrefix("DROP") || sql.contains("CREATE")
        let isUnique = isReplaced || !sql.contains("DROP INDEX j")
        #expect(
            try fixture.changes() == ["insert a/1 u=2"] + (isUnique ? ["delete a/1 u=2"] : []) + ["insert a/2 u=2"])
        #expect(try fixture.problems() == [])
    }

    /// The new order of the columns is not that of their numbers.
    @Test(arguments: ["CREATE UNIQUE INDEX i ON a(v)", "ALTER TABLE a ADD COLUMN x", "DROP TRIGGER chronicle_1_delete"])
    func reorderedColumnsAreNotRenamed(_ sql: String) throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v, w)")
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1, 11, 12); CREATE TABLE n(id INTEGER PRIMARY KEY, w, v);
            INSERT INTO n SELECT id, w, v FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a
            """)
        try fixture.database.followSchemaChanges()
        try fixture.app.execute(sql)
        let changes = try fixture.database.followSchemaChanges()
        #expect(changes.filter { $0.contains("renamed") } == [])
        let first = try #require(try fixture.changes().first)
        #expect(first.contains("v=11") && first.contains("w=12"))
    }

    /// No trigger records the delete by REPLACE before the change is followed.
    @Test func aRowIsReplacedAfterARename() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute(
            """
            INSERT INTO a VALUES (1, 2); ALTER TABLE a RENAME COLUMN v TO u; CREATE UNIQUE INDEX i ON a(u);
            REPLACE INTO a VALUES (2, 2)
            """)
        #expect(try fixture.database.followSchemaChanges() == ["column renamed: a.v to u"])
        #expect(try fixture.changes().filter { $0.hasPrefix("delete") } == ["delete a/1"])
        #expect(try fixture.problems().filter { !$0.contains("exist") } == [])
    }

    @Test func theNameOfATableThatIsNotRecordedAnyMore() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE foo(id INTEGER PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY)")
        try fixture.database.stop(["foo"])
        try fixture.app.execute("DROP TABLE foo; CREATE TABLE Foo(id INTEGER PRIMARY KEY, v)")
        try fixture.database.track(["Foo"])
        try fixture.app.execute(
            """
            INSERT INTO Foo VALUES (1, 2); CREATE TABLE n(id INTEGER PRIMARY KEY, v); INSERT INTO n SELECT * FROM Foo;
            DROP TABLE Foo; ALTER TABLE n RENAME TO foo
            """)
        try expectFollowed(fixture, ["table renamed: Foo to foo", "table rebuilt: foo"], [])
        #expect(try fixture.changes() == ["insert foo/1 v=2"])
    }

    @Test(arguments: [nil, ["a"]]) func aDroppedTableIsNotRecordedAgainAfterTheEnd(_ names: [String]?) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY)")
        try fixture.app.execute("DROP TABLE a")
        try fixture.database.followSchemaChanges()
        try fixture.database.stop(names)
        try fixture.app.execute("CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
        #expect(try fixture.database.followSchemaChanges() == [])
        #expect(try fixture.changes() == [])
    }

    /// The history does not contain the value, so it cannot tell whether the value changed while no triggers existed.
    @Test func anAddedColumnWithALargeValue() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        try fixture.app.execute("INSERT INTO a VALUES (1), (2); ALTER TABLE a ADD COLUMN w")
        try expectFollowed(fixture, ["column added: a.w"], [])
        try fixture.app.execute("UPDATE a SET w = printf('%70000c', 'x') WHERE id = 1")
        try fixture.app.execute(
            """
            CREATE TABLE n(id INTEGER PRIMARY KEY, w); INSERT INTO n SELECT id, NULL FROM a;
            DROP TABLE a; ALTER TABLE n RENAME TO a
            """)
        let token = try fixture.store().currentHistoryToken()
        #expect(try fixture.database.track().filter(\.isNew).map(\.name) == ["a"])
        #expect(throws: SwiftDataError.historyTokenGap) { try fixture.changes(after: token) }
    }

    /// The earlier value of a required column is NULL in the history.
    @Test func aRequiredColumnIsAdded() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 2)")
        let token = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute("ALTER TABLE a ADD COLUMN w NOT NULL DEFAULT 5")
        try fixture.database.followSchemaChanges()
        let store = try fixture.store()
        let url = try TemporaryDirectory().file("past.db")
        try #require(try store.store(asOf: token) as? DefaultStore).writeDatabase(to: url)
        #expect(try Shell.sqlite3(url, "SELECT * FROM a") == "1|2|5")
        let newest = try #require(try store.currentHistoryToken())
        let statements = try store.sqlStatements(from: newest, to: token)
        #expect(statements.allSatisfy { !$0.contains("NULL") })
    }

    // MARK: Triggers that SQLite does not change

    /// The triggers read the table with the former name, which another one may have.
    @Test(arguments: [true, false]) func renamesOfTheEarlierKindAreCompared(_ isReplaced: Bool) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x'), (2, 'y'), (3, 'z')")
        try fixture.app.execute("UPDATE a SET v = v || v")
        let token = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute("PRAGMA legacy_alter_table = ON; ALTER TABLE a RENAME TO b")
        if isReplaced {
            try fixture.app.execute(
                """
                CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'other');
                UPDATE b SET v = 'new' WHERE id < 3; DELETE FROM b WHERE id = 2
                """)
        } else {
            #expect(throws: (any Error).self) { try fixture.app.execute("UPDATE b SET v = 'new'") }
            let tables = try fixture.database.tables()
            let reasons = tables.map { "\($0.state)" }.joined()
            #expect(reasons.contains("renamed to b, and each write of it fails"), "\(reasons)")
        }
        let tables = try fixture.database.track()
        // Every value was recorded before, but later ones may be those of another table.
        #expect(tables.first { $0.name == "b" }?.isNew == isReplaced)
        if !isReplaced {
            // The connection reads the definitions again.
            try fixture.app.execute("SELECT 1 FROM b")
            try fixture.app.execute("UPDATE b SET v = 'new' WHERE id < 3; DELETE FROM b WHERE id = 2")
        }
        #expect(try fixture.problems() == [])
        let store = try fixture.store()
        let now = try #require(try store.currentHistoryToken())
        func rows(_ token: DefaultHistoryToken) throws -> [String] {
            let url = try TemporaryDirectory().file("past.db")
            try #require(try store.store(asOf: token) as? DefaultStore).writeDatabase(to: url)
            return try Shell.sqlite3(url, "SELECT id || ' ' || v FROM b").split(separator: "\n").map(String.init)
        }
        #expect(try rows(now) == ["1 new", "3 zz"])
        if isReplaced {
            #expect(throws: SwiftDataError.historyTokenGap) { try rows(token) }
        } else {
            #expect(try rows(token) == ["1 xx", "2 yy", "3 zz"])
        }
    }
}
