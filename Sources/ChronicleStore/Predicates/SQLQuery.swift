import ChronicleCore

/// A statement, or a part of one, with the values of its parameters in order.
///
/// Parts are combined by interpolation, which keeps text and values apart, so that a value never becomes part of the
/// text.
///
///     let condition: SQLQuery = "\(column) = \(value: .text(name))"   // t."name" = ?
struct SQLQuery: Hashable, Sendable {
    private(set) var sql = ""
    /// A value for each `?`. References represent their integer primary keys.
    private(set) var bindings: [PropertyValue] = []

    /// Creates a query from trusted SQL text.
    init(raw sql: String) { self.sql = sql }

    /// Creates a list of parameters: `?, ?, ?`.
    init(values: [PropertyValue]) {
        sql = repeatElement("?", count: values.count).joined(separator: ", ")
        bindings = values
    }

    /// Creates a list of rows of parameters: `(?, ?), (?, ?)`.
    init(rows: some Collection<[PropertyValue]>) {
        guard let first = rows.first else { return }
        let row = "(\(repeatElement("?", count: first.count).joined(separator: ", ")))"
        // Faster than `joined` for hundreds of rows.
        sql = row + String(repeating: ", " + row, count: rows.count - 1)
        bindings.reserveCapacity(rows.count * first.count)
        for row in rows { bindings += row }
    }
}

extension SQLQuery: ExpressibleByStringInterpolation {
    init(stringLiteral sql: String) { self.init(raw: sql) }

    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.query }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var query = SQLQuery(raw: "")

        init(literalCapacity: Int, interpolationCount: Int) {
            query.sql.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        mutating func appendLiteral(_ literal: String) { query.sql += literal }

        mutating func appendInterpolation(_ part: SQLQuery) { query.append(part) }

        mutating func appendInterpolation(value: PropertyValue) {
            query.sql += "?"
            query.bindings.append(value)
        }

        mutating func appendInterpolation(name: String) { query.sql += quoted(name) }

        /// Appends trusted SQL text.
        mutating func appendInterpolation(raw sql: String) { query.sql += sql }
    }
}

extension SQLQuery {
    mutating func append(_ part: SQLQuery) {
        sql += part.sql
        bindings += part.bindings
    }
}

extension SQLQuery {
    /// Checks the length of the SQL. Some operands are repeated together with their nested operands, so that the length
    /// may grow exponentially with the nesting.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the SQL is too long.
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
    /// Combines the terms of an AND or an OR.
    ///
    /// SQLite parses `a AND b AND c` as `(a AND b) AND c` and limits the depth of expressions to 1,000
    /// (https://www.sqlite.org/limits.html#max_expr_depth). Parentheses reduce the depth of long chains.
    func chained(_ operation: SQLQuery) -> SQLQuery {
        guard count > Self.longestChain else { return joined(operation) }
        let length = (count + Self.longestChain - 1) / Self.longestChain
        return stride(from: 0, to: count, by: length).map { start -> SQLQuery in
            "(\(Array(self[start..<Swift.min(start + length, count)]).chained(operation)))"
        }.joined(operation)
    }

    private static var longestChain: Int { 32 }
}

extension Sequence<SQLQuery> {
    func joined(_ separator: SQLQuery) -> SQLQuery {
        var result = SQLQuery(raw: "")
        for (index, part) in enumerated() {
            if index > 0 { result.append(separator) }
            result.append(part)
        }
        return result
    }
}
