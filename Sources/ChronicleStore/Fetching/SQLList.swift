import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import Foundation

/// A list after IN. SQLite limits the number of parameters (https://www.sqlite.org/limits.html#max_variable_number), and
/// each length requires preparing another statement, so long lists are passed as one JSON parameter; values that JSON
/// cannot represent exactly are encoded differently.
struct SQLList {
    private let values: [PropertyValue]

    /// The longest list of parameters if the values can be JSON.
    static let longest = 200
    /// The longest list of parameters otherwise.
    static let longestWithoutJSON = 10_000

    init(_ values: [PropertyValue]) { self.values = values }

    /// `nil` if the list is empty.
    func found(_ operand: SQLOperand) -> SQLQuery? {
        guard !values.isEmpty else { return nil }
        guard values.count > Self.longest else { return Self.parameters(values, operand) }
        let reals = values.compactMap { if case .real(let number) = $0 { number } else { nil } }
        if reals.count == values.count { return Self.bits(reals, operand) }
        let plain = values.filter(\.isPlainJSON)
        let others = values.filter { !$0.isPlainJSON }
        let parts = [
            plain.isEmpty ? nil : Self.json(plain.map(\.json), operand.sql),
            others.isEmpty ? nil : Self.exact(others, operand),
        ].compactMap { $0 }
        return parts.count == 1 ? parts[0] : "(\(parts.joined(" OR ")))"
    }

    private static func parameters(_ values: [PropertyValue], _ operand: SQLOperand) -> SQLQuery {
        "\(operand.sql) IN (\(SQLQuery(values: values)))"
    }

    private static func json(_ elements: [String], _ operand: SQLQuery) -> SQLQuery {
        let array = "[\(elements.joined(separator: ","))]"
        return "\(operand) IN (SELECT value FROM json_each(\(value: .text(array))))"
    }

    /// Compares blobs, and texts with a NUL character, at which SQLite's JSON would end. Hexadecimal encoding requires a
    /// scan of the table.
    private static func exact(_ values: [PropertyValue], _ operand: SQLOperand) -> SQLQuery {
        guard values.count > longestWithoutJSON else { return parameters(values, operand) }
        return json(values.map { "\"\($0.hexadecimal)\"" }, "hex(\(operand.sql))")
    }

    private static func bits(_ numbers: [Double], _ operand: SQLOperand) -> SQLQuery {
        // Sorted, so that SQLite only appends to the temporary table of the list.
        let bits = numbers.sorted().map { String(Int64(bitPattern: $0.bitPattern)) }
        let array = "[\(bits.joined(separator: ","))]"
        return """
            \(operand.sql) IN (SELECT \(PredicateFunctions.real(bits: "value")) FROM json_each(\(value: .text(array))))
            """
    }
}

extension PropertyValue {
    fileprivate var isPlainJSON: Bool {
        switch self {
        case .integer: true
        case .text(let text): !text.utf8.contains(0)
        default: false
        }
    }

    fileprivate var json: String {
        switch self {
        case .integer(let integer): return String(integer)
        case .text(let text): return text.jsonString
        default: return "null"
        }
    }

    fileprivate var hexadecimal: String {
        switch self {
        case .text(let text): Data(text.utf8).hexadecimal
        case .blob(let data): data.hexadecimal
        default: ""
        }
    }
}

extension Data {
    /// The digits in the format of SQLite's hex().
    fileprivate var hexadecimal: String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
