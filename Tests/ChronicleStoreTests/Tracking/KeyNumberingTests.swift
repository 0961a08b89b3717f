import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// Keys of large tables are numbered before their recording begins, while programs write.
@Suite struct KeyNumberingTests {
    private static let definitions = [
        "k TEXT PRIMARY KEY, v", "k TEXT COLLATE NOCASE PRIMARY KEY, v", "k INTEGER PRIMARY KEY DESC, v",
        "k, j TEXT COLLATE RTRIM, v, PRIMARY KEY (j, k)",
    ]

    /// 45,000 rows; in a table with rowids, some of them have no key.
    private func fixture(_ definition: String, _ end: String = "") throws -> TrackedFixture {
        let fixture = try TrackedFixture("CREATE TABLE t(\(definition))\(end)", track: false)
        let columns = definition.contains("j TEXT") ? "k, j, v" : "k, v"
        let key = definition.contains("INTEGER") ? "value * 7919 % 45007" : "hex(value * 7919 % 45007)"
        let keys = columns == "k, v" ? key : "value % 9, \(key)"
        try fixture.app.execute(
            """
            WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 45000) \
            INSERT INTO t(\(columns)) SELECT \(keys), value FROM n
            """)
        if end.isEmpty, !definition.contains("INTEGER") {
            try fixture.app.execute("INSERT INTO t(\(columns)) SELECT NULL, \(columns == "k, v" ? "" : "NULL, ")1")
        }
        return fixture
    }

    private func plans(_ fixture: TrackedFixture) throws -> [KeyNumbering.Plan] {
        try fixture.app.immediate {
            try SchemaFollowing(fixture.app).run()
            return try KeyNumbering(fixture.app).plans(TableTracking(fixture.app).requestedTables(nil))
        }
    }

    /// Numbers keys as far as a process that was killed.
    private func number(_ fixture: TrackedFixture, slices: Int) throws -> Int {
        var count = 0
        for plan in try plans(fixture) {
            var last: [PropertyValue]?
            repeat {
                if count == slices { return count }
                last = try fixture.app.immediate {
                    try KeyNumbering(fixture.app).number(plan, after: last, limit: 10_000)
                }
                count += 1
            } while last != nil
        }
        return count
    }

    /// Bytes that are not UTF-8 are read as a replacement character, which has another place in the order.
    @Test(.timeLimit(.minutes(5))) func keysAreNotUTF8() throws {
        let fixture = try TrackedFixture("CREATE TABLE t(k TEXT PRIMARY KEY, v)", track: false)
        try fixture.app.execute(
            """
            WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 25000) \
            INSERT INTO t SELECT CAST(x'FC' || printf('%06d', value) AS TEXT), value FROM n
            """)
        _ = try fixture.database.track()
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM chronicle_key_1") == 25_000)
        #expect(try fixture.problems() == [])
    }

    /// A refused recording leaves nothing in the file, and a name that is given twice is one table.
    @Test func namesAreCheckedFirst() throws {
        let fixture = try fixture(Self.definitions[0])
        try fixture.app.execute("CREATE TABLE chronicle_log(v)")
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.track() }
        #expect(try fixture.app.scalarInt64("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'chronicle%'") == 1)
        try fixture.app.execute("DROP TABLE chronicle_log")
        _ = try fixture.database.track(["t", "T"])
        let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'chronicle_key_%'"
        #expect(try fixture.app.scalarInt64(tables) == 1)
    }

    @Test(arguments: definitions, ["", " WITHOUT ROWID"])
    func programsWriteMeanwhile(_ definition: String, _ end: String) throws {
        if definition.contains("DESC"), !end.isEmpty { return }
        let fixture = try fixture(definition, end)
        var database = fixture.database
        let parts = Mutex<[Double]>([])
        // The method calls the closure on this thread.
        nonisolated(unsafe) let app = fixture.app
        database.progress = { part in
            let step = parts.withLock {
                $0.append(part)
                return $0.count
            }
            let sql = "UPDATE t SET k = k || '9' WHERE v = \(step); DELETE FROM t WHERE v = \(44_000 - step)"
            do { try app.execute(sql) } catch { Issue.record(error) }
        }
        try database.track()
        #expect(parts.withLock { $0 }.count == 5)
        #expect(parts.withLock { $0 } == parts.withLock { $0.sorted() })
        #expect(try fixture.problems() == [])
        try fixture.app.execute("UPDATE t SET v = -v WHERE v = 5; DELETE FROM t WHERE v = 7")
        #expect(try fixture.changes().count == 2)
        #expect(try fixture.problems() == [])
        let store = try fixture.store()
        let rows = try fixture.app.scalarInt64("SELECT count(*) FROM t WHERE k IS NOT NULL")
        #expect(try Int64(store.fetchCount(ofEntity: "t")) == rows)
    }

    /// The process ends after each number of transactions: the file is as before but for a table of keys.
    @Test(arguments: 1...5) func theProcessEnds(_ slices: Int) throws {
        let fixture = try fixture(Self.definitions[0])
        let before = try fixture.schemaDump()
        #expect(try number(fixture, slices: slices) == slices)
        try fixture.app.execute("INSERT INTO t VALUES ('new', 1); DELETE FROM t WHERE v = 9")
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
        #expect(try number(fixture, slices: slices) == slices)
        try fixture.app.execute("UPDATE t SET k = 'other' WHERE v = 10")
        try fixture.database.track()
        #expect(try fixture.problems() == [])
        try fixture.app.execute("DELETE FROM t WHERE v = 11")
        #expect(try fixture.changes().count == 1)
        try fixture.database.untrack()
        #expect(try fixture.schemaDump() == before)
    }

    /// The numbers of entities are others than expected when the process ended.
    @Test func otherTablesAreRecorded() throws {
        let fixture = try fixture(Self.definitions[0])
        let before = try fixture.schemaDump()
        #expect(try number(fixture, slices: 2) == 2)
        try fixture.app.execute("CREATE TABLE a(k1 INT, k2, PRIMARY KEY (k1, k2)); INSERT INTO a VALUES (1, 2)")
        try fixture.database.track(["a"])
        try fixture.database.track()
        #expect(try fixture.problems() == [])
        try fixture.app.execute("INSERT INTO a VALUES (3, 4); DELETE FROM t WHERE v = 9")
        #expect(try fixture.changes().count == 2)
        try fixture.database.untrack()
        try fixture.app.execute("DROP TABLE a")
        #expect(try fixture.schemaDump() == before)
    }

    /// The file is tracked, and its schema has changed since: by the program, and by a process that ended while it numbered keys.
    @Test(arguments: [0, 2]) func theSchemaWasNotFollowed(_ slices: Int) throws {
        let fixture = try fixture(Self.definitions[0])
        try fixture.app.execute("CREATE TABLE a(id INTEGER PRIMARY KEY, v); CREATE TABLE b(k TEXT PRIMARY KEY)")
        try fixture.database.track(["a"])
        try fixture.app.execute("ALTER TABLE a ADD COLUMN w; INSERT INTO a VALUES (1, 2, 3)")
        if slices > 0 { #expect(try number(fixture, slices: slices) == slices) }
        try fixture.app.execute("ALTER TABLE b RENAME TO c")
        var database = fixture.database
        let count = Mutex(0)
        database.progress = { _ in count.withLock { $0 += 1 } }
        let tables = try database.track()
        #expect(count.withLock { $0 } == 5)
        #expect(tables.filter(\.isNew).map(\.name) == ["c", "t"])
        // The process that ended has followed the change.
        #expect(tables.flatMap(\.schemaChanges) == (slices == 0 ? ["column added: a.w"] : []))
        #expect(try fixture.problems() == [])
        let token = try #require(try fixture.store().currentHistoryToken())
        try fixture.app.execute("DELETE FROM t WHERE v = 9")
        #expect(try fixture.changes(after: token).count == 1)
    }

    /// A table of the program with such a name is not that of a recording.
    @Test func theProgramHasATableWithTheName() throws {
        let fixture = try TrackedFixture(
            "CREATE TABLE chronicle_key_1(id); CREATE TABLE t(k PRIMARY KEY)", track: false)
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.track() }
        #expect(throws: SwiftDataError.unsupportedFeature) { try fixture.database.untrack() }
    }
}
