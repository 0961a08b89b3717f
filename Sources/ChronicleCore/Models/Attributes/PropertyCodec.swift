import Foundation

/// The encoding of values of one Swift type.
///
/// All encodings are lossless and also available for optionals, whose `nil` is stored as ``PropertyValue/null``:
///
/// | Swift | stored as |
/// | --- | --- |
/// | `Bool` | integer 0 or 1 |
/// | integers of every width | integer; a value beyond 64 bits signed throws an error at save |
/// | `Double`, `Float` | real; the bits of a NaN are preserved |
/// | `String` | text with exactly these Unicode scalars |
/// | `Date` | real, seconds since 2001-01-01 00:00:00 UTC |
/// | `Data` | blob |
/// | `UUID` | blob of 16 bytes |
/// | `URL` | text; a URL with a base URL is stored as JSON |
/// | `Decimal` | text |
/// | `RawRepresentable` | as its raw value |
/// | other `Codable` types, arrays, dictionaries | text: JSON with sorted keys, exact numbers, and `Data` as base64 |
///
/// `@unchecked Sendable`: the two functions capture only types and other codecs, which are immutable.
final class PropertyCodec<Value>: @unchecked Sendable {
    let storage: Schema.Attribute.Storage
    let check: PropertyCheck
    let encode: (Value) throws -> PropertyValue
    /// Returns `nil` when the stored value cannot be decoded as this type.
    let decode: (PropertyValue) -> Value?

    init(
        _ storage: Schema.Attribute.Storage, _ check: PropertyCheck,
        encode: @escaping (Value) throws -> PropertyValue, decode: @escaping (PropertyValue) -> Value?
    ) {
        self.storage = storage
        self.check = check
        self.encode = encode
        self.decode = decode
    }
}

/// A test whether a stored value can be decoded, without decoding it where the storage class is sufficient.
enum PropertyCheck: Sendable {
    case integer(ClosedRange<Int64>)
    case real
    case text
    case blob
    /// The value has to be decoded. The result is kept for the first read of the property.
    case decoding

    @inline(__always)
    func accepts(_ value: PropertyValue) -> Bool? {
        switch (self, value) {
        case (.integer(let range), .integer(let value)): range.contains(value)
        case (.real, .real), (.real, .integer), (.text, .text), (.blob, .blob): true
        case (.decoding, _): nil
        default: false
        }
    }
}

protocol AnyPropertyCodec: AnyObject, Sendable {
    var storage: Schema.Attribute.Storage { get }
    var check: PropertyCheck { get }
    var valueType: Any.Type { get }
    var isOptional: Bool { get }
    func decodeAny(_ value: PropertyValue) -> Any?
    /// Returns why a value cannot be decoded, without the value, or `nil` if only its type is known.
    func decodingFailure(_ value: PropertyValue) -> String?
    /// Returns whether a value that is not null can be decoded.
    func isStoredForm(_ value: PropertyValue) -> Bool
    func sample() -> Any?
    func encodeAny(_ value: Any) throws -> PropertyValue?
    /// Returns the codec for optionals of the type, which is not an optional itself.
    func makeOptional() -> any AnyPropertyCodec
}

extension AnyPropertyCodec {
    func decodingFailure(_ value: PropertyValue) -> String? { nil }

    func isStoredForm(_ value: PropertyValue) -> Bool { check.accepts(value) ?? (decodeAny(value) != nil) }
}

extension PropertyCodec: AnyPropertyCodec {
    var valueType: Any.Type { Value.self }
    var isOptional: Bool { Value.self is any OptionalValue.Type }

    func decodeAny(_ value: PropertyValue) -> Any? { decode(value) }

    func decodingFailure(_ value: PropertyValue) -> String? {
        guard storage == .json, let type = unwrapped(Value.self) as? any Decodable.Type else { return nil }
        switch value {
        case .text(let text): return JSONCoding.failure(type, Data(text.utf8))
        case .blob(let data): return JSONCoding.failure(type, data)
        default: return nil
        }
    }

    func sample() -> Any? {
        let simple: [PropertyValue] = [
            .null, .integer(0), .real(0), .text(""), .blob(Data()), .blob(Data(count: 16)), .text("0"), .text("{}"),
        ]
        return simple.lazy.compactMap(decode).first ?? (Value.self as? any CaseIterable.Type)?.firstCase
    }

    func encodeAny(_ value: Any) throws -> PropertyValue? {
        try (value as? Value).map(encode)
    }

    func makeOptional() -> any AnyPropertyCodec {
        let codec = self
        return PropertyCodec<Value?>(
            storage, check,
            encode: { try $0.map(codec.encode) ?? .null },
            decode: { value in
                if case .null = value { return .some(nil) }
                return codec.decode(value).map { .some($0) }
            })
    }
}

protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    static func optionalCodec() -> (any AnyPropertyCodec)?
    var wrapped: Any? { get }
}

func unwrapped(_ type: any Any.Type) -> any Any.Type {
    (type as? any OptionalValue.Type)?.wrappedType ?? type
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var wrapped: Any? { self }

    static func optionalCodec() -> (any AnyPropertyCodec)? {
        // `T??` has two distinct nil values, but a store has only one.
        guard !(Wrapped.self is any OptionalValue.Type) else { return nil }
        return PropertyCodecs.codec(Wrapped.self)?.makeOptional()
    }
}

extension CaseIterable {
    fileprivate static var firstCase: Any? { allCases.first }
}

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
