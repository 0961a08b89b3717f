import ChronicleSQLite
import Testing

/// Bound values are returned unchanged, or as documented.
@Suite struct RoundTripTests {
    let connection: Connection
    let echo: Statement

    init() throws {
        connection = try .inMemory()
        echo = try connection.prepare("SELECT ?1, typeof(?1), length(?1), hex(?1)")
    }

    @Test(arguments: [0, 1, -1, 127, -129, 1 << 31, 1 << 53, (1 << 53) + 1, .max, .min] as [Int64])
    func integers(_ value: Int64) throws {
        try echo.bind(value, at: 1)
        #expect(try echo.step())
        #expect(echo.storageClass(0) == .integer)
        #expect(echo.int64(0) == value)
    }

    @Test func integerLiteralsAreBoundAsIntegers() throws {
        try echo.bind(7, at: 1)
        #expect(try echo.step())
        #expect(echo.text(1) == "integer")
    }

    @Test(
        arguments: [
            0.1, -0.0, 1e308, .leastNonzeroMagnitude, .pi, 1.0 / 3, .infinity, -.infinity, .greatestFiniteMagnitude,
            .ulpOfOne,
        ])
    func doubles(_ value: Double) throws {
        try echo.bind(value, at: 1)
        #expect(try echo.step())
        #expect(echo.storageClass(0) == .real)
        #expect(echo.double(0).bitPattern == value.bitPattern)
    }

    @Test func notANumberBecomesNull() throws {
        try echo.bind(Double.nan, at: 1)
        #expect(try echo.step())
        #expect(echo.isNull(0))
        #expect(echo.storageClass(0) == .null)
    }

    @Test(
        arguments: [
            "", "a", "Grüße 👩‍👩‍👧 e\u{301}", "\u{0}", "a\u{0}b", "end\u{0}", String(repeating: "x", count: 63),
            String(repeating: "x", count: 64), String(repeating: "x", count: 65),
            String(repeating: "ü\u{0}", count: 99_999),
        ])
    func texts(_ value: String) throws {
        try echo.bind(value, at: 1)
        #expect(try echo.step())
        #expect(echo.storageClass(0) == .text)
        #expect(Array(echo.text(0).utf8) == Array(value.utf8))
        #expect(echo.withText(0) { Array($0) } == Array(value.utf8))
    }

    @Test func invalidTextIsRepairedAndItsBytesRemainReadable() throws {
        let statement = try connection.prepare("SELECT CAST(x'61FF62C3' AS TEXT)")
        #expect(try statement.step())
        #expect(statement.storageClass(0) == .text)
        #expect(statement.text(0) == "a\u{FFFD}b\u{FFFD}")
        #expect(statement.withText(0) { Array($0) } == [0x61, 0xFF, 0x62, 0xC3])
    }

    @Test(arguments: [1, 2, 63, 64, 65, 1000, 1_000_000])
    func blobs(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try bytes.withUnsafeBytes { try echo.bind($0, at: 1) }
        #expect(try echo.step())
        #expect(echo.storageClass(0) == .blob)
        #expect(echo.withBlob(0) { Array($0) } == bytes)
    }

    @Test func emptyBlobsAreNotNull() throws {
        func expectEmpty(_ empty: UnsafeRawBufferPointer) throws {
            try echo.bind(empty, at: 1)
            #expect(try echo.step())
            #expect(echo.storageClass(0) == .blob)
            #expect(!echo.isNull(0))
            #expect(echo.withBlob(0) { $0.count } == 0)
            echo.reset()
        }
        // With and without a base address.
        try expectEmpty(UnsafeRawBufferPointer(start: nil, count: 0))
        try [1].withUnsafeBytes { try expectEmpty(UnsafeRawBufferPointer(rebasing: $0[..<0])) }
    }

    @Test func nullReadsAsNil() throws {
        try echo.bind(1, at: 1)
        try echo.bindNull(1)
        #expect(try echo.step())
        #expect(echo.isNull(0))
        #expect(echo.int64(0) == 0)
        #expect(echo.double(0) == 0)
        #expect(echo.text(0) == "")
        #expect(echo.withBlob(0) { $0.count } == 0)
    }

    @Test func columnsConvertLikeSQLite() throws {
        let statement = try connection.prepare("SELECT '12abc', 2.9, 65, x'4142'")
        #expect(try statement.step())
        #expect(statement.columnCount == 4)
        #expect(statement.int64(0) == 12)
        #expect(statement.int64(1) == 2)
        #expect(statement.text(2) == "65")
        #expect(statement.text(3) == "AB")
    }

    /// A file of another program may use UTF-16; SQLite converts in both directions.
    @Test(arguments: ["short ü", String(repeating: "long ü ", count: 50)])
    func textInAUTF16Database(_ value: String) throws {
        let connection = try Connection.inMemory()
        try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        try insert.bind(value, at: 1)
        try insert.run()
        #expect(try connection.scalarText("SELECT a FROM t") == value)
        #expect(try connection.scalarInt64("SELECT length(CAST(a AS BLOB)) FROM t") == Int64(value.utf16.count * 2))
    }
}
