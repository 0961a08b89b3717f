import Foundation

/// Checks the rows of a fetch: a getter cannot throw, so that a value which no property of its type can have, and a
/// reference to a model of another class, must be found here.
struct RowChecker {
    let entity: Schema.Entity
    private let storeIdentifier: String
    private let checks: [Check]

    private struct Check {
        /// The forms that need no closer look, a bit for each.
        let admitted: UInt8
        let check: PropertyCheck?
        let isOptional: Bool
        /// The entity that a relationship leads to.
        let destination: String?

        init(_ property: Schema.Property) {
            check = property.codec?.check
            isOptional = property.isOptional
            destination = property.relationship?.destination
            let forms: UInt8 =
                switch check {
                case .integer(let range) where range == .min ... .max: PropertyValue.integer(0).formBit
                case .real: PropertyValue.real(0).formBit | PropertyValue.integer(0).formBit
                case .text: PropertyValue.text("").formBit
                case .blob: PropertyValue.blob(Data()).formBit
                case .integer, .decoding, nil: 0
                }
            admitted = forms | (isOptional ? PropertyValue.null.formBit : 0)
        }
    }

    init(_ entity: Schema.Entity, storeIdentifier: String) {
        self.entity = entity
        self.storeIdentifier = storeIdentifier
        checks = entity.storedProperties.map(Check.init)
    }

    /// - Returns: The values that had to be decoded to know that they can be.
    func check(_ row: [PropertyValue], _ identifier: PersistentIdentifier) throws -> [Int: Any] {
        guard row.count == checks.count else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "a snapshot has \(row.count) values, the entity has \(checks.count) stored properties",
                entityName: entity.name, persistentIdentifier: identifier, storeIdentifier: storeIdentifier)
        }
        var decoded: [Int: Any] = [:]
        for slot in checks.indices where checks[slot].admitted & row[slot].formBit == 0 {
            if let value = try closeCheck(row, slot, identifier) { decoded[slot] = value }
        }
        return decoded
    }

    /// - Returns: The decoded value, if it had to be decoded.
    private func closeCheck(_ row: [PropertyValue], _ slot: Int, _ identifier: PersistentIdentifier) throws -> Any? {
        switch (row[slot], checks[slot].check) {
        case (.reference(let destination), nil):
            if destination.isTemporary { throw unreplaced(slot, destination, identifier) }
            guard destination.entityName == checks[slot].destination, destination.storeIdentifier == storeIdentifier
            else { throw stray(slot, identifier) }
            return nil
        case (let value, let kind?) where !value.isNull:
            if let admitted = kind.admits(value) {
                if admitted { return nil }
            } else if let value = entity.storedProperties[slot].codec?.decodeAny(value) {
                return value
            }
            throw undecodable(row, slot, identifier)
        default:
            throw undecodable(row, slot, identifier)
        }
    }

    private func unreplaced(
        _ slot: Int, _ destination: PersistentIdentifier, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        stray(slot, identifier).with(
            detail: "a row refers to \(destination), whose temporary identifier a save was to replace by the "
                + "permanent one (copy(persistentIdentifier:remappedIdentifiers:))")
    }

    private func stray(_ slot: Int, _ identifier: PersistentIdentifier) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: "a reference leads to a saved model of the relationship's class, in the same store",
            entityName: entity.name, propertyName: entity.storedProperties[slot].name, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }

    private func undecodable(
        _ row: [PropertyValue], _ slot: Int, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        let property = entity.storedProperties[slot]
        let type = property.attribute.map { "\($0.valueType)" } ?? "a reference"
        return .undecodableValue.with(
            detail: "the store holds \(row[slot].formName) that is no value of \(type)", entityName: entity.name,
            propertyName: property.name, persistentIdentifier: identifier, storeIdentifier: storeIdentifier)
    }
}

extension PropertyValue {
    /// A bit for the form of the value.
    fileprivate var formBit: UInt8 {
        switch self {
        case .null: 1
        case .integer: 2
        case .real: 4
        case .text: 8
        case .blob: 16
        case .reference: 32
        case .references: 64
        }
    }
}
