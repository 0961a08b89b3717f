import ChronicleCore
import Foundation

/// An attribute or a to-one relationship in the history: its name, and the decoding of its preserved values.
final class PreservedAttribute: Sendable {
    let name: String
    /// The property of the model, if it still exists.
    private let property: Schema.Property?
    private let form: Form

    /// Types that are stored almost as they are. Most preserved values have one of these types, and the general codec
    /// takes five times as long.
    private enum Form { case text, integer, real, date, other }

    init(_ name: String, _ property: Schema.Property?) {
        self.name = name
        self.property = property
        form =
            switch property?.attribute?.valueType {
            case is String.Type, is String?.Type: .text
            case is Int.Type, is Int?.Type: .integer
            case is Double.Type, is Double?.Type: .real
            case is Date.Type, is Date?.Type: .date
            default: .other
            }
    }

    /// Returns the decoded value, or `nil` for NULL.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` if the value cannot be converted to the type of the property.
    func decode(_ value: PropertyValue) throws -> (any Sendable)? {
        switch (value, form) {
        case (.null, _): return nil
        case (.text(let text), .text): return text
        case (.integer(let integer), .integer) where Int(exactly: integer) != nil: return Int(integer)
        case (.real(let real), .real): return real
        case (.real(let seconds), .date): return Date(timeIntervalSinceReferenceDate: seconds)
        default:
            guard let property else { return value.plainValue }
            return try property.decode(value.inForm(of: property))
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
