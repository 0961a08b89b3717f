import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The permanent views of the history in databases of other programs, which change their schema.
@Suite struct TrackedViewTests {
    private static let schema = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, email, quota); CREATE TABLE folder(path TEXT PRIMARY KEY, unread);
        INSERT INTO account VALUES (1, 'a', 1); INSERT INTO folder VALUES ('inbox', 0)
        """

    @Test func schemaChangesAreFollowed() throws {
        let fixture = try TrackedFixture(Self.schema, track: false)
        try fixture.database.track(recordsNewTables: true)
        try fixture.store(allowsSave: true).installHistoryViews()
        let changes: [(sql: String, count: Int)] = [
            ("ALTER TABLE account RENAME COLUMN email TO address", 4),
            ("ALTER TABLE folder RENAME COLUMN path TO name", 4),
            ("ALTER TABLE folder ADD COLUMN color DEFAULT 'red'", 4), ("ALTER TABLE account RENAME TO person", 4),
            ("ALTER TABLE folder RENAME TO box", 4), ("CREATE TABLE note(id INTEGER PRIMARY KEY, text)", 6),
            ("CREATE INDEX i ON box(unread)", 6), ("DROP TABLE note", 4),
        ]
        for (sql, count) in changes {
            for statement in ["UPDATE account SET quota = quota + 1", "UPDATE folder SET unread = unread + 1"] {
                // The table may have another name.
                do { try fixture.app.execute(statement) } catch is SQLiteError {}
            }
            try fixture.app.execute(sql)
            #expect(try fixture.problems().filter { $0.contains("view") } == [])
            try fixture.database.followSchemaChanges()
            try PermanentViewRows.expectViews(of: fixture.store(), in: fixture.app, count: count, "\(sql)")
            #expect(try fixture.problems() == [], "\(sql)")
            #expect(try fixture.database.followSchemaChanges() == [])
        }
        #expect(
            try PermanentViewRows.views(fixture.url) == "box_history\nbox_revisions\nperson_history\nperson_revisions")
    }

    /// SQLite resolves the views of a file before it renames a table or drops a column.
    @Test func aTableIsReplacedWithoutViews() throws {
        let fixture = try TrackedFixture(Self.schema)
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        let rebuild = """
            BEGIN; CREATE TABLE new(id INTEGER PRIMARY KEY, email, quota, more); INSERT INTO new SELECT *, 1 FROM account; \
            DROP TABLE account; ALTER TABLE new RENAME TO account; COMMIT
            """
        let error = #expect(throws: SQLiteError.self) { try fixture.app.execute(rebuild) }
        #expect(error?.message.contains("account_revisions") == true)
        try fixture.app.execute("ROLLBACK")
        try store.removeHistoryViews()
        try fixture.app.execute(rebuild)
        try fixture.database.followSchemaChanges()
        let reopened = try fixture.store(allowsSave: true)
        try reopened.installHistoryViews()
        try PermanentViewRows.expectViews(of: reopened, in: fixture.app, count: 4)
    }

    @Test func endingTheRecordingDropsTheViews() throws {
        let fixture = try TrackedFixture(Self.schema, track: false)
        let before = try fixture.schemaDump()
        try fixture.database.track()
        let store = try fixture.store(allowsSave: true)
        try store.installHistoryViews()
        #expect(try fixture.database.tables().map(\.name) == ["account", "folder"])
        try fixture.database.stop(["account"])
        #expect(try PermanentViewRows.views(fixture.url) == "folder_history\nfolder_revisions")
        try fixture.database.track(["account"])
        #expect(try PermanentViewRows.views(fixture.url).split(separator: "\n").count == 4)
        // The copy has no history.
        let copy = try TemporaryDirectory().file("copy.db")
        try fixture.store().writeDatabase(to: copy)
        #expect(try PermanentViewRows.views(copy) == "")
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
    }

    /// Another program dropped the tables of the history.
    @Test func remainsAreDropped() throws {
        let fixture = try TrackedFixture(Self.schema)
        try fixture.store(allowsSave: true).installHistoryViews()
        try fixture.app.execute("DROP TABLE chronicle_meta")
        try fixture.database.untrack()
        #expect(try PermanentViewRows.views(fixture.url) == "")
        try fixture.app.execute("ALTER TABLE account RENAME TO person")
    }

    /// The statements of the program may fail, also because of the views.
    @Test(arguments: TestSeed.rounds(4)) func randomSchemaChangesAreFollowed(_ number: Int) throws {
        var program = RandomDefinitions(TestSeed.generator(number))
        let fixture = try TrackedFixture("CREATE TABLE first(id INTEGER PRIMARY KEY, v)", track: false)
        try fixture.database.track(recordsNewTables: true)
        try fixture.store(allowsSave: true).installHistoryViews()
        var log: [String] = []
        func run(_ sql: String) throws {
            log.append(sql)
            do { try fixture.app.execute(sql) } catch is SQLiteError {
                if fixture.app.isInTransaction { try fixture.app.execute("ROLLBACK") }
            }
        }
        for _ in 0..<10 {
            for _ in 0..<program.below(6) { try run(program.change(fixture.app)) }
            for _ in 0..<program.below(3) { try run(program.definition(fixture.app)) }
            try fixture.database.followSchemaChanges()
            log.append("-- followed")
            let comment: Comment = "\(log.joined(separator: ";\n")) \(TestSeed.description)"
            try PermanentViewRows.expectViews(of: fixture.store(), in: fixture.app, comment)
            #expect(try fixture.problems().filter { $0.hasPrefix("view") } == [], comment)
        }
    }
}
