import Foundation

/// The form of a value inside the JSON of a `Codable` attribute.
///
/// An attribute of the same type has a form of its own, ``PropertyValue``. To compare a member with a captured value, a
/// store converts the JSON to that form.
public enum JSONForm: Sendable {
    /// A string, which is stored as text.
    case text
    /// `true`, `false`, or an integer of at most 64 bits, which is stored as an integer.
    case integer
    /// A number, or one of the strings `Infinity`, `-Infinity` and `NaN`, which is stored as a real.
    case real
    /// Like ``real``, with the precision of `Float`.
    case float
    /// A number that is stored as the text of a `Decimal`.
    case decimal
    /// A string that is stored as the 16 bytes of a `UUID`.
    case uuid
    /// A Base64 string that is stored as a blob.
    case data
    /// An object or an array, which is stored as its JSON text.
    case json
}

extension JSONForm {
    /// Creates the form of the values of a type; `nil` for types that are not `Codable` and for integers whose values
    /// may exceed 64 bits.
    init?(_ type: any Any.Type) {
        switch type {
        case let type as any OptionalValue.Type: self.init(type.wrappedType)
        case is String.Type, is URL.Type: self = .text
        case is UInt.Type, is UInt64.Type, is Int128.Type, is UInt128.Type: return nil
        case is Bool.Type, is any FixedWidthInteger.Type: self = .integer
        case is Double.Type, is Date.Type: self = .real
        case is Float.Type: self = .float
        case is Decimal.Type: self = .decimal
        case is UUID.Type: self = .uuid
        case is Data.Type: self = .data
        case let type as any RawRepresentable.Type where PropertyCodecs.codec(of: type)?.storage != .json:
            self.init(Self.rawType(type))
        case is any Codable.Type: self = .json
        default: return nil
        }
    }

    private static func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> any Any.Type { Raw.RawValue.self }
}

/// A collection whose values an attribute stores as a JSON array.
protocol ValueCollection {
    static var elementType: any Any.Type { get }
}

extension Array: ValueCollection {
    static var elementType: any Any.Type { Element.self }
}

extension ContiguousArray: ValueCollection {
    static var elementType: any Any.Type { Element.self }
}

extension Set: ValueCollection {
    static var elementType: any Any.Type { Element.self }
}

/// A type, or the type that it is the optional of.
func unwrapped(_ type: any Any.Type) -> any Any.Type {
    (type as? any OptionalValue.Type)?.wrappedType ?? type
}

/// Parsed JSON, to compare encodings independently of their format.
indirect enum JSONFragment: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONFragment])
    case object([String: JSONFragment])
}

extension JSONFragment: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONFragment].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONFragment].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Whether the fragment is a value of a form.
    func has(_ form: JSONForm) -> Bool {
        switch (self, form) {
        case (.string, .text), (.string, .uuid), (.string, .data), (.number, .real), (.number, .float),
            (.number, .decimal), (.number, .integer), (.bool, .integer), (.array, .json), (.object, .json):
            true
        default: false
        }
    }
}
