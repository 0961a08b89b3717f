import Chronicle
import Foundation

/// Objects keep the order of their keys.
enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member: Sendable, Equatable {
        let name: String
        let value: JSON
    }

    /// Omits the members that are `nil`.
    static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    static func count(_ count: Int) -> JSON { .integer(Int64(count)) }

    /// The text contains no line breaks, and no characters that a terminal may interpret.
    var text: String {
        var bytes = JSONBytes(isInScript: false)
        write(to: &bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    private func write(to json: inout JSONBytes) {
        switch self {
        case .null: json.append(raw: "null")
        case .bool(let value): json.append(raw: value ? "true" : "false")
        case .integer(let value): json.append(value)
        case .number(let value): json.append(value)
        case .string(let value): json.append(value)
        case .array(let elements):
            json.append(raw: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { json.append(raw: ",") }
                element.write(to: &json)
            }
            json.append(raw: "]")
        case .object(let members):
            json.append(raw: "{")
            for (index, member) in members.enumerated() {
                if index > 0 { json.append(raw: ",") }
                json.append(member.name)
                json.append(raw: ":")
                member.value.write(to: &json)
            }
            json.append(raw: "}")
        }
    }
}

extension JSON: Decodable {
    /// Reads a value. The members of objects are in alphabetical order.
    init(from decoder: any Decoder) throws {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        if let object = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                try object.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                    Member(name: $0.stringValue, value: try object.decode(JSON.self, forKey: $0))
                })
            return
        }
        if var array = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !array.isAtEnd { elements.append(try array.decode(JSON.self)) }
            self = .array(elements)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .bool(flag)
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else {
            let number = try value.decode(Double.self)
            // A number with more digits, such as a large `UInt64` or a `Decimal`. Those outside the range of `Decimal` are doubles.
            if let exact = try? value.decode(Decimal.self), exact != Decimal(string: "\(number)") {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "the number has more digits")
            }
            self = .number(number)
        }
    }
}
