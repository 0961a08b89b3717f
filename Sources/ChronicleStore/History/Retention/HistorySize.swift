import ChronicleCore
import ChronicleSQLite

/// The size of a part of the history: of up to ``exactRows`` rows exactly, and of more rows from a sample.
struct HistorySize {
    var changes = 0.0
    var bytes = 0.0
    var isEstimated = false

    static let exactRows: Int64 = 8_192
    /// The parts of a longer history, of each of which a window is counted.
    private static let parts: Int64 = 128
    private static let window: Int64 = exactRows / parts

    /// The approximate size of a row in the file. The integers of a row take about 16 bytes, and those of a header 32.
    static let rowBytes = """
        (CASE WHEN \(ChangeTable.isHeader()) THEN 32 ELSE 16 + ifnull(length(CAST(old_value AS BLOB)), 0) \
        + ifnull(length(CAST(new_value AS BLOB)), 0) END)
        """

    static func total(after position: Int64, _ connection: Connection) throws -> HistorySize {
        guard let rows = try range(after: position, connection) else { return HistorySize() }
        guard rows.upperBound - rows.lowerBound >= exactRows else { return try counted(rows, connection) }
        var total = HistorySize(isEstimated: true)
        for part in parts(of: rows) {
            let size = try sampled(part, connection)
            total.changes += size.changes
            total.bytes += size.bytes
        }
        return total
    }

    /// The last position of the rows that exceed limits, beginning with the newest row, or 0 if there are none.
    static func end(
        ofRowsAfter position: Int64, exceeding changes: Int?, _ bytes: Int?, _ connection: Connection
    ) throws -> Int64 {
        guard let rows = try range(after: position, connection) else { return 0 }
        let (changes, bytes) = (changes.map(Double.init) ?? .infinity, bytes.map(Double.init) ?? .infinity)
        var total = HistorySize()
        let statement = try connection.cached(
            """
            SELECT id, \(ChangeTable.isOperation()), \(rowBytes) FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ? \
            ORDER BY id DESC LIMIT \(exactRows)
            """)
        defer { statement.reset() }
        try statement.bind(rows.lowerBound, at: 1)
        try statement.bind(rows.upperBound, at: 2)
        var oldest = rows.upperBound
        while try statement.step() {
            oldest = try statement.position(0)
            total.changes += Double(statement.int64(1))
            total.bytes += Double(statement.int64(2))
            if total.changes > changes || total.bytes > bytes { return oldest }
        }
        guard oldest > rows.lowerBound else { return 0 }
        for part in parts(of: rows.lowerBound...oldest - 1).reversed() {
            let size = try sampled(part, connection)
            let room = min(
                size.changes > 0 ? (changes - total.changes) / size.changes : 1,
                size.bytes > 0 ? (bytes - total.bytes) / size.bytes : 1)
            if room < 1 {
                return part.upperBound - Int64(Double(part.upperBound - part.lowerBound + 1) * max(room, 0))
            }
            total.changes += size.changes
            total.bytes += size.bytes
        }
        return 0
    }

    private static func range(after position: Int64, _ connection: Connection) throws -> ClosedRange<Int64>? {
        let oldest = try connection.cached("SELECT id FROM \(ChangeTable.name) WHERE id > ? ORDER BY id LIMIT 1")
        defer { oldest.reset() }
        try oldest.bind(position, at: 1)
        guard try oldest.step() else { return nil }
        let newest = try connection.cached(ChangeTable.selectNewest)
        defer { newest.reset() }
        guard try newest.step() else { return nil }
        return try HistoryPosition.range(from: oldest.position(0), through: newest.position(0))
    }

    private static func parts(of rows: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        let length = (rows.upperBound - rows.lowerBound) / parts + 1
        return stride(from: rows.lowerBound, through: rows.upperBound, by: Int(length)).map {
            $0...min($0 + length - 1, rows.upperBound)
        }
    }

    /// Extrapolates from a window in the middle of a part, which includes gaps between deleted transactions.
    private static func sampled(_ part: ClosedRange<Int64>, _ connection: Connection) throws -> HistorySize {
        let length = part.upperBound - part.lowerBound + 1
        guard length > window else { return try counted(part, connection) }
        let first = part.lowerBound + (length - window) / 2
        let size = try counted(first...first + window - 1, connection)
        let factor = Double(length) / Double(window)
        return HistorySize(changes: size.changes * factor, bytes: size.bytes * factor)
    }

    private static func counted(_ rows: ClosedRange<Int64>, _ connection: Connection) throws -> HistorySize {
        let statement = try connection.cached(
            """
            SELECT total(\(ChangeTable.isOperation())), total(\(rowBytes)) FROM \(ChangeTable.name) \
            WHERE id BETWEEN ? AND ?
            """)
        defer { statement.reset() }
        try statement.bind(rows.lowerBound, at: 1)
        try statement.bind(rows.upperBound, at: 2)
        guard try statement.step() else { return HistorySize() }
        return HistorySize(changes: statement.double(0), bytes: statement.double(1))
    }
}
