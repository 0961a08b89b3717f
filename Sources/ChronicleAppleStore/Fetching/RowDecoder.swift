import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import Foundation

struct RowDecoder {
    let columns: ModelColumns
    private let entityName: String
    private let members: [String: Member]

    private struct Member {
        let entity: Schema.Entity
        let origin: PersistentIdentifier.Origin
        let positions: [Int32]
        let destinations: [PersistentIdentifier.Origin?]
        let isReal: [Bool]
    }

    init(_ entity: Schema.Entity, _ store: AppleStore) {
        columns = ModelColumns(entity, in: store.schema)
        entityName = entity.name
        members = Dictionary(
            uniqueKeysWithValues: columns.members.map { member in
                let properties = member.entity.storedProperties
                return (
                    member.entity.name,
                    Member(
                        entity: member.entity, origin: store.origin(of: member.entity.name),
                        positions: member.positions.map { Int32($0) },
                        destinations: properties.map { $0.relationship.map { store.origin(of: $0.destination) } },
                        isReal: properties.map { $0.attribute?.storage == .real })
                )
            })
    }

    /// The current row has the ``columns``.
    func row(_ statement: Statement) throws -> (identifier: PersistentIdentifier, values: DataStoreRow) {
        let (member, identifier) = try member(statement, key: 0, entity: columns.entityPosition.map { Int32($0) })
        let builder = DataStoreRowBuilder(slotCount: member.positions.count)
        for slot in member.positions.indices {
            switch statement.value(member.positions[slot]) {
            case .null: break
            case .integer(let value):
                if let destination = member.destinations[slot] {
                    builder.set(reference: destination.identifier(value), at: slot)
                } else if member.isReal[slot] {
                    // A column of dates stores whole numbers as integers.
                    builder.set(real: Double(value), at: slot)
                } else {
                    builder.set(integer: value, at: slot)
                }
            case .real(let value): builder.set(real: value, at: slot)
            case .text(let utf8): builder.set(text: UnsafeRawBufferPointer(utf8), at: slot)
            case .blob(let bytes): builder.set(blob: bytes, at: slot)
            }
        }
        return (identifier, builder.finish())
    }

    /// The current row has the columns of `FetchSQL.identifierColumns`.
    func identifier(_ statement: Statement) throws -> PersistentIdentifier {
        try member(statement, key: 0, entity: columns.entityPosition == nil ? nil : 1).identifier
    }

    private func member(
        _ statement: Statement, key: Int32, entity: Int32?
    ) throws -> (Member, identifier: PersistentIdentifier) {
        guard case .integer(let number) = statement.value(key) else {
            throw SwiftDataError.undecodableValue.with(
                detail: "the key in the column Z_PK is no number", entityName: entityName)
        }
        let name = entity.flatMap { statement.isNull($0) ? nil : statement.text($0) }
        guard let entity = columns.member(named: name)?.entity, let member = members[entity.name] else {
            throw SwiftDataError.undecodableValue.with(
                detail:
                    "the row \(number) belongs to \(name ?? "an entity") that the schema does not contain; add its class",
                entityName: entityName, propertyName: "Z_ENT")
        }
        return (member, member.origin.identifier(number))
    }
}
