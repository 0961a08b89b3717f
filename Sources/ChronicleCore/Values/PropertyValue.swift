public import Foundation

/// The value of one stored property as it travels between a model and a store.
///
/// A model's property has a Swift type; a store has its own. Between them stand these seven forms, which every
/// attribute type is encoded into without loss (see ``Schema/Attribute`` for the encoding of each type) and which a
/// store must keep apart: `.integer(1)`, `.real(1)` and `.text("1")` are three values.
@frozen
public enum PropertyValue: Sendable {
    /// No value: an optional attribute that is `nil`, or a to-one relationship without a destination.
    case null
    case integer(Int64)
    /// Bit-exact: negative zero, infinities and NaN payloads survive.
    case real(Double)
    /// May be empty and may contain NUL characters.
    case text(String)
    case blob(Data)
    /// The destination of a to-one relationship.
    case reference(PersistentIdentifier)
    /// The destinations of a to-many relationship, for stores that keep them with their owner.
    case references([PersistentIdentifier])
}

extension PropertyValue: Hashable {
    /// Reals are equal when their bits are, so that a NaN equals itself and `0.0` differs from `-0.0`: what matters here
    /// is whether something would be written, not how numbers compare.
    public static func == (lhs: PropertyValue, rhs: PropertyValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        // Swift's == on strings is canonical equivalence ("é" == "e\u{301}"); a store keeps the exact scalars.
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
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
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        case .blob(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .references(let value): hasher.combine(value)
        }
    }
}

extension PropertyValue {
    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The content as it is, for values whose property nobody knows any more: `nil` for ``null``.
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

    /// The form without its content, for messages: values are never printed unless asked for.
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
        // As bits: JSON has no NaN, no infinities and no negative zero.
        case .real: self = .real(Double(bitPattern: try container.decode(UInt64.self)))
        case .text: self = .text(try container.decode(String.self))
        case .blob: self = .blob(try container.decode(Data.self))
        case .reference: self = .reference(try container.decode(PersistentIdentifier.self))
        case .references: self = .references(try container.decode([PersistentIdentifier].self))
        }
    }

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
