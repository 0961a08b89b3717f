import ChronicleCSQLite
import Testing

@testable import ChronicleSQLite

@Suite struct SchemaTests {
    let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (NULL)")
    }

    private func expectDefensiveMode(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
        try connection.execute("PRAGMA writable_schema = ON")
        let error = try sqliteError(sourceLocation) { try connection.execute("UPDATE sqlite_schema SET sql = ''") }
        #expect(error.message.contains("may not be modified"), sourceLocation: sourceLocation)
    }

    @Test func replacingADefinitionKeepsRows() throws {
        try connection.replaceDefinition(ofTable: "t", with: "CREATE TABLE t(a DEFAULT 2)")
        try connection.execute("INSERT INTO t DEFAULT VALUES")
        #expect(try connection.int64s("SELECT coalesce(a, 0) FROM t") == [0, 2])
        try expectDefensiveMode()
    }

    /// An authorizer denies one of the statements of the replacement.
    @Test(arguments: ["UPDATE", "RESET"])
    func failureKeepsDefensiveMode(_ refused: String) throws {
        let handle = try #require(connection.handle)
        let authorizer:
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
                UnsafePointer<CChar>?
            ) -> Int32 = { context, action, _, value, _, _ in
                let isReset = action == SQLITE_PRAGMA && value.map { String(cString: $0) } == "RESET"
                return (context == nil ? action == SQLITE_UPDATE : isReset) ? SQLITE_DENY : SQLITE_OK
            }
        _ = sqlite3_set_authorizer(handle, authorizer, refused == "RESET" ? UnsafeMutableRawPointer(handle) : nil)
        let error = try sqliteError {
            try connection.replaceDefinition(ofTable: "t", with: "CREATE TABLE t(a DEFAULT 2)")
        }
        #expect(error.primaryCode == SQLITE_AUTH)
        _ = sqlite3_set_authorizer(handle, nil, nil)
        try expectDefensiveMode()
    }
}
