import Chronicle
import Foundation
import Synchronization

/// The text form of a primary key of a tracked table: an SQL literal, or several in parentheses.
///
/// | key | text |
/// | --- | --- |
/// | integer | `7` |
/// | text | `'anna'` |
/// | several columns | `(1,'x')` |
/// | binary data | `x'00ff'` |
enum PrimaryKeyText {
    static func text(_ values: [PropertyValue]) -> String {
        let literals = values.map(literal)
        return literals.count == 1 ? literals[0] : "(\(literals.joined(separator: ",")))"
    }

    private static func literal(_ value: PropertyValue) -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let integer): return String(integer)
        case .real(let real): return "\(real)"
        case .text(let text): return "'\(text.replacing("'", with: "''"))'"
        case .blob(let data):
            let digits = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            return "x'\(digits.joined())'"
        case .reference(let model): return model.description
        case .references(let models): return models.map(\.description).joined(separator: ",")
        }
    }

    /// `nil` if the text is invalid.
    static func values(_ text: some StringProtocol) -> [PropertyValue]? {
        var rest = Substring(text)
        guard rest.first == "(" else { return value(&rest).flatMap { rest.isEmpty ? [$0] : nil } }
        rest.removeFirst()
        var values: [PropertyValue] = []
        while true {
            skipSpaces(&rest)
            guard let next = value(&rest) else { return nil }
            values.append(next)
            skipSpaces(&rest)
            switch rest.popFirst() {
            case ",": continue
            case ")": return rest.isEmpty ? values : nil
            default: return nil
            }
        }
    }

    private static func skipSpaces(_ text: inout Substring) { text = text.drop { $0 == " " } }

    private static func value(_ text: inout Substring) -> PropertyValue? {
        if text.first == "'" { return quoted(&text).map(PropertyValue.text) }
        if text.hasPrefix("x'") || text.hasPrefix("X'") {
            text.removeFirst()
            return quoted(&text).flatMap(data).map(PropertyValue.blob)
        }
        let word = text.prefix { $0 != "," && $0 != ")" && $0 != " " }
        text = text.dropFirst(word.count)
        return Int64(word).map(PropertyValue.integer) ?? Double(word).map(PropertyValue.real)
    }

    /// Two quotation marks denote one.
    private static func quoted(_ text: inout Substring) -> String? {
        text.removeFirst()
        var result = ""
        while let character = text.popFirst() {
            if character != "'" {
                result.append(character)
            } else if text.first == "'" {
                text.removeFirst()
                result.append("'")
            } else {
                return result
            }
        }
        return nil
    }

    private static func data(_ digits: String) -> Data? {
        guard digits.utf8.count.isMultiple(of: 2) else { return nil }
        var data = Data()
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            data.append(byte)
            rest = rest.dropFirst(2)
        }
        return data
    }
}

/// Keeps the keys that were read.
final class PrimaryKeyCache: Sendable {
    private let texts = Mutex<[PersistentIdentifier: String]>([:])

    private static let limit = 10_000

    func text(of identifier: PersistentIdentifier, _ read: () throws -> String) rethrows -> String {
        if let known = texts.withLock({ $0[identifier] }) { return known }
        let text = try read()
        texts.withLock {
            if $0.count >= Self.limit { $0.removeAll(keepingCapacity: true) }
            $0[identifier] = text
        }
        return text
    }
}
