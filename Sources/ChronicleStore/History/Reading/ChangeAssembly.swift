import ChronicleCore
import ChronicleSQLite

/// Creates typed changes from rows. Caches what consecutive rows share, so that most rows need no lookup.
struct ChangeAssembly {
    private struct MaskKey: Hashable {
        let entity: Int64
        let mask: Int64
        let further: String?
    }

    private let connection: Connection
    private let catalog: HistoryCatalog
    private var entities: NumberedList<EntityHistory>
    private var isReloaded = false
    private var names: [MaskKey: [String]] = [:]
    private var latest: (entity: Int64, mask: Int64, names: [String]) = (0, 0, [])

    init(_ connection: Connection, _ catalog: HistoryCatalog) {
        self.connection = connection
        self.catalog = catalog
        entities = catalog.entities
    }

    /// Returns the changes of a transaction.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if an entity or an attribute is missing in the file, or
    ///   ``SwiftDataError/undecodableValue``.
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
                entity.maker.inserts(run, of: transaction, entity.origin, into: &changes)
            case .update:
                let names = try names(row, entity, row.place < 0 ? nil : buffer.masks[row.place])
                entity.maker.updates(run, of: transaction, entity.origin, names: names, into: &changes)
            case .delete, .preservedValue:
                let identifier = entity.origin.identifier(row.key)
                let kept = try kept(row, entity, buffer, identifier)
                changes.append(entity.maker.delete(row, of: transaction, identifier, kept: kept))
            }
            begin = run.endIndex
        }
        return changes
    }

    /// Returns the end of the run of changes that differ from the first only in their model.
    private func end(ofRunFrom begin: Int, _ rows: [ChangeBuffer.Row]) -> Int {
        let first = rows[begin]
        var end = begin + 1
        guard first.operation == .insert || first.operation == .update && first.place < 0 else { return end }
        while end < rows.count, rows[end].entity == first.entity, rows[end].operation == first.operation,
            rows[end].detail == first.detail, rows[end].place == first.place
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

    /// Reloads the entities, because another process may have added one.
    private mutating func reload(_ row: ChangeBuffer.Row) throws {
        guard !isReloaded else { return }
        isReloaded = true
        entities = try catalog.reloadEntities(connection)
    }

    // MARK: Updates

    private mutating func names(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ further: String?
    ) throws -> [String] {
        if further == nil, latest.mask == row.detail, latest.entity == row.entity { return latest.names }
        let key = MaskKey(entity: row.entity, mask: row.detail, further: further)
        let found = try names[key] ?? makeNames(row, entity, further)
        names[key] = found
        if further == nil { latest = (row.entity, row.detail, found) }
        return found
    }

    private mutating func makeNames(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ further: String?
    ) throws -> [String] {
        let masks = try RecorderSQL.masks(row.detail, further, at: row.position)
        if let names = entity.names(masks) { return names }
        try reload(row)
        guard let names = try self.entity(row).names(masks) else { throw unknownAttribute(row) }
        return names
    }

    // MARK: Deletes

    private mutating func kept(
        _ row: ChangeBuffer.Row, _ entity: EntityHistory, _ buffer: ChangeBuffer, _ identifier: PersistentIdentifier
    ) throws -> [HistoryTombstone<RemovedModel>.Element] {
        guard row.detail > 0 else { return [] }
        let values = buffer.kept[row.place..<row.place + Int(row.detail)]
        do {
            if let elements = try entity.tombstone(values) { return elements }
            try reload(row)
            guard let elements = try self.entity(row).tombstone(values) else { throw unknownAttribute(row) }
            return elements
        } catch let error as SwiftDataError where error == .undecodableValue {
            throw error.with(entityName: entity.name, persistentIdentifier: identifier)
        }
    }

    private func unknownAttribute(_ row: ChangeBuffer.Row) -> SwiftDataError {
        .damagedRow(.change(row.position), "its attribute is missing in chronicle_attribute")
    }
}
