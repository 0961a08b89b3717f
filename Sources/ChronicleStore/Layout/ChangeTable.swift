import ChronicleCore
import ChronicleSQLite

/// The history: the encoding of its rows, in Swift and in SQL.
///
/// | row | `kind` | `primary_key` | `attributes` | `old_value` | `new_value` |
/// | --- | --- | --- | --- | --- | --- |
/// | insert | entity * 16 + 1 | primary key | number of the first preserved attribute | | its value |
/// | update | entity * 16 + 2 | primary key | masks of the changed attributes, see ``AttributeMasks`` | | |
/// | delete | entity * 16 + 3 | primary key | number of the first preserved attribute | its value | |
/// | preserved value | entity * 16 | primary key | number of the attribute | value before | value after |
/// | header | -source | timestamp | check value | first change | process |
/// | void header | 0 | | check value | | |
///
/// Preserved values follow their change. The number of an attribute is NULL if its value was erased or too large to be
/// preserved.
///
/// The columns other than `kind` have no affinity, so that values are stored bit for bit: a column of type REAL stores -0.0
/// as the integer 0 (<https://sqlite.org/datatype3.html>, "REAL values stored as integers").
///
/// The newest row is never deleted, so the largest id plus one has never been used. Without AUTOINCREMENT
/// (<https://sqlite.org/autoinc.html>), each insert saves a write.
enum ChangeTable {
    static let name = "chronicle_change"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(id INTEGER PRIMARY KEY, kind INTEGER, primary_key, attributes, old_value, \
        new_value)
        """

    /// The columns in the order of ``Column``, without `id`.
    static let values = "kind, primary_key, attributes, old_value, new_value"
    /// The columns in the order in which ``ChangeBuffer`` and ``HistoryHeader`` read them.
    static let columns = "id, \(values)"
    /// The columns for readers that do not need the text of a header's process.
    static let columnsWithoutProcess = "id, kind, primary_key, attributes, old_value, NULL"

    static func columns(_ alias: String) -> String {
        columns.split(separator: ", ").map { "\(alias)\($0)" }.joined(separator: ", ")
    }

    /// The indexes in a statement that selects ``columns``.
    enum Column {
        static let id: Int32 = 0
        static let kind: Int32 = 1
        static let primaryKey: Int32 = 2
        static let attributes: Int32 = 3
        static let oldValue: Int32 = 4
        static let newValue: Int32 = 5

        // The columns of a header.
        static let timestamp = primaryKey
        static let checkValue = attributes
        static let first = oldValue
        static let process = newValue
    }

    /// The kind of a row, and the entity of a change or the source of a header.
    struct Kind: RawRepresentable, Hashable, Sendable {
        let rawValue: Int64

        @inline(__always)
        init(rawValue: Int64) { self.rawValue = rawValue }

        @inline(__always)
        init(_ operation: Operation, of entity: Int64) {
            rawValue = entity << operationBits | operation.rawValue
        }

        static func header(source: Int64) -> Kind { Kind(rawValue: -source) }
        /// A header that belongs to no transaction.
        static let void = Kind(rawValue: 0)

        @inline(__always)
        var isChange: Bool { rawValue > 0 }
        @inline(__always)
        var isHeader: Bool { rawValue < 0 }

        @inline(__always)
        var entity: Int64 { rawValue >> operationBits }
        /// `nil` if this version writes no such row.
        @inline(__always)
        var operation: Operation? { Operation(rawValue: rawValue & operationMask) }
        var source: Int64 { 0 &- rawValue }
    }

    /// The operation of a change. Numbers up to 15 are available for further kinds of rows.
    enum Operation: Int64, Sendable {
        /// Follows the row of its change.
        case preservedValue = 0
        case insert = 1
        case update = 2
        case delete = 3
    }

    /// The other bits are the number of the entity.
    private static let operationBits: Int64 = 4
    private static let operationMask: Int64 = 1 << operationBits - 1

    static let entityNumbers: ClosedRange<Int64> = 1...1_000_000
}

// Conditions and expressions on a row. The argument is the alias of the table with a period, or empty.
extension ChangeTable {
    static func isChange(_ alias: String = "") -> String { "\(alias)kind > 0" }
    static func isHeader(_ alias: String = "") -> String { "\(alias)kind < 0" }
    static func endsTransaction(_ alias: String = "") -> String { "\(alias)kind <= 0" }
    static func isNotVoid(_ alias: String = "") -> String { "\(alias)kind <> \(Kind.void.rawValue)" }

    static func isOperation(_ alias: String = "") -> String {
        "(\(alias)kind > 0 AND \(alias)kind & \(operationMask) <> \(Operation.preservedValue.rawValue))"
    }

    static func isOperation(_ operation: Operation, _ alias: String = "") -> String {
        "(\(alias)kind > 0 AND \(alias)kind & \(operationMask) = \(operation.rawValue))"
    }

    /// Selects rows that can contain a preserved value of the attribute with the number `attributes`.
    static func hasValue(of entities: [Int64]) -> String {
        let operations: [Operation] = [.preservedValue, .insert, .delete]
        let kinds = entities.flatMap { entity in operations.map { "\(Kind($0, of: entity).rawValue)" } }
        return "kind IN (\(kinds.joined(separator: ", ")))"
    }

    static func entity(_ alias: String = "") -> String { "\(alias)kind >> \(operationBits)" }
    static func source(_ alias: String = "") -> String { "-\(alias)kind" }
    static func headerKind(source: Int64) -> String { "\(Kind.header(source: source).rawValue)" }
}

// The statements that a save runs.
extension ChangeTable {
    static let selectNewest = "SELECT id, kind, attributes FROM \(name) ORDER BY id DESC LIMIT 1"
    static let selectNewestPosition = "SELECT max(id) FROM \(name)"
    static let selectNewestHeader = "SELECT id FROM \(name) WHERE \(endsTransaction()) ORDER BY id DESC LIMIT 1"

    static let insertRow = insert(1)

    /// The columns of ``values`` after `width` are NULL.
    static func insert(_ count: Int, width: Int = 5) -> String {
        let columns = values.split(separator: ", ").prefix(width).joined(separator: ", ")
        let row = "(\(Array(repeating: "?", count: width).joined(separator: ", ")))"
        return
            "INSERT INTO \(name)(\(columns)) VALUES \(Array(repeating: row, count: count).joined(separator: ", "))"
    }
}

extension ChangeTable {
    struct Header {
        let source: Int64
        let timestamp: Double
        let checkValue: Int64
        let first: Int64
        /// `nil` for an external transaction.
        let process: Int64?

        func bind(to statement: Statement, from index: Int32 = 1) throws {
            try statement.bind(Kind.header(source: source).rawValue, at: index)
            try statement.bind(timestamp, at: index + Column.timestamp - 1)
            try statement.bind(checkValue, at: index + Column.checkValue - 1)
            try statement.bind(first, at: index + Column.first - 1)
            if let process {
                try statement.bind(process, at: index + Column.process - 1)
            } else {
                try statement.bindNull(index + Column.process - 1)
            }
        }
    }
}

extension Statement {
    @inline(__always)
    func kind(_ column: Int32, at position: Int64) throws -> ChangeTable.Kind {
        ChangeTable.Kind(rawValue: try integer(column, of: .change(position)))
    }
}
