import Foundation

/// The form of a value inside the JSON of a `Codable` attribute, which a store converts to a ``PropertyValue`` to compare it.
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
    /// `nil` for types that are not `Codable` and for integers whose values may exceed 64 bits.
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
