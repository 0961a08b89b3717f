import ChronicleSQLite
import Testing

@Suite struct PrepareTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
    }

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", " SELECT 1 ;\n\t ; -- done\n", "SELECT 1 /* and */; /* no more", "SELECT 1;;;",
    ])
    func singleStatementIsPrepared(_ sql: String) throws {
        let statement = try connection.prepare(sql)
        #expect(try statement.step())
        #expect(statement.int64(0) == 1)
    }

    @Test(arguments: ["", " \n", ";", "-- only a comment"])
    func emptySQLThrows(_ sql: String) throws {
        #expect(try sqliteError { _ = try connection.prepare(sql) }.isMisuse)
    }

    @Test func secondStatementThrows() throws {
        let sql = "SELECT 1; SELECT 2"
        let error = try sqliteError { _ = try connection.prepare(sql) }
        #expect(error.isMisuse)
        #expect(error.sql == sql)
        #expect(throws: SQLiteError.self) { try connection.prepare("SELECT 1; nonsense") }
    }

    @Test func textAfterNULThrows() throws {
        #expect(try sqliteError { _ = try connection.prepare("SELECT 1\u{0} + 1") }.isMisuse)
        #expect(try sqliteError { try connection.execute("SELECT 1;\u{0} SELECT 2") }.isMisuse)
    }

    @Test func syntaxErrorContainsItsOffsetAndSQL() throws {
        let error = try sqliteError { _ = try connection.prepare("SELEKT 1") }
        #expect(error.primaryCode == 1)
        #expect(error.message.contains("SELEKT"))
        #expect(error.sql == "SELEKT 1")
    }

    @Test func executeRunsStatementsUpToTheFailingOne() throws {
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1); INSERT INTO no VALUES (2)")
        }
        #expect(try connection.int64s("SELECT a FROM t") == [1])
    }

    @Test func scalars() throws {
        #expect(try connection.scalarInt64("SELECT 42") == 42)
        #expect(try connection.scalarText("SELECT 'x'") == "x")
        #expect(try connection.scalarInt64("SELECT NULL") == nil)
        #expect(try connection.scalarText("SELECT 'x' WHERE false") == nil)
        #expect(
            try connection.scalarInt64("SELECT ?1 + ?2") {
                try $0.bind(1, at: 1); try $0.bind(2, at: 2)
            } == 3)
    }
}
