import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Past states of a table that a program has changed, before the change is followed.
@Suite struct InterruptedTableTests {
    struct Change: CustomTestStringConvertible {
        let sql: String
        let reason: String
        var testDescription: String { sql }
    }

    static let changes = [
        Change(sql: "DROP TABLE a", reason: "the table does not exist"),
        Change(
            sql: "DROP TABLE a; CREATE TABLE a(id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (2, 8), (9, 9)",
            reason: "its triggers were dropped"),
        Change(sql: "ALTER TABLE a RENAME COLUMN v TO u", reason: "the column v was renamed to u"),
        Change(sql: "ALTER TABLE a RENAME TO c", reason: "the table was renamed to c"),
        Change(sql: "DROP TRIGGER chronicle_1_delete", reason: "its triggers are not those of the table"),
    ]

    private func expectRefusal(_ reason: String, _ body: () throws -> Void) {
        let error = #expect(throws: SwiftDataError.self) { try body() }
        #expect(error == .historyValueMissing && error?.entityName == "a", "\(String(describing: error))")
        #expect(error?.detail?.contains(reason) == true, "\(String(describing: error))")
        #expect(error?.detail?.contains("use `chronicle track FILE`") == true)
    }

    private func make() throws -> (fixture: TrackedFixture, token: DefaultHistoryToken) {
        let fixture = try TrackedFixture(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(id INTEGER PRIMARY KEY, v)")
        try fixture.app.execute("INSERT INTO a VALUES (1, 1), (2, 2); INSERT INTO b VALUES (1, 1)")
        let token = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute("UPDATE a SET v = 3 WHERE id = 1; UPDATE b SET v = 5")
        return (fixture, token)
    }

    private func values(_ store: DefaultStore, _ sql: String) throws -> [[PropertyValue]] {
        var rows: [[PropertyValue]] = []
        try store.query(sql) { rows.append($0) }
        return rows
    }

    /// - Parameter isOpen: Whether the store was opened before the change.
    @Test(arguments: changes, [false, true])
    func pastStatesAreUnknown(_ change: Change, isOpen: Bool) throws {
        let (fixture, token) = try make()
        var store = try fixture.store()
        var past = try #require(try store.store(asOf: token) as? DefaultStore)
        #expect(try past.fetchCount(ofEntity: "a") == 2)
        try fixture.app.execute(change.sql)
        if !isOpen {
            store = try fixture.store()
            past = try #require(try store.store(asOf: token) as? DefaultStore)
        }
        if store.schema.entitiesByName["a"] != nil {
            expectRefusal(change.reason) { _ = try past.fetchCount(ofEntity: "a") }
            expectRefusal(change.reason) { try past.fetchRows(ofEntity: "a") { _ in } }
        }
        #expect(try past.fetchCount(ofEntity: "b") == 1)
        #expect(try values(past, "SELECT v FROM b") == [[.integer(1)]])
        expectRefusal(change.reason) { _ = try values(past, "SELECT * FROM a") }
        expectRefusal(change.reason) { _ = try values(past, "SELECT id FROM a") }
        expectRefusal(change.reason) { _ = try values(store, "SELECT * FROM a_revisions") }
        #expect(try values(store, "SELECT v FROM b") == [[.integer(5)]])
        let url = try TemporaryDirectory().file("past.db")
        expectRefusal(change.reason) { try past.writeDatabase(to: url) }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        let now = try #require(try store.currentHistoryToken())
        expectRefusal(change.reason) { _ = try store.sqlStatements(from: token, to: now) }
        expectRefusal(change.reason) { _ = try store.exportRows { _ in } }
        try fixture.database.followSchemaChanges()
        store = try fixture.store()
        past = try #require(try store.store(asOf: token) as? DefaultStore)
        #expect(try past.fetchCount(ofEntity: "b") == 1)
        guard let name = ["a", "c"].first(where: { store.schema.entitiesByName[$0] != nil }) else { return }
        #expect(try past.fetchCount(ofEntity: name) == 2)
    }

    /// The version of the schema is another one, and all changes are recorded.
    @Test func changesThatMatterToNoTable() throws {
        let (fixture, token) = try make()
        try fixture.app.execute("CREATE TABLE c(v); CREATE INDEX i ON a(v); ALTER TABLE b ADD COLUMN w; VACUUM")
        let store = try fixture.store()
        #expect(try store.interruptedRecordings().isEmpty)
        let past = try #require(try store.store(asOf: token) as? DefaultStore)
        #expect(try past.fetchCount(ofEntity: "a") == 2)
        #expect(try past.fetchCount(ofEntity: "b") == 1)
        #expect(try values(past, "SELECT v FROM a ORDER BY id") == [[.integer(1)], [.integer(2)]])
    }
}
