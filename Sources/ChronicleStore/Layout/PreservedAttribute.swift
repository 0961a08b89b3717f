import ChronicleCore
import ChronicleSQLStore
import Foundation

/// An attribute or a relationship in the history: its name, and the decoding of its preserved values.
final class PreservedAttribute: Sendable {
    let name: String
    /// See `HistoryEntity.Attribute`.
    private let isShared: Bool
    /// `nil` if the property no longer exists.
    private let property: Schema.Property?
    /// `nil` for an attribute.
    private let destination: PersistentIdentifier.Origin?

    init(_ name: String, _ attribute: HistoryEntity.Attribute) {
        self.name = name
        (isShared, property, destination) = (attribute.isShared, attribute.property, attribute.destination)
    }

    /// Whether values are not part of a change: the name of the class, and the NULL of a shared table for an attribute of
    /// another class, which the class may have had in an earlier schema. Without `isStored`, also the NULL of an attribute
    /// that a subclass requires now but did not have at the time.
    func isOmitted(_ old: PropertyValue, _ new: PropertyValue = .null, isStored: Bool) -> Bool {
        guard isShared else { return false }
        if property == nil, name == Schema.entityAttribute { return true }
        return old.isNull && new.isNull && (property == nil || !isStored)
    }

    func value(
        _ value: PropertyValue, of model: @autoclosure () -> PersistentIdentifier, isStored: Bool
    ) -> (any Sendable)? {
        isStored ? stored(value) : decode(value, of: model())
    }

    private func stored(_ value: PropertyValue) -> PropertyValue {
        if let destination, case .integer(let key) = value { return .reference(destination.identifier(key)) }
        return property.map { value.inForm(of: $0) } ?? value
    }

    /// `nil` for NULL.
    private func decode(_ value: PropertyValue, of model: @autoclosure () -> PersistentIdentifier) -> (any Sendable)? {
        if value.isNull { return nil }
        if let destination, case .integer(let key) = value { return destination.identifier(key) }
        guard let property, destination == nil else { return value.plainValue }
        let value = value.inForm(of: property)
        do { return try property.decode(value) } catch {
            return property.decodePreserved(value, entityName: model().entityName, model: model())
        }
    }
}

extension PropertyValue {
    /// Reals that SQLite cannot represent are stored as eight bytes.
    fileprivate func inForm(of property: Schema.Property) -> PropertyValue {
        guard case .blob(let bytes) = self, property.attribute?.storage == .real, bytes.count == 8 else { return self }
        return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
