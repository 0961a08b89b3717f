import ChronicleCore
import Foundation

/// An attribute or to-one relationship as the history has it: its name, and how values that deletes kept are decoded.
final class KeptAttribute: Sendable {
    let name: String
    /// What the class has of it, if it does.
    private let property: Schema.Property?
    private let form: Form

    /// Types whose stored form is almost the value itself. What tombstones keep is mostly of one of them, and the way
    /// through the codec takes five times as long.
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

    /// The value; `nil` when there is none.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue`` for what is no value of the property's type.
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
    /// A real that SQLite has no number for is kept as the eight bytes of its bits.
    fileprivate func inForm(of property: Schema.Property) -> PropertyValue {
        guard case .blob(let bytes) = self, property.attribute?.storage == .real, bytes.count == 8 else { return self }
        return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    }
}
