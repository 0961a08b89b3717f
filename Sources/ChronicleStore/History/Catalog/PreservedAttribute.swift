import ChronicleCore
import Foundation

/// An attribute or a to-one relationship in the history: its name, and the decoding of its preserved values.
final class PreservedAttribute: Sendable {
    let name: String
    /// The property of the model, if it still exists.
    private let property: Schema.Property?

    init(_ name: String, _ property: Schema.Property?) {
        self.name = name
        self.property = property
    }

    /// Returns the decoded value, or `nil` for NULL.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` if the value cannot be converted to the type of the property.
    func decode(_ value: PropertyValue) throws -> (any Sendable)? {
        if value.isNull { return nil }
        guard let property else { return value.plainValue }
        return try property.decode(value.inForm(of: property))
    }
}

extension PropertyValue {
    /// Returns the value in the property's storage form: reals that SQLite cannot represent are stored as eight bytes.
    fileprivate func inForm(of property: Schema.Property) -> PropertyValue {
        guard case .blob(let bytes) = self, property.attribute?.storage == .real, bytes.count == 8 else { return self }
        return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
