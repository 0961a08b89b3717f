import ChronicleSQLite
import Testing

@Suite struct RowFunctionTests {
    /// Collects rows as texts.
    private final class Reader {
        /// The rows that were read since the last step.
        var pending: [String] = []
        /// The number of rows that SQLite may visit in a step.
        let capacity: Int

        init(capacity: Int) { self.capacity = capacity }

        static let callback: RowFunction.Callback = { reader, columns, count in
            let columns = UnsafeBufferPointer(start: columns.assumingMemoryBound(to: RowColumn.self), count: count)
            return Unmanaged<Reader>.fromOpaque(reader).takeUnretainedValue().read(columns).rawValue
        }

        private func read(_ columns: UnsafeBufferPointer<RowColumn>) -> RowFunction.Result {
            guard pending.count < capacity else { return .unordered }
            pending.append(columns.map(Self.text).joined(separator: "|"))
            return pending.count == capacity ? .stop : .continue
        }

        private static func text(_ column: RowColumn) -> String {
            switch column.storageClass {
            case .null: "null"
            case .integer: "\(column.integer)"
            case .real: "\(column.real)"
            case .text: "'\(String(decoding: column.text, as: UTF8.self))'"
            case .blob: "\(Array(column.blob))"
            }
        }
    }

    private struct Failure: Error, Equatable {}

    private let connection: Connection

    init() throws {
        connection = try .inMemory()
        try connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a);
            INSERT INTO t(a) VALUES (3), (-1.5), ('Zoë'), (x'00ff'), (NULL), (''), (x'');
            """)
    }

    /// Returns the rows of a statement, or `nil` if SQLite sorts them.
    ///
    /// - Parameter capacity: The number of rows in a step if the function is the condition.
    private func rows(_ sql: String, capacity: Int? = nil, _ body: () throws -> Void = {}) throws -> [String]? {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        let reader = Reader(capacity: capacity ?? 1)
        var rows: [String] = []
        let isOrdered = try connection.readRows(
            of: statement, with: reader, Reader.callback, isCondition: capacity != nil
        ) {
            rows += reader.pending
            reader.pending = []
            try body()
        }
        guard isOrdered else {
            #expect(rows.isEmpty)
            return nil
        }
        return rows
    }

    private let all = ["1|3", "2|-1.5", "3|'Zoë'", "4|[0, 255]", "5|null", "6|''", "7|[]"]

    @Test func resultContainsEveryStorageClass() throws {
        #expect(try rows("SELECT chronicle_row(id, a) FROM t ORDER BY id") == all)
        #expect(try rows("SELECT chronicle_row(id, a) FROM t WHERE id > 100") == [])
    }

    @Test(arguments: [1, 2, 3, 7, 8]) func conditionVisitsSeveralRowsInAStep(_ capacity: Int) throws {
        var steps = 0
        let sql = "SELECT 1 FROM t WHERE chronicle_row(id, a) ORDER BY id"
        let found = try rows(sql, capacity: capacity) { steps += 1 }
        #expect(found == all)
        #expect(steps == 7 / capacity + 1)
    }

    @Test func sortedRowsAreNotRead() throws {
        for _ in 0..<2 {
            #expect(try rows("SELECT chronicle_row(id, a) FROM t ORDER BY a") == nil)
        }
        #expect(try rows("SELECT 1 FROM t WHERE chronicle_row(id, a) ORDER BY a", capacity: 6) == nil)
        // A single row has no order, but may be skipped.
        #expect(try rows("SELECT chronicle_row(id, a) FROM t WHERE id = 3 ORDER BY a") == ["3|'Zoë'"])
        #expect(try rows("SELECT chronicle_row(id, a) FROM t WHERE id = 3 ORDER BY a LIMIT 5 OFFSET 1") == [])
        #expect(try rows("SELECT chronicle_row(id, a) FROM t ORDER BY id LIMIT 2 OFFSET 1") == ["2|-1.5", "3|'Zoë'"])
        try connection.execute("CREATE INDEX i ON t(a)")
        #expect(try rows("SELECT chronicle_row(id, a) FROM t INDEXED BY i ORDER BY a DESC")?.first == "4|[0, 255]")
    }

    @Test func bodyReadsOtherRows() throws {
        var inner: [[String]?] = []
        let outer = try rows("SELECT chronicle_row(id, a) FROM t WHERE id < 3 ORDER BY id") {
            inner.append(try rows("SELECT 1 FROM t WHERE chronicle_row(id) ORDER BY id", capacity: 4))
        }
        #expect(outer == ["1|3", "2|-1.5"])
        #expect(inner == Array(repeating: ["1", "2", "3", "4", "5", "6", "7"], count: 2))
    }

    @Test func errorOfTheBodyIsThrown() throws {
        #expect(throws: Failure.self) {
            _ = try rows("SELECT chronicle_row(id, a) FROM t ORDER BY id") { throw Failure() }
        }
        #expect(try rows("SELECT chronicle_row(id, a) FROM t ORDER BY id") == all)
    }

    @Test func errorOfTheStatementIsThrown() throws {
        let error = #expect(throws: SQLiteError.self) {
            _ = try rows("SELECT chronicle_row(id, abs(-9223372036854775808)) FROM t ORDER BY id")
        }
        #expect(error?.message.contains("overflow") == true)
    }

    @Test func otherStatementsCannotCallTheFunction() throws {
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT chronicle_row(1)") }
        #expect(throws: SQLiteError.self) { try connection.execute("CREATE INDEX i ON t(chronicle_row(a))") }
        try connection.execute("CREATE VIEW v AS SELECT chronicle_row(a) FROM t")
        #expect(throws: SQLiteError.self) { _ = try rows("SELECT * FROM v") }
    }

    @Test func numberOfColumnsIsLimited() throws {
        let columns = Array(repeating: "a", count: 100).joined(separator: ", ")
        let call = try #require(Connection.rowCall(columns, count: 100))
        let row = Array(repeating: "3", count: 100).joined(separator: "|")
        #expect(try rows("SELECT \(call) FROM t WHERE id = 1") == [row])
        #expect(Connection.rowCall("\(columns), a", count: 101) == nil)
    }
}
