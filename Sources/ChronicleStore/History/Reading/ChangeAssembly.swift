import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Creates typed changes. Caches what consecutive rows share, so that most rows need no lookup.
struct ChangeAssembly {
    private struct MaskKey: Hashable {
        let entity: Int64
        let masks: AttributeMasks
    }

    private let connection: Connection
    private let catalog: HistoryCatalog
    /// See ``HistoryChangesRequest/returnsStoredValues``.
    private let returnsStoredValues: Bool
    private var entities: NumberedList<EntityHistory>
    private var isReloaded = false
    private var names: [MaskKey: [String]] = [:]
    /// The position after which inserts and deletes preserve all values that are not too large; `nil` until it is read.
    private var completeChanges: Int64?
    /// The positions before which relationships did not exist.
    private var addedRelationships: [String: Int64] = [:]
    private var latest: (entity: Int64, mask: Int64, names: [String]) = (0, 0, [])

    init(_ connection: Connection, _ catalog: HistoryCatalog, returnsStoredValues: Bool = false) throws {
        self.returnsStoredValues = returnsStoredValues
        self.connection = connection
        self.catalog = catalog
        entities = try catalog.entities(connection)
    }

    mutating func changes(_ buffer: ChangeBuffer, of transaction: Int64) throws -> [HistoryChange] {
        var changes: [HistoryChange] = []
        changes.reserveCapacity(buffer.rows.count)
        var begin = 0
        while begin < buffer.rows.count {
            let row = buffer.rows[begin]
            let run = buffer.rows[begin..<end(ofRunFrom: begin, buffer.rows)]
            let entity = try entity(row)
            switch row.operation {
            case .insert:
                entity.maker.inserts(
                    run, of: transaction, entity.origin, values: try values(row, entity, buffer),
                    hasAllValues: try hasAllValues(begin, buffer), into: &changes)
            case .update:
                let names = try names(row, entity, buffer)
                entity.maker.updates(
                    run, of: transaction, entity.origin, names: names, values: try values(row, entity, buffer),
                    into: &changes)
            case .delete, .preservedValue:
                let identifier = entity.origin.identifier(row.key)
                let kept = try kept(row, entity, buffer)
                changes.append(
                    entity.maker.delete(
                        row, of: transaction, identifier, kept: kept, hasAllValues: try hasAllValues(begin, buffer),
                        hasAllLinks: try hasAllLinks(row, entity, buffer)))
            }
            begin = run.endIndex
        }
        return changes
    }

    /// The run of changes that differ only in their model.
    private func end(ofRunFrom begin: Int, _ rows: [ChangeBuffer.Row]) -> Int {
        let first = rows[begin]
        var end = begin + 1
        guard first.valueCount == 0, first.operation == .insert || first.operation == .update && first.masks < 0 else {
            return end
        }
        while end < rows.count, rows[end].entity == first.entity, rows[end].operation == first.operation,
            rows[end].mask == first.mask, rows[end].masks == first.masks, rows[end].valueCount == 0
        { end += 1 }
        return end
    }

    // MARK: Entities

    private mutating func entity(_ row: ChangeBuffer.Row) throws -> EntityHistory {
        if let entity = entities[row.entity] { return entity }
        try reload(row)
        guard let entity = entities[row.entity] else {
            throw SwiftDataError.damagedRow(.change(row.position), "its entity is missing in chronicle_entity")
        }
        return entity
    }

    /// Another process may have added an entity.
    private mutating func reload(_ row: ChangeBuffer.Row) throws {
        guard !isReloaded else { return }
        isReloaded = true
        entities = try catalog.reloadEntities(connection)
    }

    // MARK: Updates

    private mutating func names(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ buffer: ChangeBuffer
    ) throws -> [String] {
        if row.masks < 0, latest.mask == row.mask, latest.entity == row.entity { return latest.names }
        let masks = row.masks < 0 ? AttributeMasks(row.mask) : buffer.masks[Int(row.masks)]
        let key = MaskKey(entity: row.entity, masks: masks)
        let found = try names[key] ?? makeNames(row, entity, masks)
        names[key] = found
        if row.masks < 0 { latest = (row.entity, row.mask, found) }
        return found
    }

    private mutating func makeNames(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ masks: AttributeMasks
    ) throws -> [String] {
        guard masks.isValid else {
            throw SwiftDataError.damagedRow(.change(row.position), "the attribute masks are invalid")
        }
        if let names = entity.names(masks) { return names }
        try reload(row)
        guard let names = try self.entity(row).names(masks) else { throw unknownAttribute(row) }
        return names
    }

    // MARK: Preserved values

    private mutating func values(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ buffer: ChangeBuffer
    ) throws -> [PreservedValue] {
        let isInsert = row.operation == .insert
        guard row.valueCount > 0 || isInsert && entity.missingName != nil else { return [] }
        let areStored = returnsStoredValues
        return try decoding(row, entity) { entity in
            entity.preservedValues(
                buffer.values(of: row), of: entity.origin.identifier(row.key), isInsert: isInsert, areStored: areStored)
        }
    }

    private mutating func hasAllValues(_ index: Int, _ buffer: ChangeBuffer) throws -> Bool {
        let row = buffer.rows[index]
        guard row.valueCount > 0 else { return false }
        if completeChanges == nil {
            let isOn = try MetaTable.text(.preservesValues, connection) == "on"
            completeChanges = isOn ? try MetaTable.position(.preservesValuesSince, connection) ?? 0 : .max
        }
        return buffer.hasAllValues(index) && row.position > completeChanges ?? .max
    }

    /// Whether each relationship without an inverse whose links a delete does not preserve was added later. One without
    /// links has a row, too.
    private mutating func hasAllLinks(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ buffer: ChangeBuffer
    ) throws -> Bool {
        if entity.lists.isEmpty { return true }
        let preserved = row.valueCount > 0 ? Set(buffer.values(of: row).map(\.attribute)) : []
        return try entity.lists.allSatisfy { number in
            if preserved.contains(number) { return true }
            let name = MetaTable.Name.addedRelationship(entity.rootNumber, number: number)
            let added = try addedRelationships[name.text] ?? MetaTable.position(name, connection) ?? 0
            addedRelationships[name.text] = added
            return row.position <= added
        }
    }

    private mutating func kept(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ buffer: ChangeBuffer
    ) throws -> HistoryTombstone<UntypedModel> {
        guard row.valueCount > 0 || entity.missingName != nil else { return HistoryTombstone() }
        let areStored = returnsStoredValues
        return try decoding(row, entity) { entity in
            entity.tombstone(
                buffer.values(of: row), of: entity.origin.identifier(row.key), areStored: areStored)
        }
    }

    /// Decodes again with the entities of the file if the first result is `nil`.
    private mutating func decoding<Values>(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ decode: (EntityHistory) -> Values?
    ) throws -> Values {
        if let values = decode(entity) { return values }
        try reload(row)
        guard let values = try decode(self.entity(row)) else { throw unknownAttribute(row) }
        return values
    }

    private func unknownAttribute(_ row: ChangeBuffer.Row) -> SwiftDataError {
        .damagedRow(.change(row.position), "its attribute is missing in chronicle_attribute")
    }
}
