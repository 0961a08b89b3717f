import Foundation
import Synchronization

/// The members of `Codable` types, determined once for each.
enum MemberCache {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let name: String
    }

    private static let known = Mutex<[Key: Result<CodableMember, SwiftDataError>]>([:])

    /// Throws ``SwiftDataError/unsupportedKeyPath``.
    static func member(_ name: String, of type: any Any.Type) throws -> CodableMember {
        let key = Key(type: ObjectIdentifier(type), name: name)
        if let result = known.withLock({ $0[key] }) { return try result.get() }
        guard let codable = type as? any Codable.Type else {
            throw CodableMember.unsupported("\(type) is not Codable")
        }
        func probe<Value: Codable>(_ type: Value.Type) -> Result<CodableMember, SwiftDataError> {
            Result { () throws(SwiftDataError) in try MemberProbe<Value>.member(name) }
        }
        let result = probe(codable)
        known.withLock { $0[key] = result }
        return try result.get()
    }
}

/// Finds the JSON key of a stored property by encoding sample values.
///
/// `Codable` does not describe a type: `CodingKeys` are private, and `encode(to:)` may be written by hand. Several samples whose
/// parts all differ are encoded. The key of the property is the one whose JSON equals that of the property in every sample.
private struct MemberProbe<Value: Codable> {
    let name: String

    static func member(_ name: String) throws(SwiftDataError) -> CodableMember { try MemberProbe(name: name).member() }

    private func member() throws(SwiftDataError) -> CodableMember {
        let samples = samples()
        guard let first = samples.first, let child = property(of: first) else {
            if samples.isEmpty {
                throw unsupported(
                    "cannot be created from sample values; make its enumerations CaseIterable, and use the synthesized "
                        + "init(from:)")
            }
            throw unsupported("has no stored property \(name)")
        }
        let valueType = type(of: child)
        guard let form = JSONForm(valueType) else {
            throw unsupported("stores \(name) as \(valueType), which a store cannot compare")
        }
        var keys: Set<String>?
        var hasForm = false
        for sample in samples {
            guard let object = object(sample), let value = property(of: sample), let json = fragment(value) else {
                throw unsupported("is not encoded as a JSON object")
            }
            // The key of a nil value is usually missing.
            keys = (keys ?? Set(object.keys)).filter { object[$0] ?? .null == json }
            guard json != .null else { continue }
            guard json.has(form) else { throw unsupported("does not encode \(name) as a value of its type") }
            hasForm = true
        }
        guard hasForm, let key = keys?.first, keys?.count == 1, isPlain(key) else {
            throw unsupported("has no JSON key that always contains \(name)")
        }
        let missingValue = missingValue(key, in: first)
        guard samples.allSatisfy({ self.missingValue(key, in: $0) == missingValue }) else {
            throw unsupported("decodes \(name) from the rest of an object in which it is missing")
        }
        return CodableMember(name: name, key: key, valueType: valueType, form: form, missingValue: missingValue)
    }

    private func unsupported(_ detail: String) -> SwiftDataError {
        CodableMember.unsupported("the member \(name) cannot be used: \(Value.self) \(detail)")
    }

    /// Different values, and one whose optional members are nil.
    private func samples() -> [Value] {
        (0..<8).compactMap { SampleDecoder.sample(Value.self, round: $0, hasOptionals: true) }
            + [SampleDecoder.sample(Value.self, round: 0, hasOptionals: false)].compactMap(\.self)
    }

    private func property(of value: Value) -> Any? {
        Mirror(reflecting: value).children.first { $0.label == name }?.value
    }

    private func object(_ value: Value) -> [String: JSONFragment]? {
        guard case .object(let object) = fragment(value) else { return nil }
        return object
    }

    /// Returns `nil` if the value cannot be encoded, which makes the type unsupported.
    private func fragment(_ value: Any) -> JSONFragment? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, mirror.children.isEmpty { return .null }
        guard let value = value as? any Encodable, let json = try? JSONCoding.encode(value) else { return nil }
        return JSONCoding.decode(JSONFragment.self, json)
    }

    /// Whether the key needs no escape sequence in JSON or in a path of SQLite.
    private func isPlain(_ key: String) -> Bool {
        !key.isEmpty && key.unicodeScalars.allSatisfy { $0 >= " " && $0 != "\"" && $0 != "\\" }
    }

    /// Returns `nil` if the type rejects an object without the key.
    private func missingValue(_ key: String, in value: Value) -> PropertyValue? {
        var rest = object(value) ?? [:]
        rest[key] = nil
        guard let json = try? JSONCoding.encode(rest), let decoded = JSONCoding.decode(Value.self, json),
            let value = property(of: decoded), let codec = PropertyCodecs.codec(of: type(of: value)),
            let encoded = try? codec.encodeAny(value)
        else { return nil }
        return encoded.isNull ? nil : encoded
    }
}
