import Chronicle

@testable import ExampleStore

// Modified copies of requests, responses, and their parts.

extension PropertyValue {
    var isReference: Bool {
        if case .reference = self { true } else { false }
    }

    func references(_ row: DefaultSnapshot) -> Bool { self == .reference(row.persistentIdentifier) }

    var text: String {
        if case .text(let text) = self { text } else { "" }
    }

    var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }
}

extension DefaultSnapshot {
    var key: Int64 { persistentIdentifier.integerPrimaryKey ?? 0 }

    func with(_ values: [PropertyValue]) -> DefaultSnapshot {
        DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }

    func changing(_ slots: some Sequence<Int>) -> DefaultSnapshot {
        var changed = PropertySet()
        for slot in slots { changed.insert(slot) }
        return DefaultSnapshot(persistentIdentifier: persistentIdentifier, values: values, changed: changed)
    }

    /// Returns the values with the reference of the first row of the entity that has one.
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

extension [DefaultSnapshot] {
    /// Returns the rows without those that have the same reference as an earlier one.
    var withOneOfEachList: [DefaultSnapshot] {
        var seen = Set<PropertyValue>()
        return filter { row in
            let references = row.changed.map { row.values[$0] }.filter(\.isReference)
            return references.allSatisfy { seen.insert($0).inserted }
        }
    }
}

extension DataStoreSaveChangesRequest {
    func with(
        inserted: [SnapshotType]? = nil, updated: [SnapshotType]? = nil, deleted: [SnapshotType]? = nil,
        linked: [DataStoreLink]? = nil, unlinked: [DataStoreLink]? = nil
    ) -> DataStoreSaveChangesRequest {
        DataStoreSaveChangesRequest(
            editingState: editingState, inserted: inserted ?? self.inserted, updated: updated ?? self.updated,
            deleted: deleted ?? self.deleted, linked: linked ?? self.linked, unlinked: unlinked ?? self.unlinked,
            acknowledgement: acknowledgement)
    }

    func with(author: String?) -> DataStoreSaveChangesRequest {
        DataStoreSaveChangesRequest(
            editingState: EditingState(id: editingState.id, author: author, contextName: nil), inserted: inserted,
            updated: updated, deleted: deleted, linked: linked, unlinked: unlinked, acknowledgement: acknowledgement)
    }

    var withoutAcknowledgement: DataStoreSaveChangesRequest {
        DataStoreSaveChangesRequest(
            editingState: editingState, inserted: inserted, updated: updated, deleted: deleted, linked: linked,
            unlinked: unlinked)
    }
}

extension MemoryContents.Table {
    var emptied: MemoryContents.Table { MemoryContents.Table(properties: properties, rows: [:], lastKey: lastKey) }

    func with(lastKey: Int64) -> MemoryContents.Table {
        MemoryContents.Table(properties: properties, rows: rows, lastKey: lastKey)
    }
}

extension DefaultHistoryTransaction {
    func with(_ changes: [HistoryChange]) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: transactionIdentifier, storeIdentifier: storeIdentifier, token: token,
            timestamp: timestamp, author: author, contextName: contextName, bundleIdentifier: bundleIdentifier,
            processIdentifier: processIdentifier, metadata: metadata, changes: changes)
    }
}
