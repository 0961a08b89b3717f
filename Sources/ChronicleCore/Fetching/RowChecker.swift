import Foundation

/// Validates the values of fetched rows.
///
/// A getter cannot throw. A value that the property's type cannot represent, and a reference to a model of another class, must
/// therefore be found when the row is fetched.
final class RowChecker {
    let entity: Schema.Entity
    private let storeIdentifier: String
    private let schema: Schema
    /// Whether the rows are those of an earlier position, when a property may have had another type.
    private let isPast: Bool
    private let checks: [Check]
    private let acceptedForms: [UInt8]
    /// The slots to examine in each row: integers of which only some are valid, and references.
    private let examinedSlots: [Int]
    /// The tags of a packed row whose other values are valid, which most rows have in common.
    @exclusivity(unchecked) private var validTags: [UInt64]
    /// The origin of the latest valid reference in each slot.
    @exclusivity(unchecked) private var validOrigins: [PersistentIdentifier.Origin?]

    private struct Check {
        /// A bit set.
        let acceptedForms: UInt8
        let check: PropertyCheck?
        let isOptional: Bool
        /// The valid integers, if only some are valid.
        let range: ClosedRange<Int64>?
        let destination: String?

        init(_ property: Schema.Property) {
            check = property.codec?.check
            range = if case .integer(let range) = check, range != .min ... .max { range } else { nil }
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
            acceptedForms = forms | (isOptional ? PropertyValue.null.formBit : 0)
        }
    }

    init(_ entity: Schema.Entity, _ schema: Schema, storeIdentifier: String, isPast: Bool = false) {
        self.entity = entity
        self.schema = schema
        self.isPast = isPast
        self.storeIdentifier = storeIdentifier
        let checks = entity.storedProperties.map(Check.init)
        self.checks = checks
        acceptedForms = checks.map(\.acceptedForms)
        examinedSlots = checks.indices.filter { checks[$0].range != nil || checks[$0].destination != nil }
        // No row has these tags.
        validTags = Array(repeating: 0, count: PackedRow.tagWords(checks.count))
        validOrigins = Array(repeating: nil, count: checks.count)
    }

    /// Returns the values that had to be decoded, by slot, or `nil` if there are none. Throws
    /// ``SwiftDataError/invalidStoreResponse`` or ``SwiftDataError/undecodableValue``.
    func check(_ row: DataStoreRow, _ identifier: PersistentIdentifier) throws -> [Int: Any]? {
        if let cells = row.cells, PackedRow.count(cells) == checks.count, hasValidTags(cells) {
            for slot in examinedSlots where !isValid(row, cells, slot) { try examine(row, slot, identifier) }
            return nil
        }
        return try checkValues(row, identifier)
    }

    @inline(__always)
    private func hasValidTags(_ cells: UnsafeRawPointer) -> Bool {
        for word in 0..<validTags.count where PackedRow.tags(cells, word) != validTags[word] { return false }
        return true
    }

    @inline(__always)
    private func isValid(_ row: DataStoreRow, _ cells: UnsafeRawPointer, _ slot: Int) -> Bool {
        let tag = PackedRow.tag(cells, slot)
        if tag.isReference { return row.hasOrigin(validOrigins[slot], slot) }
        if acceptedForms[slot] & tag.formBit != 0 { return true }
        guard tag == .integer, let range = checks[slot].range else { return false }
        return range.contains(Int64(bitPattern: PackedRow.cell(cells, slot)))
    }

    @inline(never)
    private func examine(_ row: DataStoreRow, _ slot: Int, _ identifier: PersistentIdentifier) throws {
        // Neither an integer nor a reference has to be decoded.
        _ = try checkValue(row, slot, identifier)
        validOrigins[slot] = row.origin(slot)
    }

    @inline(never)
    private func checkValues(_ row: DataStoreRow, _ identifier: PersistentIdentifier) throws -> [Int: Any]? {
        guard row.count == checks.count else {
            throw SwiftDataError.invalidStoreResponse.with(
                detail: "a snapshot has \(row.count) values but the entity has \(checks.count) stored properties",
                entityName: entity.name, persistentIdentifier: identifier, storeIdentifier: storeIdentifier)
        }
        var decoded: [Int: Any] = [:]
        for slot in checks.indices where acceptedForms[slot] & row.formBit(slot) == 0 {
            if let value = try checkValue(row, slot, identifier) { decoded[slot] = value }
        }
        guard decoded.isEmpty else { return decoded }
        if let cells = row.cells {
            for word in validTags.indices { validTags[word] = PackedRow.tags(cells, word) }
        }
        return nil
    }

    /// For a value whose form is not sufficient to accept it. Returns the value if it had to be decoded.
    private func checkValue(_ row: DataStoreRow, _ slot: Int, _ identifier: PersistentIdentifier) throws -> Any? {
        switch (row[slot], checks[slot].check) {
        case (.reference(let destination), nil):
            if destination.isTemporary { throw temporaryReference(slot, destination, identifier) }
            guard isDestination(destination, of: checks[slot]), destination.storeIdentifier == storeIdentifier
            else { throw invalidReference(slot, identifier) }
            return nil
        case (let value, let kind?) where !value.isNull:
            if let isAccepted = kind.accepts(value) {
                if isAccepted { return nil }
            } else if let value = entity.storedProperties[slot].codec?.decodeAny(value) {
                return value
            }
            throw undecodable(row, slot, identifier)
        case (.null, .some) where entity.superentity != nil:
            // The column is that of several classes, so it has no default value. A program with an earlier version of the class
            // inserts rows without a value, and rows as of an earlier position may have none.
            let property = entity.storedProperties[slot]
            if let value = property.defaultValue.flatMap({ property.codec?.decodeAny($0) }) { return value }
            throw undecodable(row, slot, identifier)
        default:
            throw undecodable(row, slot, identifier)
        }
    }

    /// For an entity of a hierarchy, only the row determines to which entity an identifier belongs.
    private func isDestination(_ identifier: PersistentIdentifier, of check: Check) -> Bool {
        let name = identifier.entityName
        return name == check.destination || identifier.rootEntityName == check.destination
            || identifier.rootEntityName != name
            || check.destination.map { schema.kinds(of: $0).contains(name) } ?? false
    }

    private func temporaryReference(
        _ slot: Int, _ destination: PersistentIdentifier, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        invalidReference(slot, identifier).with(
            detail: "a row references the temporary identifier \(destination); a save must replace it with the "
                + "permanent one (copy(persistentIdentifier:remappedIdentifiers:))")
    }

    private func invalidReference(_ slot: Int, _ identifier: PersistentIdentifier) -> SwiftDataError {
        .invalidStoreResponse.with(
            detail: "a reference must point to a saved model of the relationship's class in the same store",
            entityName: entity.name, propertyName: entity.storedProperties[slot].name, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }

    private func undecodable(
        _ row: DataStoreRow, _ slot: Int, _ identifier: PersistentIdentifier
    ) -> SwiftDataError {
        let property = entity.storedProperties[slot]
        let expected = property.attribute.map { "a value of type \($0.valueType)" } ?? "a reference"
        let detail =
            isPast
            ? "as of the position, the store contained \(row[slot].formName), which is not \(expected); if the type of "
                + "the property changed since, use a later position or read the history of the model"
            : "the store contains \(row[slot].formName), which is not \(expected)"
                + (property.codec?.decodingFailure(row[slot]).map { ", because \($0)" } ?? "")
                + "; correct the value, or change the type of the property"
        return .undecodableValue.with(
            detail: detail, entityName: entity.name, propertyName: property.name, persistentIdentifier: identifier,
            storeIdentifier: storeIdentifier)
    }
}
