public import ChronicleCore

/// A statement, or a part of one: segments of SQL text, and the values of the parameters between them.
///
/// Parts are combined by interpolation, so that a value never becomes part of the text.
///
/// ```swift
/// let condition: SQLQuery = "\(name: "name") = \(value: .text(name))"
/// condition.sql                                // "name" = ?
/// condition.sql(for: PostgreSQLDialect())      // "name" = $1
/// condition.bindings                           // [.text("…")]
/// ```
public struct SQLQuery: Sendable {
    /// The text, with a `?` for each parameter.
    public private(set) var sql = ""
    private var parameters: [Parameter] = []

    private struct Parameter: Hashable, Sendable {
        var offset: Int
        let value: PropertyValue
    }

    /// Creates a query from trusted SQL text.
    ///
    /// - Parameter sql: The text. It contains no values from outside the program.
    public init(raw sql: String) { self.sql = sql }

    /// Creates a list of parameters: `?, ?, ?`.
    ///
    /// - Parameter values: The values of the parameters.
    public init(values: [PropertyValue]) {
        sql = repeatElement("?", count: values.count).joined(separator: ", ")
        parameters = values.enumerated().map { Parameter(offset: $0.offset * 3, value: $0.element) }
    }

    /// Creates a list of rows of parameters: `(?, ?), (?, ?)`.
    ///
    /// - Parameter rows: The values of each row, the same number in each.
    public init(rows: some Collection<[PropertyValue]>) {
        guard let first = rows.first else { return }
        let row = "(\(repeatElement("?", count: first.count).joined(separator: ", ")))"
        // Faster than `joined` for hundreds of rows.
        sql = row + String(repeating: ", " + row, count: rows.count - 1)
        parameters.reserveCapacity(rows.count * first.count)
        var start = 1
        for values in rows {
            for (index, value) in values.enumerated() {
                parameters.append(Parameter(offset: start + index * 3, value: value))
            }
            start += row.utf8.count + 2
        }
    }

    /// The value of each parameter, in the order of the text. References represent their integer primary keys.
    public var bindings: [PropertyValue] { parameters.map(\.value) }

    /// Returns the text with the parameters of a dialect.
    ///
    /// - Parameter dialect: The dialect of the database.
    /// - Returns: The text, whose parameters are numbered from 1.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public func sql(for dialect: some SQLDialect) -> String {
        var result = ""
        result.reserveCapacity(sql.utf8.count + parameters.count * 3)
        var start = sql.startIndex
        for (index, parameter) in parameters.enumerated() {
            let end = sql.utf8.index(sql.startIndex, offsetBy: parameter.offset)
            result += sql[start..<end]
            result += dialect.parameter(index + 1)
            start = sql.utf8.index(after: end)
        }
        return result + sql[start...]
    }

    /// Appends another part.
    ///
    /// - Parameter part: The part to append.
    public mutating func append(_ part: SQLQuery) {
        if sql.isEmpty, parameters.isEmpty {
            self = part
            return
        }
        let start = sql.utf8.count
        sql += part.sql
        if part.parameters.isEmpty { return }
        for parameter in part.parameters {
            parameters.append(Parameter(offset: start + parameter.offset, value: parameter.value))
        }
    }
}

extension SQLQuery: Hashable {
    public static func == (lhs: SQLQuery, rhs: SQLQuery) -> Bool {
        lhs.sql == rhs.sql && lhs.parameters == rhs.parameters
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(sql)
        hasher.combine(parameters)
    }
}

extension SQLQuery: ExpressibleByStringInterpolation {
    public init(stringLiteral sql: String) { self.init(raw: sql) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.query }

    /// The parts of an interpolated query: other queries, values, names and trusted text.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var query = SQLQuery(raw: "")

        public init(literalCapacity: Int, interpolationCount: Int) {
            query.sql.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        public mutating func appendLiteral(_ literal: String) { query.sql += literal }

        /// Appends another query: `\(condition)`.
        ///
        /// - Parameter part: The query to append.
        public mutating func appendInterpolation(_ part: SQLQuery) { query.append(part) }

        /// Appends a parameter: `\(value: .integer(7))`.
        ///
        /// - Parameter value: The value of the parameter.
        public mutating func appendInterpolation(value: PropertyValue) {
            query.parameters.append(Parameter(offset: query.sql.utf8.count, value: value))
            query.sql += "?"
        }

        /// Appends an identifier in double quotes, as standard SQL quotes it: `\(name: "Trip")`.
        ///
        /// - Parameter name: The name of a table or a column.
        public mutating func appendInterpolation(name: String) { query.sql += SQLQuery.quoted(name) }

        /// Appends trusted SQL text: `\(raw: alias)`.
        ///
        /// - Parameter sql: The text. It contains no values from outside the program.
        public mutating func appendInterpolation(raw sql: String) { query.sql += sql }
    }

    package static func quoted(_ name: String) -> String { enclosed(name, in: "\"") }

    /// Returns a text in single quotes, as a literal of standard SQL.
    package static func literal(_ text: String) -> String { enclosed(text, in: "'") }

    /// Doubles the marks in a text, also those before a combining character, with which they are one `Character`.
    private static func enclosed(_ text: String, in mark: Unicode.Scalar) -> String {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { !$0.contains(UInt8(ascii: mark)) }
        var enclosed = String(mark)
        if isPlain == true {
            enclosed += text
        } else {
            for scalar in text.unicodeScalars {
                if scalar == mark { enclosed.unicodeScalars.append(scalar) }
                enclosed.unicodeScalars.append(scalar)
            }
        }
        enclosed.unicodeScalars.append(mark)
        return enclosed
    }
}

extension SQLQuery {
    /// Operands that are repeated with their nested operands may let the length grow exponentially. Throws
    /// `unsupportedPredicate`.
    func requireReasonableLength() throws {
        guard sql.utf8.count > Self.maximumLength else { return }
        throw SwiftDataError.unsupportedPredicate.with(
            detail:
                "the predicate exceeds \(Self.maximumLength) bytes of SQL; reduce its nesting or fetch in several steps"
        )
    }

    private static let maximumLength = 10_000_000
}

extension Array<SQLQuery> {
    /// Returns the terms combined by AND or OR.
    ///
    /// `a AND b AND c` is `(a AND b) AND c`, and SQLite limits the depth of expressions to 1,000
    /// (https://www.sqlite.org/limits.html#max_expr_depth). Parentheses reduce the depth of long chains.
    ///
    /// - Parameter operation: ` AND ` or ` OR `.
    /// - Returns: The combined terms, without parentheses around them.
    public func chained(_ operation: SQLQuery) -> SQLQuery {
        guard count > Self.longestChain else { return joined(operation) }
        let length = (count + Self.longestChain - 1) / Self.longestChain
        return stride(from: 0, to: count, by: length).map { start -> SQLQuery in
            "(\(Array(self[start..<Swift.min(start + length, count)]).chained(operation)))"
        }.joined(operation)
    }

    private static var longestChain: Int { 32 }
}

extension Sequence<SQLQuery> {
    /// Returns the parts with a separator between them.
    ///
    /// - Parameter separator: The text between two parts.
    /// - Returns: The combined parts.
    public func joined(_ separator: SQLQuery) -> SQLQuery {
        var result = SQLQuery(raw: "")
        for (index, part) in enumerated() {
            if index > 0 { result.append(separator) }
            result.append(part)
        }
        return result
    }
}
