import Foundation

/// The JSON form of a ``PropertyValue`` in an export.
///
/// | value | JSON |
/// | --- | --- |
/// | null | `null` |
/// | integer | a number |
/// | text | a string |
/// | real | `{"real": "1.5"}`, in the shortest form that is read back as the same number; also `-0.0`, `inf` and `-inf` |
/// | NaN | `{"nan": "7ff8000000000000"}`, the bits |
/// | blob | `{"blob": "AQID"}`, in Base64 |
/// | reference | `{"reference": 1}`, the primary key of the destination |
struct StoredValue: Codable {
    enum Form {
        case plain(PropertyValue)
        /// The primary key of a destination, whose entity the property determines.
        case reference(Int64)
    }

    let form: Form

    private enum CodingKeys: CodingKey { case real, nan, blob, reference }

    /// Returns `nil` for a value without a JSON form.
    init?(_ value: PropertyValue) {
        switch value {
        case .null, .integer, .real, .text, .blob: form = .plain(value)
        case .reference(let identifier):
            guard let key = identifier.integerPrimaryKey else { return nil }
            form = .reference(key)
        case .references: return nil
        }
    }

    init(from decoder: any Decoder) throws {
        // A decoder does not report the kind of a JSON value: decoding it as another kind fails.
        if let container = try? decoder.container(keyedBy: CodingKeys.self) {
            form = try Self.form(container)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            form = .plain(.null)
        } else if let integer = try? container.decode(Int64.self) {
            form = .plain(.integer(integer))
        } else {
            form = .plain(.text(try container.decode(String.self)))
        }
    }

    private static func form(_ container: KeyedDecodingContainer<CodingKeys>) throws -> Form {
        func invalid(_ key: CodingKeys) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: "not a value")
        }
        switch container.allKeys.first {
        case .real?:
            guard let real = Double(try container.decode(String.self, forKey: .real)), !real.isNaN else {
                throw invalid(.real)
            }
            return .plain(.real(real))
        case .nan?:
            let bits = UInt64(try container.decode(String.self, forKey: .nan), radix: 16)
            guard let real = bits.map(Double.init(bitPattern:)), real.isNaN else { throw invalid(.nan) }
            return .plain(.real(real))
        case .blob?: return .plain(.blob(try container.decode(Data.self, forKey: .blob)))
        case .reference?: return .reference(try container.decode(Int64.self, forKey: .reference))
        case nil: throw invalid(.real)
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch form {
        case .plain(.null):
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .plain(.integer(let integer)):
            var container = encoder.singleValueContainer()
            try container.encode(integer)
        case .plain(.text(let text)):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .plain(.real(let real)):
            var container = encoder.container(keyedBy: CodingKeys.self)
            if real.isNaN {
                try container.encode(String(real.bitPattern, radix: 16), forKey: .nan)
            } else {
                try container.encode(real.description, forKey: .real)
            }
        case .plain(.blob(let data)):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(data, forKey: .blob)
        case .reference(let key):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key, forKey: .reference)
        case .plain(.reference), .plain(.references):
            throw EncodingError.invalidValue(
                form, .init(codingPath: encoder.codingPath, debugDescription: "has no JSON form"))
        }
    }
}
