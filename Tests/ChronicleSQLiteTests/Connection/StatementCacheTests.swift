import ChronicleSQLite
import Testing

@Suite struct StatementCacheTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
    }

    @Test func sameSQLReturnsTheSameStatement() throws {
        weak let first = try connection.cached("SELECT ?1")
        let second = try connection.cached("SELECT ?1")
        #expect(first != nil)
        #expect(first === second)
        #expect(try connection.cached("SELECT ?1 ") !== second)
    }

    @Test func cachedStatementIsResetWithoutBindings() throws {
        func leave() throws {
            let statement = try connection.cached("SELECT ?1 UNION ALL SELECT ?1")
            try statement.bind("left behind", at: 1)
            #expect(try statement.step())
        }
        try leave()
        let statement = try connection.cached("SELECT ?1 UNION ALL SELECT ?1")
        #expect(!statement.isBusy)
        #expect(try statement.step())
        #expect(statement.isNull(0))
    }

    @Test func sameSQLNestedInItsOwnLoop() throws {
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        let sql = "SELECT a FROM t WHERE a >= ?1 ORDER BY a"
        let outer = try connection.cached(sql)
        try outer.bind(2, at: 1)
        var pairs: [[Int64]] = []
        // Bounded, because an inner statement identical to the outer one would restart it forever.
        while try outer.step(), pairs.count < 10 {
            let inner = try connection.cached(sql)
            try inner.bind(3, at: 1)
            while try inner.step() { pairs.append([outer.int64(0), inner.int64(0)]) }
        }
        #expect(pairs == [[2, 3], [3, 3]])
    }

    @Test func leastRecentlyUsedStatementIsEvicted() throws {
        weak let old = try connection.cached("SELECT 'old'")
        weak let used = try connection.cached("SELECT 'used'")
        for number in 0..<127 {
            _ = try connection.cached("SELECT \(number)")
            _ = try connection.cached("SELECT 'used'")
        }
        #expect(old == nil)
        #expect(used != nil)
    }

    @Test func evictedStatementRemainsUsable() throws {
        let held = try connection.cached("SELECT 1 UNION ALL SELECT 2")
        #expect(try held.step())
        for number in 0..<300 { _ = try connection.cached("SELECT \(number)") }
        #expect(try held.step())
        #expect(held.int64(0) == 2)
    }

    @Test func cachedStatementReflectsSchemaChanges() throws {
        try connection.execute("CREATE TABLE t(a)")
        #expect(try connection.cached("SELECT * FROM t").columnCount == 1)
        try connection.execute("ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 2)")
        let statement = try connection.cached("SELECT * FROM t")
        #expect(try statement.step())
        #expect(statement.columnCount == 2)
    }

    /// SQLite may evaluate a pragma when it is prepared.
    @Test(arguments: ["PRAGMA user_version", "  \n pragma user_version"])
    func pragmasAreNotCached(_ sql: String) throws {
        weak let statement = try connection.cached(sql)
        #expect(statement == nil)
        #expect(try connection.scalarInt64(sql) == 0)
        try connection.execute("PRAGMA user_version = 5")
        #expect(try connection.scalarInt64(sql) == 5)
    }
}
