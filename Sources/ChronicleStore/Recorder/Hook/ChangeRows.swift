import ChronicleSQLite

/// Collected rows of `chronicle_change` that are not written yet, in the order in which they will be written.
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
    }

    struct Row {
        let what: Int64
        let key: Int64
        var detail: Int64?
        var more = Value.null
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
        rows.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        waiting.removeAll(keepingCapacity: true)
        depths.removeAll(keepingCapacity: true)
    }

    // MARK: Writing

    /// The statements that insert rows, in descending order of row count.
    private static let inserts: [(sql: String, rows: Int)] = [50, 8, 1].map { count in
        let rows = Array(repeating: "(?, ?, ?, ?)", count: count).joined(separator: ", ")
        return ("INSERT INTO chronicle_change(what, key, detail, more) VALUES \(rows)", count)
    }

    /// The number of rows of the largest statement.
    static let batchSize = 50

    /// Writes the collected rows and removes them.
    mutating func write(_ connection: Connection) throws {
        var start = 0
        for (sql, count) in Self.inserts where rows.count - start >= count {
            let statement = try connection.cached(sql)
            while rows.count - start >= count {
                var index: Int32 = 1
                for row in rows[start..<start + count] {
                    try bind(row, statement, from: index)
                    index += 4
                }
                try statement.run()
                start += count
            }
        }
        removeAll()
    }

    @inline(__always)
    private func bind(_ row: Row, _ statement: Statement, from index: Int32) throws {
        try statement.bind(row.what, at: index)
        try statement.bind(row.key, at: index + 1)
        if let detail = row.detail {
            try statement.bind(detail, at: index + 2)
        } else {
            try statement.bindNull(index + 2)
        }
        switch row.more {
        case .null: try statement.bindNull(index + 3)
        case .integer(let value): try statement.bind(value, at: index + 3)
        case .real(let value): try statement.bind(value, at: index + 3)
        case .text(let range):
            try bytes.withUnsafeBytes {
                try statement.bind(text: UnsafeRawBufferPointer(rebasing: $0[range]), at: index + 3)
            }
        case .blob(let range):
            try bytes.withUnsafeBytes { try statement.bind(UnsafeRawBufferPointer(rebasing: $0[range]), at: index + 3) }
        }
    }
}
