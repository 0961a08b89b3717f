/// Checks the rows of a fetch: a getter cannot throw, so that a value which no property of its type can have must be
/// found here.
struct RowChecker {
    let entity: Schema.Entity
    private let storeIdentifier: String
    private let checks: [Check]

    private struct Check {
        let check: PropertyCheck?
        let isOptional: Bool
    }

    init(_ entity: Schema.Entity, storeIdentifier: String) {
        self.entity = entity
        self.storeIdentifier = storeIdentifier
        checks = entity.storedProperties.map {
            Check(check: $0.codec?.check, isOptional: $0.attribute?.isOptional ?? true)
        }
    }

    func check(
        _ row: [PropertyValue], _ identifier: PersistentIdentifier, decoded: inout [Int: Any]
    ) throws {
        guard row.count == checks.count else {
            throw SwiftDataError.invalidStoreAnswer.adding(
                detail: "a snapshot has \(row.count) values, the entity has \(checks.count) stored properties",
                entityName: entity.name, persistentIdentifier: identifier, storeIdentifier: storeIdentifier)
        }
        for slot in checks.indices {
            let check = checks[slot]
            switch (row[slot], check.check) {
            case (.null, _):
                if !check.isOptional { throw undecodable(row, slot, identifier) }
            case (.reference, nil):
                continue
            case (let value, let kind?):
                if let admitted = kind.admits(value) {
                    if !admitted { throw undecodable(row, slot, identifier) }
                } else {
                    guard let value = entity.storedProperties[slot].codec?.decodeAny(value) else {
                        throw undecodable(row, slot, identifier)
                    }
                    decoded[slot] = value
                }
            default:
                throw undecodable(row, slot, identifier)
            }
        }
    }

    private func undecodable(
        _ row: [PropertyValue], _ slot: Int, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        let property = entity.storedProperties[slot]
        let type = property.attribute.map { "\($0.valueType)" } ?? "a reference"
        return .undecodableValue.adding(
            detail: "the store holds \(row[slot].formName) that is no value of \(type)", entityName: entity.name,
            propertyName: property.name, persistentIdentifier: identifier, storeIdentifier: storeIdentifier)
    }
}
