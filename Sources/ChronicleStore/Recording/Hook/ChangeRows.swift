import ChronicleSQLite

/// Collected rows of ``ChangeTable`` that are not written yet, in the order in which they will be written.
///
/// Text and blobs are copied into one array, so that collecting a row does not allocate memory for its values.
struct ChangeRows {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        /// The range of a text in the collected bytes.
        case text(Range<Int>)
        /// The range of a blob in the collected bytes.
        case blob(Range<Int>)

        @inline(__always)
        fileprivate var isNull: Bool {
            if case .null = self { true } else { false }
        }
    }

    struct Row {
        let kind: ChangeTable.Kind
        let key: Int64
        var attributes = Value.null
        var oldValue = Value.null
        var newValue = Value.null

        /// The number of columns up to the last one that is not NULL.
        fileprivate var width: Int {
            if !newValue.isNull { return 5 }
            if !oldValue.isNull { return 4 }
            return attributes.isNull ? 2 : 3
        }
    }

    private(set) var rows: [Row] = []
    private var bytes: [UInt8] = []
    /// The rows of changes whose foreign key actions may still follow.
    private var waiting: [Row] = []
    /// The depth of each change with waiting rows, and the index of its first row in ``waiting``.
    private var depths: [(depth: Int32, first: Int)] = []

    /// The memory that the collected rows use, in bytes.
    var size: Int { (rows.count + waiting.count) * MemoryLayout<Row>.stride + bytes.count }

    /// The allocated memory, in bytes.
    var capacity: Int { (rows.capacity + waiting.capacity) * MemoryLayout<Row>.stride + bytes.capacity }

    /// Whether there are changes whose foreign key actions may still follow.
    var isWaiting: Bool { !depths.isEmpty }

    /// Begins a change that may cause foreign key actions. The rows of this change wait for those of its actions.
    ///
    /// The hook reports a row before the foreign key actions that its change causes, but a trigger runs after them. To
    /// keep the order of the triggers, the rows of a change wait until the next change that is not one of its actions.
    ///
    /// - Parameter depth: The ``RowChange/depth`` of the change.
    mutating func begin(depth: Int32) {
        end(depth: depth)
        depths.append((depth, waiting.count))
    }

    /// Adds a row of the current change.
    mutating func append(_ row: Row) {
        if depths.isEmpty { rows.append(row) } else { waiting.append(row) }
    }

    /// Ends the changes at this depth or deeper: moves their waiting rows to ``rows``, those of the deepest change
    /// first.
    mutating func end(depth: Int32) {
        while let last = depths.last, last.depth >= depth {
            depths.removeLast()
            rows.append(contentsOf: waiting[last.first...])
            waiting.removeSubrange(last.first...)
        }
    }

    /// Returns a copy of a column's value.
    mutating func copy(_ value: ColumnValue) -> Value {
        switch value {
        case .null: return .null
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(let text): return .text(copy(UnsafeRawBufferPointer(text)))
        case .blob(let blob): return .blob(copy(blob))
        }
    }

    mutating func text(_ text: String) -> Value {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return .text(start..<bytes.count)
    }

    private mutating func copy(_ value: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: value)
        return start..<bytes.count
    }

    /// Removes the rows from an index on, and those that wait.
    mutating func removeAll(from index: Int) {
        rows.removeSubrange(index...)
        waiting.removeAll(keepingCapacity: true)
        depths.removeAll(keepingCapacity: true)
    }

    mutating func removeAll() {
        if rows.isEmpty, bytes.isEmpty, depths.isEmpty { return }
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        waiting.removeAll(keepingCapacity: true)
        depths.removeAll(keepingCapacity: true)
    }

    // MARK: Writing

    /// The number of rows of the largest statement.
    static let batchSize = 50

    /// The statements that insert rows, in descending order of row count, by the number of columns.
    private static let inserts: [[(sql: String, rows: Int)]] = (0...5).map { width in
        width < 2 ? [] : [batchSize, 8, 1].map { (ChangeTable.insert($0, width: width), $0) }
    }

    /// The statements that insert a header after a number of rows, by that number.
    private static let insertsWithHeader = (0..<8).map { ChangeTable.insert($0 + 1) }
    /// The same statements, once they are prepared, because every save uses one of them.
    private var preparedInserts: [Statement?] = Array(repeating: nil, count: insertsWithHeader.count)

    /// Writes the collected rows and removes them.
    ///
    /// - Parameters:
    ///   - header: A header to write after the rows, with the same statement as the last of them.
    ///   - connection: The connection.
    mutating func write(header: ChangeTable.Header? = nil, _ connection: Connection) throws {
        var start = 0
        while rows.count - start >= (header == nil ? 1 : Self.insertsWithHeader.count) {
            // A batch has the columns of its widest row; usually all rows of a save have the same.
            var end = min(start + Self.batchSize, rows.count)
            // The rows that do not fill a statement are written with the header.
            if header != nil, end - start < Self.batchSize { end -= (end - start) % Self.insertsWithHeader.count }
            var width = 2
            for row in rows[start..<end] { width = max(width, row.width) }
            for (sql, count) in Self.inserts[width] where end - start >= count {
                let statement = try connection.cached(sql)
                while end - start >= count {
                    var index: Int32 = 1
                    for row in rows[start..<start + count] {
                        try bind(row, statement, from: index, width: width)
                        index += Int32(width)
                    }
                    try statement.run()
                    start += count
                }
            }
        }
        if let header { try write(header, after: rows[start...], connection) }
        removeAll()
    }

    private mutating func write(
        _ header: ChangeTable.Header, after last: ArraySlice<Row>, _ connection: Connection
    ) throws {
        let statement = try preparedInserts[last.count] ?? connection.cached(Self.insertsWithHeader[last.count])
        preparedInserts[last.count] = statement
        var index: Int32 = 1
        for row in last {
            try bind(row, statement, from: index, width: 5)
            index += 5
        }
        try header.bind(to: statement, from: index)
        try statement.run()
    }

    @inline(__always)
    private func bind(_ row: Row, _ statement: Statement, from index: Int32, width: Int) throws {
        try statement.bind(row.kind.rawValue, at: index)
        try statement.bind(row.key, at: index + 1)
        if width > 2 { try bind(row.attributes, statement, index + 2) }
        if width > 3 { try bind(row.oldValue, statement, index + 3) }
        if width > 4 { try bind(row.newValue, statement, index + 4) }
    }

    @inline(__always)
    private func bind(_ value: Value, _ statement: Statement, _ index: Int32) throws {
        switch value {
        case .null: try statement.bindNull(index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(value, at: index)
        case .text(let range):
            try bytes.withUnsafeBytes {
                try statement.bind(text: UnsafeRawBufferPointer(rebasing: $0[range]), at: index)
            }
        case .blob(let range):
            try bytes.withUnsafeBytes { try statement.bind(UnsafeRawBufferPointer(rebasing: $0[range]), at: index) }
        }
    }
}
