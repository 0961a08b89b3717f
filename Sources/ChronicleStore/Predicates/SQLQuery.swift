import ChronicleCore

/// A statement, or a part of one, with the values of its parameters in order.
///
/// Parts are put together by interpolation, which keeps text and values apart: there is no way to get a value into the
/// text.
///
///     let condition: SQLQuery = "\(column) = \(value: .text(name))"   // "t"."name" = ?
struct SQLQuery: Hashable, Sendable {
    private(set) var sql = ""
    /// A value for each `?`. References stand for their integer primary keys.
    private(set) var bindings: [PropertyValue] = []

    /// Text of the program's own.
    init(raw sql: String) { self.sql = sql }
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

        mutating func appendInterpolation(_ part: SQLQuery) {
            query.sql += part.sql
            query.bindings += part.bindings
        }

        mutating func appendInterpolation(value: PropertyValue) {
            query.sql += "?"
            query.bindings.append(value)
        }

        mutating func appendInterpolation(name: String) { query.sql += quoted(name) }

        /// Text of the program's own.
        mutating func appendInterpolation(raw sql: String) { query.sql += sql }
    }
}

extension Sequence<SQLQuery> {
    func joined(_ separator: String) -> SQLQuery {
        var result = SQLQuery(raw: "")
        for part in self {
            result = result.sql.isEmpty ? part : "\(result)\(raw: separator)\(part)"
        }
        return result
    }
}
