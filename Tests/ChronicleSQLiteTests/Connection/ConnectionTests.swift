import ChronicleSQLite
import ChronicleTestSupport
import Testing

@Suite struct ConnectionTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func openModesDetermineCreationAndWriting() throws {
        #expect(try sqliteError { _ = try Connection(path: directory.path(), mode: .readOnly) }.isCannotOpen)
        #expect(try sqliteError { _ = try Connection(path: directory.path(), mode: .readWrite) }.isCannotOpen)
        #expect(!directory.contains("store.sqlite"))

        let writer = try Connection(path: directory.path(), mode: .readWriteCreate)
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let reader = try Connection(path: directory.path(), mode: .readOnly)
        #expect(!writer.isReadOnly)
        #expect(reader.isReadOnly)
        #expect(try reader.scalarInt64("SELECT a FROM t") == 1)
        let error = try sqliteError { try reader.execute("INSERT INTO t VALUES (2)") }
        #expect(error.isReadOnly)
        #expect(error.sql == "INSERT INTO t VALUES (2)")
    }

    /// A view may be endless, and another connection may replace a table with it at any time.
    @Test func readOnlyConnectionsDenyViews() throws {
        let writer = try Connection(path: directory.path(), mode: .readWriteCreate)
        try writer.enableWAL()
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT a FROM t")
        let reader = try Connection(path: directory.path(), mode: .readOnly)
        let sums = ["SELECT sum(a) FROM t", "SELECT sum(a) FROM (SELECT a FROM t)"]
        for sum in sums { #expect(try reader.scalarInt64(sum) == 1) }
        #expect(try reader.scalarInt64("SELECT count(*) FROM json_each('[1]'), pragma_table_info('t')") == 1)
        for sql in ["SELECT a FROM v", "SELECT count(*) FROM v", "SELECT 1 FROM t WHERE EXISTS (SELECT 1 FROM v)"] {
            #expect(try sqliteError { _ = try reader.scalarInt64(sql) }.isDenied)
        }
        try writer.execute(
            """
            DROP TABLE t;
            CREATE VIEW t(a) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
            """)
        for sum in sums { #expect(try sqliteError { _ = try reader.scalarInt64(sum) }.isDenied) }
    }

    @Test func pathMayBeAURI() throws {
        let plain = try Connection(path: directory.path(), mode: .readWriteCreate)
        try plain.execute("CREATE TABLE t(a)")
        let connection = try Connection(path: "file:\(directory.path())?mode=ro", mode: .readOnly)
        #expect(try connection.scalarInt64("SELECT count(*) FROM t") == 0)
        #expect(connection.isReadOnly)
    }

    /// A URI may restrict the mode, as a write-protected file does: opening throws an error.
    @Test func openingAnImmutableFileForWritingThrows() throws {
        let plain = try Connection(path: directory.path(), mode: .readWriteCreate)
        try plain.execute("CREATE TABLE t(a)")
        let uri = "file:\(directory.path())?immutable=1"
        #expect(try sqliteError { _ = try Connection(path: uri, mode: .readWrite) }.isReadOnly)
    }

    @Test func missingDirectoryThrows() throws {
        let error = try sqliteError {
            _ = try Connection(path: directory.path("no/such.sqlite"), mode: .readWriteCreate)
        }
        #expect(error.isCannotOpen)
        #expect(!directory.contains("no"))
    }

    @Test func pathWithNULThrows() throws {
        let error = try sqliteError { _ = try Connection(path: directory.path("a") + "\u{0}b", mode: .readWriteCreate) }
        #expect(error.isCannotOpen)
        #expect(!directory.contains("a"))
    }

    @Test func firstStatementThrowsIfTheFileIsNotADatabase() throws {
        let bytes = Array("This is a letter and not a database, though it is long enough. ".utf8)
        try directory.write(bytes + bytes, to: "letter.txt")
        let connection = try Connection(path: directory.path("letter.txt"), mode: .readWrite)
        #expect(try sqliteError { _ = try connection.scalarInt64("SELECT count(*) FROM sqlite_schema") }.isNotADatabase)
        #expect(try sqliteError { try connection.execute("CREATE TABLE t(a)") }.isNotADatabase)
        connection.close()
        #expect(try directory.read("letter.txt") == bytes + bytes)
    }

    @Test func damagedFileThrows() throws {
        let first = try Connection(path: directory.path(), mode: .readWriteCreate)
        try first.execute("PRAGMA page_size = 4096; CREATE TABLE t(a); INSERT INTO t VALUES ('x')")
        first.close()
        var bytes = try directory.read("store.sqlite")
        bytes.replaceSubrange(4096..<4196, with: repeatElement(0xA5, count: 100))
        try directory.write(bytes, to: "store.sqlite")
        let connection = try Connection(path: directory.path(), mode: .readWrite)
        #expect(try sqliteError { _ = try connection.scalarText("SELECT a FROM t") }.isCorrupt)
    }

    @Test func closedConnectionThrows() throws {
        let connection = try Connection.inMemory()
        #expect(!connection.isClosed)
        connection.close()
        connection.close()
        #expect(connection.isClosed)
        #expect(try sqliteError { try connection.execute("SELECT 1") }.isMisuse)
        #expect(try sqliteError { _ = try connection.prepare("SELECT 1") }.isMisuse)
        #expect(try sqliteError { _ = try connection.cached("SELECT 1") }.isMisuse)
        #expect(try sqliteError { try connection.immediate {} }.isMisuse)
        #expect(connection.lastInsertRowID == 0)
        #expect(connection.changes == 0)
        #expect(!connection.isInTransaction)
    }

    @Test func closingRollsBackTheTransaction() throws {
        let connection = try Connection(path: directory.path(), mode: .readWriteCreate)
        try connection.execute("CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        let held = try connection.prepare("SELECT a FROM t")
        #expect(try held.step())
        connection.close()
        let other = try Connection(path: directory.path(), mode: .readWrite, busyTimeout: .zero)
        try other.immediate {}
        #expect(try other.scalarInt64("SELECT count(*) FROM t") == 0)
    }

    @Test func changeCountAndLastRowID() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        #expect(connection.changes == 3)
        #expect(connection.lastInsertRowID == 3)
        try connection.execute("UPDATE t SET a = 0 WHERE a > 1")
        #expect(connection.changes == 2)
    }

    /// What a malicious file or a mistake in this package could do to a file.
    @Test func connectionIsDefensive() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a); PRAGMA writable_schema = ON")
        #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM sqlite_schema") }
        #expect(try connection.scalarText("PRAGMA journal_mode = OFF") != "off")
        #expect(try connection.scalarInt64("PRAGMA trusted_schema") == 0)
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"no such column\" FROM t") }
    }
}
