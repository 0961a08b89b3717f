import Foundation

/// Compares values of properties as a store does: by their stored form.
struct ValueComparison {
    private let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    /// Values that are not known are not the same.
    func isSame(
        _ first: (any Sendable)??, _ second: (any Sendable)??, _ name: String, of identifier: PersistentIdentifier
    ) -> Bool {
        guard let first, let second else { return false }
        let property = schema.entitiesByName[identifier.entityName]?.propertiesByName[name]
        guard let a = Self.storedForm(first, property), let b = Self.storedForm(second, property) else { return false }
        return property.map { !$0.isChange(from: a, to: b) } ?? (a == b)
    }

    /// Returns whether a value of the history is the current value of a property.
    static func isSame(_ value: (any Sendable)?, current: PropertyValue, _ property: Schema.Property) -> Bool {
        guard let form = storedForm(value, property) else { return false }
        if form == current { return true }
        // Another program, or an earlier version of the type, may have encoded the same value differently.
        guard case .decoding = property.codec?.check, let codec = property.codec, let decoded = codec.decodeAny(current)
        else { return false }
        let plain = (decoded as? any OptionalValue).map(\.wrapped) ?? decoded
        // A value that cannot be encoded is another one.
        guard let plain, let known = try? codec.encodeAny(plain) else { return false }
        return !property.isChange(from: form, to: known)
    }

    /// Returns `nil` if the value has no stored form.
    ///
    /// - Parameter property: The property, or `nil` if the class no longer has it.
    static func storedForm(_ value: (any Sendable)?, _ property: Schema.Property?) -> PropertyValue? {
        switch value {
        case nil: return .null
        case let value as UndecodableValue: return value.storedValue
        case let value? where property?.isAttribute == true:
            // A value of another type has no stored form.
            do { return try property?.encode(value) } catch { return nil }
        case let value as PersistentIdentifier: return .reference(value)
        case let value?: return PropertyValue(plainValue: value)
        }
    }
}
