import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What is recorded of the changes of another program.
@Suite struct TrackedRecordingTests {
    @Test(.enabled(if: NastySchema.hasTextSearch, "SQLite was built without FTS5"))
    func mail() throws {
        let fixture = try TrackedFixture(NastySchema.mail)
        try fixture.app.execute(
            """
            PRAGMA foreign_keys = ON;
            INSERT INTO message(account, folder, subject, body) VALUES (1, 'inbox', 'Hi', 'first');
            INSERT INTO label VALUES ('red', x'f0');
            INSERT INTO message_label VALUES (1, 'red');
            UPDATE inbox SET subject = 'Ho' WHERE id = 1;
            UPDATE label SET name = 'blue';
            """)
        #expect(
            try fixture.changes() == [
                "insert message/1 account=1 folder='inbox' subject='Hi' body='first' is_read=0",
                "update folder/1,'inbox' unread=0>1",
                "insert label/'red' name='red' color=x'f0'",
                "insert message_label/1,'red' message=1 label='red'",
                "update message/1 subject='Hi'>'Ho'",
                "delete message_label/1,'red' message=1 label='red'",
                "insert message_label/1,'blue' message=1 label='blue'",
                "delete label/'red' name='red' color=x'f0'",
                "insert label/'blue' name='blue' color=x'f0'",
            ])
        #expect(try fixture.app.scalarInt64("SELECT rowid FROM message_text WHERE message_text MATCH 'ho'") == 1)
        try fixture.app.execute("DELETE FROM account")
        #expect(
            try fixture.changes().dropFirst(9) == [
                "delete message_label/1,'blue' message=1 label='blue'",
                "delete message/1 account=1 folder='inbox' subject='Ho' body='first' is_read=0",
                "delete folder/1,'inbox' account=1 path='inbox' unread=1",
                "delete account/1 email='anna@example.org' name='Anna'",
            ])
        #expect(try fixture.problems() == [])
    }

    /// REPLACE deletes rows without running their delete triggers.
    @Test(arguments: ["OFF", "ON"]) func replacedRows(_ recursiveTriggers: String) throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE a(k TEXT PRIMARY KEY, u UNIQUE); CREATE TABLE b(i INT, k TEXT, PRIMARY KEY (i, k)) WITHOUT ROWID;
            CREATE TABLE c(id INTEGER PRIMARY KEY, u TEXT UNIQUE COLLATE NOCASE);
            INSERT INTO a VALUES ('x', 1), ('y', 2); INSERT INTO b VALUES (1, 'x'); INSERT INTO c VALUES (1, 'x')
            """)
        try fixture.app.execute("PRAGMA recursive_triggers = \(recursiveTriggers)")
        func changes(_ sql: String) throws -> [String] {
            let count = try fixture.changes().count
            try fixture.app.execute(sql)
            return Array(try fixture.changes().dropFirst(count))
        }
        #expect(
            try Set(changes("REPLACE INTO a VALUES ('x', 2)")) == [
                "delete a/'x' k='x' u=1", "delete a/'y' k='y' u=2", "insert a/'x' k='x' u=2",
            ])
        #expect(
            try changes("REPLACE INTO a(rowid, k) VALUES ((SELECT rowid FROM a), 'z')") == [
                "delete a/'x' k='x' u=2", "insert a/'z' k='z' u=NULL",
            ])
        #expect(
            try changes("REPLACE INTO b VALUES (1, 'x')") == ["delete b/1,'x' i=1 k='x'", "insert b/1,'x' i=1 k='x'"])
        #expect(try changes("REPLACE INTO c VALUES (2, 'X')") == ["delete c/1 u='x'", "insert c/2 u='X'"])
        #expect(
            try changes("INSERT INTO c VALUES (2, 'X') ON CONFLICT DO UPDATE SET u = 'y'") == ["update c/2 u='X'>'y'"])
        #expect(try changes("INSERT OR IGNORE INTO c VALUES (2, 'X')").isEmpty)
        #expect(try fixture.problems() == [])
    }

    /// REPLACE stores the default value instead of NULL in a column that is NOT NULL.
    @Test(arguments: [
        ("1", "1"), ("-1.5", "-1.5"), ("'it''s (1)'", "'it''s (1)'"), ("name", "'name'"),
        ("\"a 'name'\"", "'a ''name'''"),
        ("[a \"name\"]", "'a \"name\"'"), ("`a``b`", "'a`b'"), ("x'61'", "x'61'"), ("TRUE", "1"),
        ("current_date", "date()"), ("🙂", "'🙂'"), ("- 2e3", "-2000.0"),
    ])
    func rowsThatDefaultValuesReplace(_ definition: String, _ value: String) throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, u UNIQUE NOT NULL DEFAULT \(definition), v);
            CREATE TABLE b(k NOT NULL DEFAULT \(definition), v, PRIMARY KEY (k)) WITHOUT ROWID;
            INSERT INTO a VALUES (1, \(value), 'old'), (2, 'other', 'old'); INSERT INTO b VALUES (\(value), 'old')
            """)
        try fixture.app.execute("INSERT OR REPLACE INTO a VALUES (3, NULL, 'new'); REPLACE INTO b VALUES (NULL, 'new')")
        func operations(_ from: Int) throws -> [Substring] {
            try fixture.changes().dropFirst(from).map { $0.prefix(6) + $0.suffix(8) }
        }
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM a") == 2)
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM b") == 1)
        #expect(try operations(0) == ["delete v='old'", "insert v='new'", "delete v='old'", "insert v='new'"])
        try fixture.app.execute("UPDATE OR REPLACE a SET u = NULL WHERE id = 2")
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM a") == 1)
        #expect(try Set(operations(4).map { $0.prefix(6) }) == ["delete", "update"])
        #expect(try fixture.problems() == [])
    }

    /// The triggers contain no expressions, which could fail there.
    @Test(arguments: [
        "('a' || 'b')", "(1 -- one\n)", "(1 /* one */)", "(abs(1))", "(CASE WHEN 1 THEN 1 END)",
    ])
    func insertsIntoATableWithADefaultExpression(_ definition: String) throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, u NOT NULL DEFAULT \(definition), UNIQUE (u, id))")
        try fixture.app.execute("REPLACE INTO a VALUES (1, NULL), (2, 'x')")
        #expect(try fixture.changes().count == 2)
        #expect(try fixture.problems() == [])
    }

    @Test func keysThatChange() throws {
        let fixture = try TrackedFixture(
            """
            CREATE TABLE a(k PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY, v);
            CREATE TABLE c(k TEXT PRIMARY KEY COLLATE NOCASE)
            """)
        try fixture.app.execute(
            """
            INSERT INTO a VALUES ('x', 1), (NULL, 2); UPDATE a SET k = 'y', v = 3 WHERE k = 'x';
            UPDATE a SET k = 'z' WHERE k IS NULL; UPDATE a SET k = NULL WHERE k = 'y'; DELETE FROM a WHERE k IS NULL;
            INSERT INTO b VALUES (1, 'x'); UPDATE b SET id = 9; DELETE FROM b; INSERT INTO b VALUES (9, 'y');
            INSERT INTO c VALUES ('x'); UPDATE c SET k = 'X'
            """)
        #expect(
            try fixture.changes() == [
                "insert a/'x' k='x' v=1", "delete a/'x' k='x' v=1", "insert a/'y' k='y' v=3", "insert a/'z' k='z' v=2",
                "delete a/'y' k='y' v=3",
                "insert b/1 v='x'", "delete b/1 v='x'", "insert b/9 v='x'", "delete b/9 v='x'", "insert b/9 v='y'",
                "insert c/'x' k='x'", "update c/'x' k='x'>'X'",
            ])
        #expect(try fixture.problems() == [])
        #expect(try fixture.database.tables().allSatisfy { $0.limitations.isEmpty })
        try fixture.app.execute("INSERT INTO a VALUES (NULL, 5)")
        #expect(try fixture.database.tables().first?.limitations.count == 1)
    }

    /// A column can contain values of any type, and values that its collation considers equal.
    @Test func valuesOfAnyType() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v, t TEXT COLLATE NOCASE, n NUMERIC); INSERT INTO a(id) VALUES (1)")
        for value in ["1", "1.0", "'1'", "x'31'", "NULL", "9e999", "'a'", "9223372036854775807"] {
            try fixture.app.execute("UPDATE a SET v = \(value)")
        }
        try fixture.app.execute(
            "UPDATE a SET t = 'é'; UPDATE a SET t = 'É'; UPDATE a SET t = 'a'; UPDATE a SET t = 'A'")
        try fixture.app.execute("UPDATE a SET n = '5'; UPDATE a SET n = 5.0; UPDATE a SET n = '5x'")
        #expect(
            try fixture.changes().map { $0.dropFirst("update a/1 ".count) } == [
                "v=NULL>1", "v=1>1.0", "v=1.0>'1'", "v='1'>x'31'", "v=x'31'>NULL", "v=NULL>inf", "v=inf>'a'",
                "v='a'>9223372036854775807", "t=NULL>'é'", "t='é'>'É'", "t='É'>'a'", "t='a'>'A'", "n=NULL>5",
                "n=5>'5x'",
            ])
    }

    @Test func anAttachedDatabase() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY, v); INSERT INTO a VALUES ('x', 1)")
        let other = try Connection(path: ":memory:", mode: .readWriteCreate)
        // Tables of the same names in the main database.
        try other.execute(
            """
            CREATE TABLE a(k, v); CREATE TABLE chronicle_change(x); CREATE TABLE chronicle_key_1(x);
            ATTACH '\(fixture.url.path)' AS app;
            INSERT INTO app.a VALUES ('y', 2); UPDATE app.a SET v = 3; DELETE FROM app.a WHERE k = 'x';
            REPLACE INTO app.a VALUES ('y', 4); INSERT INTO main.a VALUES ('z', 1)
            """)
        #expect(
            try fixture.changes() == [
                "insert a/'y' k='y' v=2", "update a/'x' v=1>3", "update a/'y' v=2>3", "delete a/'x' k='x' v=3",
                "delete a/'y' k='y' v=3", "insert a/'y' k='y' v=4",
            ])
        #expect(try other.scalarInt64("SELECT count(*) FROM main.chronicle_change") == 0)
    }

    /// Statements that were prepared before are prepared again, and the numbers that the program reads are its own.
    @Test func theProgramContinues() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY, v)", track: false)
        let insert = try fixture.app.prepare("INSERT INTO a(v) VALUES (?)")
        try insert.bind("before", at: 1)
        try insert.run()
        let reader = try Connection(path: fixture.url.path, mode: .readOnly)
        #expect(try reader.scalarInt64("SELECT count(*) FROM a") == 1)
        try fixture.database.track()
        try insert.bind("after", at: 1)
        try insert.run()
        #expect(fixture.app.lastInsertRowID == 2)
        #expect(fixture.app.changes == 1)
        #expect(try reader.scalarInt64("SELECT count(*) FROM a") == 2)
        #expect(try fixture.changes() == ["insert a/2 v='after'"])
        try fixture.database.untrack()
        try insert.bind("untracked", at: 1)
        try insert.run()
        #expect(try reader.scalarInt64("SELECT count(*) FROM a") == 3)
    }

    @Test func aRolledBackTransactionLeavesNothing() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(k TEXT PRIMARY KEY)")
        try fixture.app.execute("BEGIN; INSERT INTO a VALUES ('x'); ROLLBACK; INSERT INTO a VALUES ('y')")
        #expect(try fixture.changes() == ["insert a/'y' k='y'"])
        #expect(try fixture.problems() == [])
    }

    // MARK: Transactions

    /// Changes that follow each other within a second are one transaction.
    @Test func transactionsAreDividedByTime() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        // The beginning of the pending transaction is moved to the past, instead of waiting.
        for id in 1...3 {
            try fixture.app.execute("INSERT INTO a VALUES (\(id)); INSERT INTO a VALUES (\(id * 10))")
            try fixture.app.execute("UPDATE chronicle_pending SET started = started - 3600")
        }
        let store = try fixture.store()
        let start = try #require(try store.earliestHistoryToken())
        let transactions = try store.fetchHistory(.after(start))
        #expect(transactions.map(\.changes.count) == [2, 2, 2])
        #expect(transactions.allSatisfy { $0.isExternal && abs($0.timestamp.timeIntervalSinceNow + 3600) < 600 })
        #expect(try fixture.problems() == [])
        // A reader continues after a part of the last transaction.
        let token = try #require(transactions.last?.token)
        try fixture.app.execute("INSERT INTO a VALUES (4)")
        #expect(try fixture.changes(after: token) == ["insert a/4"])
    }

    /// Chronicle ends a transaction when it writes, for example a tag.
    @Test func aTagEndsTheTransaction() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES (1)")
        try fixture.app.execute("INSERT INTO a VALUES (2)")
        let container = ModelContainer(forHistoryOf: try fixture.store(allowsSave: true))
        try ModelContext(container).tag("now")
        try fixture.app.execute("INSERT INTO a VALUES (3)")
        let token = try ModelContext(container).token(tagged: "now")
        #expect(try fixture.changes(after: token) == ["insert a/3"])
        #expect(try fixture.problems() == [])
    }

    /// The ranges of the summary are divided when Chronicle writes, and reads are the same before.
    @Test func manyTransactions() throws {
        let fixture = try TrackedFixture("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        let insert = try fixture.app.prepare("INSERT INTO a DEFAULT VALUES")
        let age = try fixture.app.prepare("UPDATE chronicle_pending SET started = started - 3600")
        try fixture.app.immediate {
            for _ in 0..<1_500 {
                try insert.run()
                try age.run()
            }
        }
        func count() throws -> Int {
            let store = try fixture.store()
            let start = try #require(try store.earliestHistoryToken())
            return try store.fetchHistoryCount(.after(start))
        }
        #expect(try count() == 1_500)
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_summary") == 1)
        let store = try fixture.store(allowsSave: true)
        let container = ModelContainer(forHistoryOf: store)
        try ModelContext(container).tag("now")
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_summary") ?? 0 > 2)
        #expect(try count() == 1_500)
        #expect(try fixture.problems() == [])
        _ = try store.deleteHistory(
            .init(predicate: #Predicate<DefaultHistoryTransaction> { $0.transactionIdentifier < 2_000 }))
        #expect(try count() < 1_500)
        #expect(try fixture.problems() == [])
    }
}
