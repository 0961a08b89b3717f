import Chronicle
import Foundation

enum ValueText {
    /// Returns the value of a property as text without control characters. A property that is stored as JSON is shown so.
    static func text(_ value: (any Sendable)?, of property: Schema.Property?, _ console: Console) -> String {
        nested(value, of: property)?.text ?? text(value, console)
    }

    /// Returns the value of a property as JSON; see ``json(_:)``. A property that is stored as JSON is nested.
    static func json(_ value: (any Sendable)?, of property: Schema.Property?) -> JSON {
        nested(value, of: property) ?? json(value)
    }

    /// Returns the JSON that a property is stored as, or `nil` for another value or an invalid one.
    private static func nested(_ value: (any Sendable)?, of property: Schema.Property?) -> JSON? {
        guard property?.attribute?.isCodable == true, let text = value as? String else {
            return nil
        }
        // Another program can have written anything.
        return try? JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    }

    private static func text(_ value: (any Sendable)?, _ console: Console) -> String {
        switch value {
        case nil: "nil"
        case let value as String: value.quoted
        case let value as Date: console.text(value)
        case let value as Data:
            "<\(value.count) bytes\(value.isEmpty ? "" : " ")\(hexadecimal(value.prefix(16)))\(value.count > 16 ? "…" : "")>"
        case let value as PersistentIdentifier: value.description.escaped
        case let value as UndecodableValue: text(value.storedValue.plainValue, console)
        case let value as PropertyValue: text(value.plainValue, console)
        case let value as any FixedWidthInteger: "\(value)"
        case let value?: "\(value)".escaped
        }
    }

    /// Dates are texts in UTC, and what JSON cannot represent is an object with one member.
    static func json(_ value: (any Sendable)?) -> JSON {
        switch value {
        case nil: .null
        case let value as Bool: .bool(value)
        case let value as String: .string(value)
        case let value as Double: number(value)
        case let value as Float: number(Double(value))
        case let value as Date: .string(DateText.iso8601(value))
        case let value as Data: .members(["base64": .string(value.base64EncodedString())])
        case let value as PersistentIdentifier: .members(["model": .string(value.description)])
        case let value as UndecodableValue: json(value.storedValue.plainValue)
        case let value as PropertyValue: json(value.plainValue)
        case let value as any FixedWidthInteger: Int64(exactly: value).map(JSON.integer) ?? .string("\(value)")
        case let value?: .string("\(value)")
        }
    }

    /// JSON has no infinity, and the text "inf" is another value.
    private static func number(_ value: Double) -> JSON {
        value.isFinite
            ? .number(value) : .members(["number": .string(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")])
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
