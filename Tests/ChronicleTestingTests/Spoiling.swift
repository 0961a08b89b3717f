import Chronicle

@testable import ExampleStore

// The parts of requests and answers with something else in them.

extension PropertyValue {
    var isReference: Bool {
        if case .reference = self { true } else { false }
    }
}

extension DefaultSnapshot {
    func with(_ values: [PropertyValue]) -> DefaultSnapshot {
        DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }

    func changing(_ slots: some Sequence<Int>) -> DefaultSnapshot {
        var changed = PropertySet()
        for slot in slots { changed.insert(slot) }
        return DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }

    /// The values with the reference that the first row of the entity with one has.
    func values(referringLike rows: [DefaultSnapshot]) -> [PropertyValue] {
        let name = persistentIdentifier.entityName
        return values.enumerated().map { slot, value in
            guard value.isReference else { return value }
            return rows.first { $0.persistentIdentifier.entityName == name && $0.values[slot].isReference }?.values[
                slot]
                ?? value
        }
    }
}

extension DataStoreSaveChangesRequest {
    func with(
        inserted: [Snapshot]? = nil, updated: [Snapshot]? = nil, deleted: [Snapshot]? = nil
    ) -> DataStoreSaveChangesRequest {
        DataStoreSaveChangesRequest(
            editingState: editingState, inserted: inserted ?? self.inserted, updated: updated ?? self.updated,
            deleted: deleted ?? self.deleted)
    }

    func with(author: String?) -> DataStoreSaveChangesRequest {
        DataStoreSaveChangesRequest(
            editingState: EditingState(id: editingState.id, author: author, contextName: nil), inserted: inserted,
            updated: updated, deleted: deleted)
    }
}

extension MemoryContents.Table {
    var emptied: MemoryContents.Table { MemoryContents.Table(properties: properties, rows: [:], lastKey: lastKey) }

    func with(lastKey: Int64) -> MemoryContents.Table {
        MemoryContents.Table(properties: properties, rows: rows, lastKey: lastKey)
    }
}

extension MemoryTransaction {
    func with(_ changes: [HistoryChange]) -> MemoryTransaction {
        MemoryTransaction(
            author: author, changes: changes, storeIdentifier: storeIdentifier, timestamp: timestamp, token: token,
            transactionIdentifier: transactionIdentifier)
    }
}
