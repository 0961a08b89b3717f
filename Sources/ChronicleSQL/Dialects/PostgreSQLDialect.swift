public import ChronicleCore
import Foundation

/// The SQL of PostgreSQL 14 and later, in a database with the encoding UTF8.
///
/// The columns have the types of ``columnType(of:)``. A store that uses the dialect must
///
/// - bind integers as `bigint`, reals as `double precision`, blobs as `bytea`, and texts without a type (the type
///   number 0 in libpq), so that the server can use a list, which is a text such as `{1,2,3}`, as an array;
/// - reject texts that contain U+0000, and JSON texts that contain `\u0000`, because PostgreSQL supports neither;
/// - create indexes on optional attributes with `NULLS FIRST`, so that they have the order of ``order(_:isDescending:)``.
///
/// `localizedStandardContains` and the number of characters in a text are not supported: PostgreSQL's functions differ from
/// Swift's.
public struct PostgreSQLDialect: SQLDialect {
    /// The name of the PostgreSQL schema that contains the tables, or `nil` for those in the search path.
    public var schemaName: String?

    /// Creates a dialect.
    ///
    /// - Parameter schemaName: The PostgreSQL schema with the tables, or `nil` for those in the search path.
    public init(schemaName: String? = nil) { self.schemaName = schemaName }

    /// Returns the type of the column of a property.
    ///
    /// - Parameter property: An attribute or a to-one relationship.
    /// - Returns: The type, with its collation for texts.
    public func columnType(of property: Schema.Property) -> String {
        switch SQLType(property) {
        case .real: "double precision"
        case .text, .decimal: "text COLLATE \"C\""
        case .blob: "bytea"
        case .integer, .null: "bigint"
        }
    }

    public func table(_ name: String) -> String {
        schemaName.map { "\(quoted($0)).\(quoted(name))" } ?? quoted(name)
    }

    public func parameter(_ number: Int) -> String { "$\(number)" }

    // PostgreSQL cannot infer the type of a parameter that is compared with NULL.
    public func constant(_ value: PropertyValue) -> SQLQuery {
        switch value {
        case .integer, .reference: "\(value: value)::bigint"
        case .real: "\(value: value)::float8"
        case .text: "\(value: value)::text"
        case .blob: "\(value: value)::bytea"
        case .null, .references: "\(value: value)"
        }
    }

    public func canRepresent(_ value: PropertyValue) -> Bool {
        if case .text(let text) = value { !text.utf8.contains(0) } else { true }
    }

    public func limit(_ limit: Int64?, offset: Int64?) -> SQLQuery {
        let limit: SQLQuery = limit.map { " LIMIT \(value: .integer($0))" } ?? ""
        return offset.map { "\(limit) OFFSET \(value: .integer($0))" } ?? limit
    }

    // PostgreSQL orders NULL after all values, unless the order is descending.
    public func order(_ value: SQLOperand, isDescending: Bool) -> SQLQuery {
        let term: SQLQuery = "\(collated(value))\(raw: isDescending ? " DESC" : "")"
        return value.isOptional ? "\(term) NULLS \(raw: isDescending ? "LAST" : "FIRST")" : term
    }

    // An aggregate of another schema for the type of the value would be preferred to the server's, which has none.
    public func count(_ value: SQLQuery) -> SQLQuery { "pg_catalog.count(\(value))" }

    // MARK: Conditions and values

    public var `true`: SQLQuery { "TRUE" }
    public var `false`: SQLQuery { "FALSE" }

    public func condition(_ value: SQLQuery) -> SQLQuery { "\(value) <> 0" }

    public func value(of condition: SQLQuery) -> SQLQuery { "(\(condition))::integer::bigint" }

    // MARK: Text

    /// The order of UTF-8's bytes is that of the scalars. Constants and members of JSON have the collation of the database.
    private func collated(_ value: SQLOperand) -> SQLQuery {
        value.type == .text ? "\(value.sql) COLLATE \"C\"" : value.sql
    }

    public func compare(_ first: SQLOperand, _ order: PredicateOrder, _ second: SQLOperand) -> SQLQuery {
        "\(first.sql) \(raw: order.rawValue) \(collated(second))"
    }

    public func contains(_ text: SQLOperand, _ part: SQLOperand) -> SQLQuery {
        // The empty text is found at 1.
        "strpos(\(text.sql), \(part.sql)) > 0"
    }

    public func starts(_ text: SQLOperand, with prefix: SQLOperand) -> SQLQuery {
        guard case .text(let known) = prefix.constant else { return "starts_with(\(text.sql), \(prefix.sql))" }
        let start: SQLQuery = "\(text.sql) >= \(collated(prefix))"
        // No text is greater than those that begin with the last scalar.
        guard let end = known.endOfPrefix else { return start }
        return "(\(start) AND \(text.sql) < \(constant(.text(end))) COLLATE \"C\")"
    }

    // MARK: Lists

    public func isOneOf(_ value: SQLOperand, _ list: [PropertyValue]) -> SQLQuery? {
        let elements = list.compactMap { element($0, value.type) }
        guard !elements.isEmpty, let type = arrayType(value.type) else { return nil }
        return isOneOf(value.sql, elements, type)
    }

    public func isOneOf(_ key: SQLQuery, keys: [Int64]) -> SQLQuery { isOneOf(key, keys.map(String.init), "bigint[]") }

    /// The list is a single parameter, so that a statement is prepared once for lists of any length.
    private func isOneOf(_ value: SQLQuery, _ elements: [String], _ type: String) -> SQLQuery {
        "\(value) = ANY(\(value: .text("{\(elements.joined(separator: ","))}"))::\(raw: type))"
    }

    private func arrayType(_ type: SQLType) -> String? {
        switch type {
        case .integer: "bigint[]"
        case .real: "double precision[]"
        case .text: "text[]"
        case .blob: "bytea[]"
        case .null, .decimal: nil
        }
    }

    /// Returns an element in the text of an array; `nil` if the value is of another type or cannot be stored.
    /// https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
    private func element(_ value: PropertyValue, _ type: SQLType) -> String? {
        switch (value, type) {
        case (.integer(let integer), .integer): return String(integer)
        case (.real(let real), .real): return "\(real)"
        case (.blob(let data), .blob):
            let digits = Array("0123456789abcdef".utf8)
            let hexadecimal = data.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return "\"\\\\x\(String(decoding: hexadecimal, as: UTF8.self))\""
        case (.text(let text), .text) where canRepresent(value):
            var quoted = "\""
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
            return quoted + "\""
        default: return nil
        }
    }
}
