import ChronicleCore
import ChronicleSQLite

/// The table `chronicle_change`, which contains the history: the encoding of its rows, in Swift and in SQL.
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
/// Preserved values follow the row of their change. The number of an attribute is NULL if its value was not preserved
/// because of its size, or was erased.
///
/// The columns other than `kind` have no affinity, so that values are stored bit for bit: a column of type REAL stores
/// -0.0 as the integer 0 (<https://sqlite.org/datatype3.html>, "REAL values stored as integers").
///
/// The table has no AUTOINCREMENT (<https://sqlite.org/autoinc.html>): its newest row is never deleted, so the largest
/// id plus one has never been used. This saves a write for each insert.
enum ChangeTable {
    static let name = "chronicle_change"

    static let createTable = """
        CREATE TABLE IF NOT EXISTS \(name)(id INTEGER PRIMARY KEY, kind INTEGER, primary_key, attributes, old_value, \
        new_value)
        """

    /// The columns of a row except `id`, in the order of ``Column``.
    static let values = "kind, primary_key, attributes, old_value, new_value"
    /// All columns, in the order in which ``ChangeBuffer`` and ``HistoryHeader`` read them.
    static let columns = "id, \(values)"
    /// ``columns`` with NULL as the process of a header, for readers that do not need the text.
    static let columnsWithoutProcess = "id, kind, primary_key, attributes, old_value, NULL"

    /// Returns ``columns`` of a table with an alias, such as `c.`.
    static func columns(_ alias: String) -> String {
        columns.split(separator: ", ").map { "\(alias)\($0)" }.joined(separator: ", ")
    }

    /// The indexes of the columns in a statement that selects ``columns``.
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

        /// Whether the row is a change or a preserved value, and not a header.
        @inline(__always)
        var isChange: Bool { rawValue > 0 }
        /// Whether the row is the header of a transaction.
        @inline(__always)
        var isHeader: Bool { rawValue < 0 }

        /// The number of the entity of a change.
        @inline(__always)
        var entity: Int64 { rawValue >> operationBits }
        /// The operation of a change, or `nil` if this version writes no such row.
        @inline(__always)
        var operation: Operation? { Operation(rawValue: rawValue & operationMask) }
        /// The number of the source of a header.
        var source: Int64 { 0 &- rawValue }
    }

    /// The operation of a change. Numbers up to 15 are available for further kinds of rows.
    enum Operation: Int64, Sendable {
        /// A value that the history preserves, which follows the row of its change.
        case preservedValue = 0
        case insert = 1
        case update = 2
        case delete = 3
    }

    /// The lowest bits of a kind are the operation, and the others are the number of the entity.
    private static let operationBits: Int64 = 4
    private static let operationMask: Int64 = 1 << operationBits - 1

    /// The valid numbers of entities.
    static let entityNumbers: ClosedRange<Int64> = 1...1_000_000
}

// Conditions and expressions on a row. The argument is the alias of the table with a period, or empty.
extension ChangeTable {
    /// A condition that is true for changes and preserved values.
    static func isChange(_ alias: String = "") -> String { "\(alias)kind > 0" }
    /// A condition that is true for headers of transactions.
    static func isHeader(_ alias: String = "") -> String { "\(alias)kind < 0" }
    /// A condition that is true for headers, void or not.
    static func endsTransaction(_ alias: String = "") -> String { "\(alias)kind <= 0" }
    /// A condition that is true for rows that are not void headers.
    static func isNotVoid(_ alias: String = "") -> String { "\(alias)kind <> \(Kind.void.rawValue)" }

    /// A condition that is true for inserts, updates, and deletes.
    static func isOperation(_ alias: String = "") -> String {
        "(\(alias)kind > 0 AND \(alias)kind & \(operationMask) <> \(Operation.preservedValue.rawValue))"
    }

    /// A condition that is true for the rows of one operation.
    static func isOperation(_ operation: Operation, _ alias: String = "") -> String {
        "(\(alias)kind > 0 AND \(alias)kind & \(operationMask) = \(operation.rawValue))"
    }

    /// A condition that is true for the rows of entities that can contain a preserved value of the attribute with the
    /// number `attributes`.
    static func hasValue(of entities: [Int64]) -> String {
        let operations: [Operation] = [.preservedValue, .insert, .delete]
        let kinds = entities.flatMap { entity in operations.map { "\(Kind($0, of: entity).rawValue)" } }
        return "kind IN (\(kinds.joined(separator: ", ")))"
    }

    /// The number of the entity of a change.
    static func entity(_ alias: String = "") -> String { "\(alias)kind >> \(operationBits)" }
    /// The number of the source of a header.
    static func source(_ alias: String = "") -> String { "-\(alias)kind" }
    /// The kind of a header of a source.
    static func headerKind(source: Int64) -> String { "\(Kind.header(source: source).rawValue)" }
}

// The statements that a save runs.
extension ChangeTable {
    /// Selects the position and the kind of the newest row, and the check value if it is a header.
    static let selectNewest = "SELECT id, kind, attributes FROM \(name) ORDER BY id DESC LIMIT 1"
    static let selectNewestPosition = "SELECT max(id) FROM \(name)"
    /// Selects the newest header, void or not.
    static let selectNewestHeader = "SELECT id FROM \(name) WHERE \(endsTransaction()) ORDER BY id DESC LIMIT 1"

    /// The statement that inserts a row with all values.
    static let insertRow = insert(1)

    /// Returns a statement that inserts rows with values for the first columns of ``values``.
    ///
    /// - Parameters:
    ///   - count: The number of rows.
    ///   - width: The number of columns; the others are NULL.
    static func insert(_ count: Int, width: Int = 5) -> String {
        let columns = values.split(separator: ", ").prefix(width).joined(separator: ", ")
        let row = "(\(Array(repeating: "?", count: width).joined(separator: ", ")))"
        return
            "INSERT INTO \(name)(\(columns)) VALUES \(Array(repeating: row, count: count).joined(separator: ", "))"
    }
}

extension ChangeTable {
    /// The values of a header that ends a transaction.
    struct Header {
        let source: Int64
        let timestamp: Double
        let checkValue: Int64
        let first: Int64
        /// The identifier of the process; `nil` for an external transaction.
        let process: Int64?

        /// Binds the values to parameters in the order of ``values``.
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
    /// Returns the kind of the row in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if it is not an integer.
    @inline(__always)
    func kind(_ column: Int32, at position: Int64) throws -> ChangeTable.Kind {
        ChangeTable.Kind(rawValue: try integer(column, of: .change(position)))
    }
}
