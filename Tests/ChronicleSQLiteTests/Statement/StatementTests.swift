import ChronicleSQLite
import ChronicleTestSupport
import Testing

@Suite struct StatementTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    }

    @Test func runKeepsBindingsUntilTheyAreCleared() throws {
        let insert = try connection.prepare("INSERT INTO t(a, b) VALUES (?1, ?2)")
        try insert.bind("same", at: 1)
        for value in [1, 2] {
            try insert.bind(value, at: 2)
            try insert.run()
        }
        insert.clearBindings()
        try insert.run()
        #expect(try connection.int64s("SELECT count(*) FROM t WHERE a = 'same' AND b IN (1, 2)") == [2])
        #expect(try connection.int64s("SELECT count(*) FROM t WHERE a IS NULL AND b IS NULL") == [1])
    }

    @Test func statementRestartsAfterItsEnd() throws {
        let statement = try connection.prepare("VALUES (1), (2)")
        for _ in 0..<2 {
            var rows: [Int64] = []
            while try statement.step() { rows.append(statement.int64(0)) }
            #expect(rows == [1, 2])
        }
    }

    @Test func resetReleasesTheCursor() throws {
        let statement = try connection.prepare("VALUES (1), (2)")
        #expect(!statement.isBusy)
        #expect(try statement.step())
        #expect(statement.isBusy)
        statement.reset()
        #expect(!statement.isBusy)
    }

    @Test func parametersAreIndependent() throws {
        // More parameters than slots, each bound to a short, a long, and a short value.
        let count = 70
        let names = (1...count).map { "?\($0)" }.joined(separator: " || '|' || ")
        let statement = try connection.prepare("SELECT \(names)")
        let lengths = [3, 64, 65, 200, 5]
        for length in lengths {
            let values = (1...count).map { String(repeating: Character(Unicode.Scalar(UInt8(48 + $0))), count: length) }
            for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            #expect(try statement.step())
            #expect(statement.text(0) == values.joined(separator: "|"))
            statement.reset()
        }
    }

    @Test func bindingARunningStatementThrowsAndKeepsItsValues() throws {
        let statement = try connection.prepare("SELECT ?1, ?2 UNION ALL SELECT ?1, ?2")
        let bytes: [UInt8] = [1, 2, 3]
        try statement.bind("before", at: 1)
        try bytes.withUnsafeBytes { try statement.bind($0, at: 2) }
        #expect(try statement.step())
        #expect(try sqliteError { try statement.bind("behind", at: 1) }.isMisuse)
        #expect(try sqliteError { try [9, 9, 9].withUnsafeBytes { try statement.bind($0, at: 2) } }.isMisuse)
        #expect(statement.text(0) == "before")
        #expect(try statement.step())
        #expect(statement.text(0) == "before")
        #expect(statement.withBlob(1) { Array($0) } == bytes)
    }

    @Test(arguments: [0, 2, -1] as [Int32])
    func bindingAParameterOutOfRangeThrows(_ index: Int32) throws {
        let statement = try connection.prepare("SELECT ?1")
        let outOfRange: Int32 = 25
        #expect(try sqliteError { try statement.bind(1, at: index) }.primaryCode == outOfRange)
        #expect(try sqliteError { try statement.bind(1.5, at: index) }.primaryCode == outOfRange)
        #expect(try sqliteError { try statement.bind("x", at: index) }.primaryCode == outOfRange)
        #expect(try sqliteError { try statement.bindNull(index) }.primaryCode == outOfRange)
        #expect(
            try sqliteError { try [1].withUnsafeBytes { try statement.bind($0, at: index) } }.primaryCode == outOfRange)
    }

    @Test func failedStepResetsTheStatement() throws {
        let insert = try connection.prepare("INSERT INTO t(id) VALUES (?1)")
        try insert.bind(1, at: 1)
        try insert.run()
        #expect(try sqliteError { try insert.run() }.isUniqueConstraint)
        #expect(!insert.isBusy)
        try insert.bind(2, at: 1)
        try insert.run()
        #expect(connection.lastInsertRowID == 2)
    }

    @Test func statementMayOutliveItsConnection() throws {
        let directory = try TemporaryDirectory()
        var connection: Connection? = try Connection(path: directory.path(), mode: .readWriteCreate)
        try connection?.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
        let statement = try #require(try connection?.prepare("SELECT a FROM t WHERE a <> ?1"))
        try statement.bind("text", at: 1)
        #expect(try statement.step())
        connection?.close()
        connection = nil
        #expect(!statement.isBusy)
        // The cursor has released the file.
        let other = try Connection(path: directory.path(), mode: .readWrite, busyTimeout: .zero)
        try other.execute("BEGIN EXCLUSIVE; COMMIT")
    }
}
