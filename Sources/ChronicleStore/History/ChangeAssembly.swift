import ChronicleCore
import ChronicleSQLite

/// Makes typed changes of rows. Keeps what rows have in common, so that most of them look nothing up.
struct ChangeAssembly {
    private struct MaskKey: Hashable {
        let entity: Int64
        let mask: Int64
        let further: String?
    }

    private let connection: Connection
    private let catalog: HistoryCatalog
    private var entities: [EntityHistory?]
    private var isReloaded = false
    private var names: [MaskKey: [String]] = [:]
    private var latest: (entity: Int64, mask: Int64, names: [String]) = (0, 0, [])

    init(_ connection: Connection, _ catalog: HistoryCatalog) {
        self.connection = connection
        self.catalog = catalog
        entities = catalog.entities
    }

    /// The changes of a transaction.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for an entity or attribute that the file does not know,
    ///   ``SwiftDataError/undecodableValue``.
    mutating func changes(_ buffer: ChangeBuffer, of transaction: Int64) throws -> [HistoryChange] {
        var changes: [HistoryChange] = []
        changes.reserveCapacity(buffer.rows.count)
        for row in buffer.rows {
            let entity = try entity(row)
            let identifier = entity.origin.identifier(row.key)
            switch row.operation {
            case .insert:
                changes.append(entity.maker.insert(row.position, of: transaction, identifier))
            case .update:
                let names = try names(row, entity, row.place < 0 ? nil : buffer.masks[row.place])
                changes.append(entity.maker.update(row.position, of: transaction, identifier, names: names))
            case .delete, .preservedValue:
                let kept = try kept(row, entity, buffer, identifier)
                changes.append(entity.maker.delete(row.position, of: transaction, identifier, kept: kept))
            }
        }
        return changes
    }

    // MARK: Entities

    private mutating func entity(_ row: ChangeBuffer.Row) throws -> EntityHistory {
        if row.entity < entities.count, let entity = entities[Int(row.entity)] { return entity }
        try reload(row)
        guard row.entity < entities.count, let entity = entities[Int(row.entity)] else {
            throw SwiftDataError.damagedHistory("a change of an entity that nobody registered", at: row.position)
        }
        return entity
    }

    /// Another process may have added to what this one knows.
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
        var masks = [row.detail]
        for text in further?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let mask = Int64(text) else {
                throw SwiftDataError.damagedHistory("a mask that is no number", at: row.position)
            }
            masks.append(mask)
        }
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
        var entity = entity
        if !values.allSatisfy({ entity.hasAttribute($0.number) }) {
            try reload(row)
            entity = try self.entity(row)
            guard values.allSatisfy({ entity.hasAttribute($0.number) }) else { throw unknownAttribute(row) }
        }
        do {
            return try values.compactMap { try entity.kept($0.number, $0.value) }
        } catch let error as SwiftDataError {
            throw error.adding(persistentIdentifier: identifier)
        }
    }

    private func unknownAttribute(_ row: ChangeBuffer.Row) -> SwiftDataError {
        .damagedHistory("a change of an attribute that nobody registered", at: row.position)
    }
}
