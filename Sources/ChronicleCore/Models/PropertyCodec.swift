import Foundation

/// How values of one Swift type are stored: the two directions, and what a store needs to know of the result.
///
/// Encodings (all lossless; every one also for optionals, `nil` being ``PropertyValue/null``):
///
/// | Swift | stored as |
/// | --- | --- |
/// | `Bool` | integer 0 or 1 |
/// | integers of every width | integer; beyond 64 bits signed is an error at save |
/// | `Double`, `Float` | real; NaN keeps its bits |
/// | `String` | text, exactly these scalars |
/// | `Date` | real, seconds since 2001-01-01 00:00:00 UTC |
/// | `Data` | blob |
/// | `UUID` | blob of 16 bytes |
/// | `URL` | text; a URL relative to another is stored as its JSON |
/// | `Decimal` | text |
/// | `RawRepresentable` | as its raw value |
/// | other `Codable`, arrays, dictionaries | text: JSON with sorted keys, numbers exact, `Data` as base64 |
///
/// `@unchecked Sendable`: the two functions capture types and other codecs, nothing that changes.
final class PropertyCodec<Value>: @unchecked Sendable {
    let storage: Schema.Attribute.Storage
    let check: PropertyCheck
    let encode: (Value) throws -> PropertyValue
    /// `nil` when the stored value is not of this type.
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

/// Whether a stored value can be decoded, without decoding it where its form alone tells.
enum PropertyCheck: Sendable {
    case integer(ClosedRange<Int64>)
    case real
    case text
    case blob
    /// Only decoding tells; the decoded value is kept for the property's first read.
    case decoding

    @inline(__always)
    func admits(_ value: PropertyValue) -> Bool? {
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
    var isOptional: Bool { get }
    func decodeAny(_ value: PropertyValue) -> Any?
    /// Some value of the type, if one comes to mind.
    func sample() -> Any?
    func encodeAny(_ value: Any) throws -> PropertyValue?
}

extension PropertyCodec: AnyPropertyCodec {
    var isOptional: Bool { Value.self is any OptionalValue.Type }

    func decodeAny(_ value: PropertyValue) -> Any? { decode(value) }

    func sample() -> Any? {
        let simple: [PropertyValue] = [
            .null, .integer(0), .real(0), .text(""), .blob(Data()), .blob(Data(count: 16)), .text("0"), .text("{}"),
        ]
        return simple.lazy.compactMap(decode).first ?? (Value.self as? any CaseIterable.Type)?.firstCase
    }

    func encodeAny(_ value: Any) throws -> PropertyValue? {
        try (value as? Value).map(encode)
    }
}

protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    static func optionalCodec() -> (any AnyPropertyCodec)?
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }

    static func optionalCodec() -> (any AnyPropertyCodec)? {
        // `T??` has two kinds of nil, a store has one.
        guard !(Wrapped.self is any OptionalValue.Type), let codec = PropertyCodecs.codec(Wrapped.self) else {
            return nil
        }
        return PropertyCodec<Wrapped?>(
            codec.storage, codec.check,
            encode: { try $0.map(codec.encode) ?? .null },
            decode: { value in
                if case .null = value { return .some(nil) }
                return codec.decode(value).map { .some($0) }
            })
    }
}

extension CaseIterable {
    fileprivate static var firstCase: Any? { allCases.first }
}
