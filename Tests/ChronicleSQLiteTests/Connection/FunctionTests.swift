import ChronicleSQLite
import Synchronization
import Testing

@Suite struct FunctionTests {
    /// Counts the preparations of its second argument.
    private final class Calls: Sendable {
        let prepared = Mutex(0)
    }

    private final class End {
        let bytes: [UInt8]

        init(bytes: [UInt8]) { self.bytes = bytes }
    }

    private let connection: Connection
    private let calls = Calls()

    init() throws {
        connection = try .inMemory()
        try connection.define([
            SQLFunction("ends", argumentCount: 2) { [calls] call in
                let end = call.prepared(1) { utf8 in
                    calls.prepared.withLock { $0 += 1 }
                    return End(bytes: Array(utf8))
                }
                guard let end = end?.bytes else { return nil }
                return call.text(0).map { .integer($0.suffix(end.count).elementsEqual(end) ? 1 : 0) }
            },
            SQLFunction("half", argumentCount: 1) { .real(Double($0.integer(0)) / 2) },
        ])
        try connection.execute(
            "CREATE TABLE t(a); INSERT INTO t VALUES ('Rome'), ('Dome'), (NULL), (7), (x'6f6d65'), ('')")
    }

    @Test func functionRunsForEachRow() throws {
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, 'ome')") == [1, 2, 5])
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, '7')") == [4])
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, '') ORDER BY rowid") == [1, 2, 4, 5, 6])
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, NULL) IS NULL").count == 6)
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, 'ome') IS NULL") == [3])
        #expect(try connection.int64s("SELECT ends('a' || char(0) || 'b', char(0) || 'b')") == [1])
    }

    @Test func functionReturnsAReal() throws {
        #expect(try connection.scalarText("SELECT typeof(half(3)) || ' ' || half(3)") == "real 1.5")
        #expect(try connection.scalarText("SELECT half(NULL)") == "0.0")
    }

    @Test func constantArgumentIsPreparedOnce() throws {
        let statement = try connection.prepare("SELECT rowid FROM t WHERE ends(a, ?1)")
        for part in ["ome", "ome", "7"] {
            try statement.bind(part, at: 1)
            while try statement.step() {}
            statement.reset()
        }
        #expect(calls.prepared.withLock { $0 } == 3)
        #expect(try connection.int64s("SELECT rowid FROM t WHERE ends(a, a)") == [1, 2, 4, 5, 6])
    }

    @Test(arguments: [
        "CREATE INDEX i ON t(ends(a, 'x'))", "CREATE TABLE u(a, CHECK (ends(a, 'x')))",
        "CREATE VIEW v AS SELECT ends(a, 'x') FROM t; SELECT * FROM v",
        "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT ends(new.a, 'x'); END; INSERT INTO t VALUES (1)",
    ])
    func schemaOfAFileCannotUseTheFunction(_ sql: String) throws {
        let error = try sqliteError { try connection.execute(sql) }
        #expect(error.message.contains("ends"))
    }

    @Test func closedConnectionRejectsFunctions() throws {
        connection.close()
        #expect(try sqliteError { try connection.define([]) }.isMisuse)
    }
}
