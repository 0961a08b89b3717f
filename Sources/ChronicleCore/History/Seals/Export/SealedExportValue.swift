import Foundation

/// An object of a sealed export that has the names of its coding keys only.
protocol SealedExportObject: Codable {
    associatedtype CodingKeys: CodingKey
}

/// Decodes an object without other names. They would not be verified, and a reader could take them for proven.
struct Exact<Content: SealedExportObject>: Codable {
    var content: Content

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(_ content: Content) { self.content = content }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        for name in container.allKeys where Content.CodingKeys(stringValue: name.stringValue) == nil {
            throw DecodingError.dataCorruptedError(
                forKey: name, in: container, debugDescription: "the format has no such name here")
        }
        content = try Content(from: decoder)
    }

    func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

/// A value as JSON.
///
/// | value | JSON |
/// | --- | --- |
/// | NULL | `null` |
/// | integer | a number |
/// | real | `{"real": "1.5"}`, see ``SealedExportReal`` |
/// | text | a string, or `{"utf8": "_w"}` if it is not valid UTF-8 |
/// | binary data | `{"binary": "AQID"}` |
struct SealedExportValue: Codable {
    let value: RecordedValue

    private struct Object: SealedExportObject {
        var real: SealedExportReal?
        var utf8: SealedExportBytes?
        var binary: SealedExportBytes?

        enum CodingKeys: CodingKey { case real, utf8, binary }
    }

    init(_ value: RecordedValue) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder does not report the kind of a JSON value: decoding it as another kind fails.
        if container.decodeNil() {
            value = .null
        } else if let text = try? container.decode(String.self) {
            value = .text(Array(text.utf8))
        } else if let integer = try? container.decode(Int64.self) {
            value = .integer(integer)
        } else {
            let object = try Exact<Object>(from: decoder).content
            switch (object.real, object.utf8, object.binary) {
            case (let real?, nil, nil): value = .real(real.number)
            case (nil, let text?, nil): value = .text(try text.invalidText(in: container))
            case (nil, nil, let binary?): value = .binary(binary.bytes)
            default:
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a value is one of real, utf8 and binary")
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .integer(let integer): try container.encode(integer)
        case .real(let real): try container.encode(Object(real: SealedExportReal(real)))
        case .text(let bytes): try container.encode(SealedExportText(bytes))
        case .binary(let bytes): try container.encode(Object(binary: SealedExportBytes(bytes)))
        }
    }
}

/// A text as JSON: a string, or `{"utf8": "_w"}` if it is not valid UTF-8, which a string cannot contain.
struct SealedExportText: Codable {
    let bytes: [UInt8]

    private struct Object: SealedExportObject {
        var utf8: SealedExportBytes

        enum CodingKeys: CodingKey { case utf8 }
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The other kind is an object.
        if let text = try? container.decode(String.self) {
            bytes = Array(text.utf8)
        } else {
            bytes = try Exact<Object>(from: decoder).content.utf8.invalidText(in: container)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(Object(utf8: SealedExportBytes(bytes)))
        }
    }
}

/// Bytes as base64url without padding.
struct SealedExportBytes: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.bytes(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url without padding")
        }
        self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.text(bytes))
    }

    /// A valid text has only one form, which people can read.
    fileprivate func invalidText(in container: any SingleValueDecodingContainer) throws -> [UInt8] {
        guard String(validating: bytes, as: UTF8.self) == nil else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a valid text is a string")
        }
        return bytes
    }
}

/// A hash, a commitment or a key as base64url: 43 characters.
struct SealedExportDigest: Codable {
    let digest: HistoryDigest

    init(_ digest: HistoryDigest) { self.digest = digest }

    init(from decoder: any Decoder) throws {
        guard let digest = HistoryDigest(try SealedExportBytes(from: decoder).bytes) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a hash or a key has 32 bytes"))
        }
        self.digest = digest
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.text(digest.data))
    }
}

/// A number as a text, the shortest one that is read back as the same number; also `-0.0`, `inf` and `-inf`, and `nan` for every
/// NaN. Programs read such texts alike, but not JSON numbers.
struct SealedExportReal: Codable {
    let number: Double

    private static let nan = "nan"

    init(_ number: Double) { self.number = number }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        if text == Self.nan {
            number = .nan
        } else if let real = Double(text), real.description == text {
            number = real
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not the shortest text of a number")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number.isNaN ? Self.nan : number.description)
    }
}
