public import Foundation

/// The stored value of one property, as models and stores exchange it.
///
/// Every attribute type is encoded into one of these forms without loss. A store must preserve the form: `.integer(1)`, `.real(1)`
/// and `.text("1")` are different values.
@frozen
public enum PropertyValue: Sendable {
    /// No value: an optional attribute that is `nil`, or a to-one relationship without a destination.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number, which a store has to preserve bit by bit, including negative zero, infinities and NaN payloads.
    case real(Double)
    /// A string, which can be empty and can contain NUL characters.
    case text(String)
    /// Binary data.
    case blob(Data)
    /// The destination of a to-one relationship.
    case reference(PersistentIdentifier)
    /// The destinations of a to-many relationship, for stores that save them with the model that references them.
    case references([PersistentIdentifier])
}

extension PropertyValue: Hashable {
    /// Compares reals by their bits, so that a NaN equals itself and `0.0` differs from `-0.0`, and strings by their UTF-8 bytes.
    public static func == (lhs: PropertyValue, rhs: PropertyValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        // `String` compares by canonical equivalence ("é" == "e\u{301}"), but a store keeps the exact scalars.
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        case (.blob(let a), .blob(let b)): a == b
        case (.reference(let a), .reference(let b)): a == b
        case (.references(let a), .references(let b)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .blob(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .references(let value): hasher.combine(value)
        }
    }
}

extension PropertyValue {
    /// Whether the value is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The associated value, or `nil` for ``null``, for properties that are no longer in the schema.
    public var plainValue: (any Sendable)? {
        switch self {
        case .null: nil
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .blob(let value): value
        case .reference(let value): value
        case .references(let value): value
        }
    }

    /// Returns `nil` for a value of another type.
    init?(plainValue: Any) {
        switch plainValue {
        case let value as Int64: self = .integer(value)
        case let value as Double: self = .real(value)
        case let value as String: self = .text(value)
        case let value as Data: self = .blob(value)
        default: return nil
        }
    }

    var formBit: UInt8 {
        switch self {
        case .null: 1
        case .integer: 2
        case .real: 4
        case .text: 8
        case .blob: 16
        case .reference: 32
        case .references: 64
        }
    }

    /// The name of the form without the value, for error messages that must not contain user data.
    public var formName: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .real: "a real"
        case .text: "text"
        case .blob: "a blob"
        case .reference: "a reference"
        case .references: "references"
        }
    }
}

extension PropertyValue: Codable {
    private enum Form: String, Codable {
        case null, integer, real, text, blob, reference, references
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        switch try container.decode(Form.self) {
        case .null: self = .null
        case .integer: self = .integer(try container.decode(Int64.self))
        // Encoded as bits, because JSON does not support NaN and infinities.
        case .real: self = .real(Double(bitPattern: try container.decode(UInt64.self)))
        case .text: self = .text(try container.decode(String.self))
        case .blob: self = .blob(try container.decode(Data.self))
        case .reference: self = .reference(try container.decode(PersistentIdentifier.self))
        case .references: self = .references(try container.decode([PersistentIdentifier].self))
        }
    }

    /// Encodes the value as an unkeyed container with the name of the form and the associated value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        switch self {
        case .null: try container.encode(Form.null)
        case .integer(let value): try container.encode(Form.integer); try container.encode(value)
        case .real(let value): try container.encode(Form.real); try container.encode(value.bitPattern)
        case .text(let value): try container.encode(Form.text); try container.encode(value)
        case .blob(let value): try container.encode(Form.blob); try container.encode(value)
        case .reference(let value): try container.encode(Form.reference); try container.encode(value)
        case .references(let value): try container.encode(Form.references); try container.encode(value)
        }
    }
}
