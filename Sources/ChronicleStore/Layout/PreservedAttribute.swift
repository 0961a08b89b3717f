import ChronicleCore
import ChronicleSQLStore
import Foundation

/// An attribute or a relationship in the history: its name, and the decoding of its preserved values.
final class PreservedAttribute: Sendable {
    let name: String
    /// See `HistoryEntity.Attribute`.
    private let isShared: Bool
    /// The property of the model, if it still exists.
    private let property: Schema.Property?
    /// The entity of a relationship's destinations, or `nil` for an attribute.
    private let destination: PersistentIdentifier.Origin?

    init(_ name: String, _ attribute: HistoryEntity.Attribute) {
        self.name = name
        (isShared, property, destination) = (attribute.isShared, attribute.property, attribute.destination)
    }

    /// Returns whether values are not part of a change: the name of the class, and the NULL that a shared table contains for
    /// an attribute of another class. An attribute that the class had in an earlier version of the schema may have values.
    ///
    /// - Parameter isStored: Whether the stored values are returned. Otherwise, the NULL of an attribute that a subclass
    ///   requires now is omitted as well, because the class had no such attribute at the time.
    func isOmitted(_ old: PropertyValue, _ new: PropertyValue = .null, isStored: Bool) -> Bool {
        guard isShared else { return false }
        if property == nil, name == Schema.entityAttribute { return true }
        return old.isNull && new.isNull && (property == nil || !isStored)
    }

    /// Returns the decoded value of a change, or the value as the store contains it.
    func value(
        _ value: PropertyValue, of model: @autoclosure () -> PersistentIdentifier, isStored: Bool
    ) -> (any Sendable)? {
        isStored ? stored(value) : decode(value, of: model())
    }

    private func stored(_ value: PropertyValue) -> PropertyValue {
        if let destination, case .integer(let key) = value { return .reference(destination.identifier(key)) }
        return property.map { value.inForm(of: $0) } ?? value
    }

    /// Returns the decoded value, `nil` for NULL, or an ``UndecodableValue``.
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
    /// Returns the value in the property's storage form: reals that SQLite cannot represent are stored as eight bytes.
    fileprivate func inForm(of property: Schema.Property) -> PropertyValue {
        guard case .blob(let bytes) = self, property.attribute?.storage == .real, bytes.count == 8 else { return self }
        return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
