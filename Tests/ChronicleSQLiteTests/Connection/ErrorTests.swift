import ChronicleSQLite
import Testing

@Suite struct ErrorTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT UNIQUE, size INTEGER NOT NULL CHECK (size > 0));
            CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent);
            INSERT INTO parent VALUES (1, 'one', 1);
            """)
    }

    @Test(
        arguments: [
            ("INSERT INTO parent VALUES (1, 'two', 1)", 1555, true, false),
            ("INSERT INTO parent VALUES (2, 'one', 1)", 2067, true, false),
            ("INSERT INTO parent VALUES (2, 'two', NULL)", 1299, false, false),
            ("INSERT INTO parent VALUES (2, 'two', 0)", 275, false, false),
            ("INSERT INTO child VALUES (1, 7)", 787, false, true),
        ] as [(String, Int32, Bool, Bool)])
    func constraints(_ sql: String, _ code: Int32, _ isUnique: Bool, _ isForeignKey: Bool) throws {
        let error = try sqliteError { try connection.execute(sql) }
        #expect(error.extendedCode == code)
        #expect(error.primaryCode == 19)
        #expect(error.isConstraint)
        #expect(error.isUniqueConstraint == isUnique)
        #expect(error.isForeignKeyConstraint == isForeignKey)
        #expect(!error.isBusy)
        #expect(error.sql == sql)
    }

    @Test func descriptionContainsTheStatementButNoValues() throws {
        let insert = try connection.prepare("INSERT INTO parent VALUES (1, ?1, 1)")
        try insert.bind("a secret", at: 1)
        let error = try sqliteError { try insert.run() }
        #expect(
            error.description
                == "SQLite error 1555: UNIQUE constraint failed: parent.id [INSERT INTO parent VALUES (1, ?1, 1)]")
    }

    @Test func fullDatabaseThrows() throws {
        try connection.execute("CREATE TABLE t(a); PRAGMA max_page_count = 10")
        let error = try sqliteError {
            try connection.immediate { try connection.execute("INSERT INTO t VALUES (zeroblob(1000000))") }
        }
        #expect(error.isFull)
        #expect(!connection.isInTransaction)
    }

    @Test func valueOverTheLengthLimitThrows() throws {
        let error = try sqliteError { try connection.execute("SELECT zeroblob(2147483647)") }
        #expect(error.primaryCode == 18)
    }
}
