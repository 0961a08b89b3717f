import ChronicleCore
import ChronicleSQL
import ChronicleSQLite

/// SQL functions for predicate operators that SQLite does not provide.
enum PredicateFunctions {
    static let all = [contains, count, real, integer, reciprocal, json, elements, checked, missing, interrupted]

    static func contains(_ text: SQLQuery, _ part: SQLQuery) -> SQLQuery {
        "\(raw: contains.name)(\(text), \(part))"
    }

    private static let contains = SQLFunction("chronicle_contains", argumentCount: 2) { call in
        guard let search = call.prepared(1, { PreparedSearch(String(decoding: $0, as: UTF8.self)) }) else { return nil }
        return call.text(0).map { .integer(search.text.isFound(in: $0) ? 1 : 0) }
    }

    /// SQLite keeps the search between rows.
    private final class PreparedSearch {
        let text: TextSearch

        init(_ text: String) { self.text = TextSearch(text) }
    }

    static func count(_ text: SQLQuery) -> SQLQuery { "\(raw: count.name)(\(text))" }

    private static let count = SQLFunction("chronicle_count", argumentCount: 1) { call in
        call.text(0).map { utf8 in
            // ASCII without carriage returns has one character per byte; CR LF is a single character.
            let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\r") }
            return .integer(Int64(isPlain ? utf8.count : String(decoding: utf8, as: UTF8.self).count))
        }
    }

    /// SQLite does not convert every decimal number to the nearest real.
    static func real(bits: SQLQuery) -> SQLQuery { "\(raw: real.name)(\(bits))" }

    private static let real = SQLFunction("chronicle_real", argumentCount: 1) { call in
        .real(Double(bitPattern: UInt64(bitPattern: call.integer(0))))
    }

    /// NULL for an overflow, which SQLite converts to REAL.
    static func integer(result: SQLQuery) -> SQLQuery { "\(raw: integer.name)(\(result))" }

    private static let integer = SQLFunction("chronicle_integer", argumentCount: 1) { call in
        call.isInteger(0) ? .integer(call.integer(0)) : nil
    }

    /// The reciprocal of a zero, an infinity with its sign, where SQLite returns NULL.
    static func reciprocal(of zero: SQLQuery) -> SQLQuery { "\(raw: reciprocal.name)(\(zero))" }

    private static let reciprocal = SQLFunction("chronicle_reciprocal", argumentCount: 1) { call in
        .real(1 / call.real(0))
    }

    /// Ends the statement with an error if an integer is outside of a range, because a calculation overflowed or divided by
    /// zero.
    static func checked(
        _ value: SQLQuery, _ range: ClosedRange<Int64>, of propertyName: String, isOptional: Bool
    ) -> SQLQuery {
        """
        \(raw: checked.name)(\(value), \(value: .integer(range.lowerBound)), \(value: .integer(range.upperBound)), \
        \(raw: isOptional ? "1" : "0"), \(value: .text(propertyName)))
        """
    }

    private static let outOfRange = "out of range: "

    /// Returns the name of the property in an error of ``checked(_:_:of:isOptional:)``, or `nil` for other errors.
    static func propertyOutOfRange(_ message: String) -> String? {
        message.hasPrefix(outOfRange) ? String(message.dropFirst(outOfRange.count)) : nil
    }

    private static let checked = SQLFunction("chronicle_checked", argumentCount: 5) { call in
        let isNull = call.isNull(0)
        if isNull, call.integer(3) != 0 { return nil }
        if !isNull, call.isInteger(0), (call.integer(1)...call.integer(2)).contains(call.integer(0)) {
            return .integer(call.integer(0))
        }
        let name = call.text(4).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return .error(outOfRange + name)
    }

    /// Ends the statement with an error because the value of a property as of a position is unknown, or collects it in
    /// ``MissingValues``.
    static func missing(_ property: String, of entity: String, key: String) -> String {
        "\(missing.name)(\(key), \(RecorderSQL.literal(entity)), \(RecorderSQL.literal(property)))"
    }

    private static let missingValue = "missing value: "
    /// Names contain spaces.
    private static let separator = "\u{1F}"

    /// Returns the names and the key in an error of ``missing(_:of:key:)``, or `nil` for other errors.
    static func missingValue(_ message: String) -> (entity: String, property: String, key: Int64)? {
        guard message.hasPrefix(missingValue) else { return nil }
        let parts = message.dropFirst(missingValue.count)
            .split(separator: separator, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let key = Int64(parts[0]) else { return nil }
        return (String(parts[1]), String(parts[2]), key)
    }

    /// Ends the statement with an error because the recording of a table is interrupted, also if unknown values are replaced.
    static func interrupted(_ table: String) -> String { "\(interrupted.name)(\(RecorderSQL.literal(table)))" }

    private static let interruptedTable = "interrupted table: "

    /// Returns the name of the table in an error of ``interrupted(_:)``, or `nil` for other errors.
    static func interruptedTable(_ message: String) -> String? {
        message.hasPrefix(interruptedTable) ? String(message.dropFirst(interruptedTable.count)) : nil
    }

    private static let interrupted = SQLFunction("chronicle_interrupted", argumentCount: 1) { call in
        .error(interruptedTable + (call.text(0).map { String(decoding: $0, as: UTF8.self) } ?? ""))
    }

    private static let missing = SQLFunction("chronicle_missing", argumentCount: 3) { call in
        let entity = call.text(1).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let property = call.text(2).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let missing = MissingValues.current {
            missing.insert(property, key: call.integer(0))
            return .integer(0)
        }
        return .error(missingValue + ["\(call.integer(0))", entity, property].joined(separator: separator))
    }
}
