import Foundation
import Synchronization

/// A process-wide cache of all codecs, and those of the types with a name in descriptions of schemas.
enum PropertyCodecs {
    /// See ``Schema/Attribute/valueTypeName``. Files contain the names: add types, but do not rename or remove one.
    private static let named: [String: any AnyPropertyCodec] = [
        "String": DirectType.string.codec, "Bool": DirectType.bool.codec, "Data": DirectType.data.codec,
        "Date": DirectType.date.codec, "Double": DirectType.double.codec, "Float": float,
        "UUID": uuid, "URL": url, "Decimal": decimal,
        "Int": DirectType.int.codec, "Int64": DirectType.int64.codec,
        "Int8": integer(Int8.self), "Int16": integer(Int16.self), "Int32": integer(Int32.self),
        "Int128": integer(Int128.self),
        "UInt": integer(UInt.self), "UInt8": integer(UInt8.self), "UInt16": integer(UInt16.self),
        "UInt32": integer(UInt32.self), "UInt64": integer(UInt64.self), "UInt128": integer(UInt128.self),
    ]
    private static let namesByType = Dictionary(
        uniqueKeysWithValues: named.map { (ObjectIdentifier($1.valueType), $0) })

    private static let known = Mutex<[ObjectIdentifier: any AnyPropertyCodec]>([:])

    static func codec<Value>(_ type: Value.Type) -> PropertyCodec<Value>? {
        codec(of: type) as? PropertyCodec<Value>
    }

    static func codec(of type: Any.Type) -> (any AnyPropertyCodec)? {
        if let codec = known.withLock({ $0[ObjectIdentifier(type)] }) { return codec }
        // Created outside the lock, because the codec of an optional requests the codec of its wrapped type.
        guard let codec = make(type) else { return nil }
        known.withLock { $0[ObjectIdentifier(type)] = codec }
        return codec
    }

    private static func make(_ type: Any.Type) -> (any AnyPropertyCodec)? {
        if let type = type as? any OptionalValue.Type { return type.optionalCodec() }
        if let name = namesByType[ObjectIdentifier(type)] { return named[name] }
        return switch type {
        case let type as any FixedWidthInteger.Type: integer(type)
        case let type as any RawRepresentable.Type: rawRepresentable(type) ?? codable(type)
        default: codable(type)
        }
    }

    // MARK: Types by name

    /// Returns the name of a type, or of the type that it is the optional of, without its module.
    static func name(of type: Any.Type) -> String {
        let type = unwrapped(type)
        if let name = namesByType[ObjectIdentifier(type)] { return name }
        let name = String(describing: type)
        if named[name] == nil { return name }
        // A type of the program with a name of the list, such as a `Date`, keeps the name of its module.
        return String(reflecting: type).prefix { $0 != "." } + "." + name
    }

    /// - Parameters:
    ///   - name: The name of the type, without `Optional`.
    ///   - storage: The stored form of the values. If it is not that of the listed type with this name, the attribute has a
    ///     different type of the same name.
    static func codec(named name: String, _ storage: Schema.Attribute.Storage, isOptional: Bool)
        -> any AnyPropertyCodec
    {
        var codec: any AnyPropertyCodec
        if let known = named[name], known.storage == storage {
            codec = known
        } else {
            codec =
                switch storage {
                case .json: jsonText
                case .integer: PlainCodec(DirectType.int64.codec, storage)
                case .real: PlainCodec(DirectType.double.codec, storage)
                case .text, .decimal: PlainCodec(DirectType.string.codec, storage)
                case .blob: PlainCodec(DirectType.data.codec, storage)
                }
        }
        return isOptional ? codec.makeOptional() : codec
    }

    /// The codec for JSON whose Swift type is not available.
    private static let jsonText = PropertyCodec<String>(
        .json, .decoding, encode: { .text($0) },
        decode: { value in
            switch value {
            case .text(let text): text
            case .blob(let data): String(data: data, encoding: .utf8)
            default: nil
            }
        })

    // MARK: Types

    private static let float = PropertyCodec<Float>(
        .real, .real, encode: { .real($0.widened) }, decode: { $0.direct(as: Double.self).map(Float.init(narrowing:)) })

    private static let uuid = PropertyCodec<UUID>(
        .blob, .decoding,
        encode: { value in withUnsafeBytes(of: value.uuid) { .blob(Data($0)) } },
        decode: { value in
            switch value {
            case .blob(let bytes) where bytes.count == 16:
                var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
                return UUID(uuid: uuid)
            // Accepts a UUID that was written as text with another SQLite tool.
            case .text(let text): return UUID(uuidString: text)
            default: return nil
            }
        })

    private static let url = PropertyCodec<URL>(
        .text, .decoding,
        encode: { url in
            guard let base = url.baseURL else { return .text(url.relativeString) }
            // `URL` encodes only its absolute string and loses the base URL.
            return .blob(try JSONCoding.encode(["base": base.absoluteString, "relative": url.relativeString]))
        },
        decode: { value in
            switch value {
            case .text(let text): return URL(string: text)
            case .blob(let json):
                let parts = JSONCoding.decode([String: String].self, json)
                guard let base = parts?["base"].flatMap(URL.init(string:)), let relative = parts?["relative"] else {
                    return nil
                }
                return URL(string: relative, relativeTo: base)
            default: return nil
            }
        })

    private static let decimal = PropertyCodec<Decimal>(
        .text, .decoding, encode: { .text($0.description) },
        decode: { value in
            switch value {
            case .text("NaN"): Decimal.nan
            case .text(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
            case .integer(let integer): Decimal(integer)
            default: nil
            }
        })

    private static func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> any AnyPropertyCodec {
        let range = Int64(clamping: Integer.min)...Int64(clamping: Integer.max)
        return PropertyCodec<Integer>(
            .integer, .integer(range),
            encode: { value in
                guard let integer = Int64(exactly: value) else {
                    throw SwiftDataError.valueOutOfRange.with(
                        detail: "the \(Integer.self) value exceeds a 64-bit signed integer; save a smaller value")
                }
                return .integer(integer)
            },
            decode: { if case .integer(let value) = $0 { Integer(exactly: value) } else { nil } })
    }

    private static func rawRepresentable<Raw: RawRepresentable>(_ type: Raw.Type) -> (any AnyPropertyCodec)? {
        guard let codec = codec(Raw.RawValue.self) else { return nil }
        return PropertyCodec<Raw>(
            codec.storage, .decoding, encode: { try codec.encode($0.rawValue) },
            decode: { codec.decode($0).flatMap(Raw.init(rawValue:)) })
    }

    private static func codable(_ type: Any.Type) -> (any AnyPropertyCodec)? {
        guard let type = type as? any Codable.Type else { return nil }
        return json(type)
    }

    private static func json<Value: Codable>(_ type: Value.Type) -> any AnyPropertyCodec {
        PropertyCodec<Value>(
            .json, .decoding,
            encode: { .text(String(decoding: try JSONCoding.encode($0), as: UTF8.self)) },
            decode: { value in
                switch value {
                case .text(let text): JSONCoding.decode(type, Data(text.utf8))
                case .blob(let data): JSONCoding.decode(type, data)
                default: nil
                }
            })
    }
}

/// The codec for values of a type that is not available. A value in another form than the stored one is valid for some types, so it
/// is decoded as ``PropertyValue/plainValue``.
private final class PlainCodec: AnyPropertyCodec {
    let storage: Schema.Attribute.Storage
    private let codec: any AnyPropertyCodec

    init(_ codec: any AnyPropertyCodec, _ storage: Schema.Attribute.Storage) {
        self.codec = codec
        self.storage = storage
    }

    var check: PropertyCheck { .decoding }
    var valueType: Any.Type { codec.valueType }
    var isOptional: Bool { codec.isOptional }
    func decodeAny(_ value: PropertyValue) -> Any? { codec.decodeAny(value) ?? value.plainValue }
    func isStoredForm(_ value: PropertyValue) -> Bool {
        switch (storage, value) {
        // A column of another program's table can contain values of any type.
        case (.blob, _), (.integer, .integer), (.real, .real), (.real, .integer), (.text, .text), (.text, .blob),
            (.decimal, .text), (.decimal, .integer):
            true
        default: false
        }
    }
    func sample() -> Any? { codec.sample() }
    func encodeAny(_ value: Any) throws -> PropertyValue? {
        try codec.encodeAny(value) ?? PropertyValue(plainValue: value)
    }
    func makeOptional() -> any AnyPropertyCodec { PlainCodec(codec.makeOptional(), storage) }
}

/// The JSON encoding of `Codable` attributes. Keys are sorted so that equal values have equal text.
enum JSONCoding {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try encoder.encode(value)
    }

    /// Returns `nil` when the data is not JSON of this type. The caller reports the error with the names of the model and the
    /// property.
    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) -> Value? {
        do { return try decoder().decode(type, from: data) } catch { return nil }
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return decoder
    }

    /// Returns why data is not JSON of a type, without its values, or `nil` if it is.
    static func failure(_ type: any Decodable.Type, _ data: Data) -> String? {
        // The keys of dictionaries are values. Those that a type declares are cases of an enumeration, without values.
        func name(_ key: any CodingKey) -> String {
            let mirror = Mirror(reflecting: key)
            return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "…"
        }
        func member(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "the value" : "the member \(path.map(name).joined(separator: "."))"
        }
        do { _ = try decoder().decode(type, from: data) } catch let error as DecodingError {
            return switch error {
            case .keyNotFound(let key, let context): "\(member(context.codingPath + [key])) is missing"
            case .valueNotFound(_, let context): "\(member(context.codingPath)) is null"
            case .typeMismatch(let type, let context): "\(member(context.codingPath)) is not a \(type)"
            case .dataCorrupted(let context): "\(member(context.codingPath)) is not valid"
            @unknown default: nil
            }
        } catch { return "its init(from:) throws an error of type \(Swift.type(of: error))" }
        return nil
    }
}

extension Float {
    /// Conversion between `Float` and `Double` is exact except that it quiets signaling NaNs, so the bits of a NaN are stored in
    /// the low half of a `Double` NaN.
    var widened: Double {
        isNaN ? Double(bitPattern: 0x7FF8_0000_0000_0000 | UInt64(bitPattern)) : Double(self)
    }

    init(narrowing value: Double) {
        let low = UInt32(truncatingIfNeeded: value.bitPattern)
        let bits = Float(bitPattern: low)
        self = value.isNaN && bits.isNaN ? bits : Float(value)
    }
}
