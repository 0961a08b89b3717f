import ChronicleSQLite

/// Rows of ``ChangeTable`` that are not written yet, in their order. Text and blobs are copied into one array, so that
/// collecting a row does not allocate memory for its values.
struct ChangeRows {
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(Range<Int>)
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
    /// The index of each change's first row in ``waiting``.
    private var depths: [(depth: Int32, first: Int)] = []

    /// The used memory, in bytes.
    var size: Int { (rows.count + waiting.count) * MemoryLayout<Row>.stride + bytes.count }

    /// The allocated memory, in bytes.
    var capacity: Int { (rows.capacity + waiting.capacity) * MemoryLayout<Row>.stride + bytes.capacity }

    var isWaiting: Bool { !depths.isEmpty }

    /// Begins a change that may cause foreign key actions. The hook reports a row before the actions, but a trigger runs
    /// after them. To keep the order of the triggers, the rows of a change wait until the next change that is not one of
    /// its actions.
    mutating func begin(depth: Int32) {
        end(depth: depth)
        depths.append((depth, waiting.count))
    }

    mutating func append(_ row: Row) {
        if depths.isEmpty { rows.append(row) } else { waiting.append(row) }
    }

    /// Ends the changes at this depth or deeper. The rows of the deepest change come first.
    mutating func end(depth: Int32) {
        while let last = depths.last, last.depth >= depth {
            depths.removeLast()
            rows.append(contentsOf: waiting[last.first...])
            waiting.removeSubrange(last.first...)
        }
    }

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

    static let batchSize = 50

    /// The statements by the number of columns, in descending order of row count.
    private static let inserts: [[(sql: String, rows: Int)]] = (0...5).map { width in
        width < 2 ? [] : [batchSize, 8, 1].map { (ChangeTable.insert($0, width: width), $0) }
    }

    /// The statements by the number of rows before the header.
    private static let insertsWithHeader = (0..<8).map { ChangeTable.insert($0 + 1) }
    /// Every save uses one of these statements.
    private var preparedInserts: [Statement?] = Array(repeating: nil, count: insertsWithHeader.count)

    /// A header is written after the rows, with the same statement as the last of them.
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
