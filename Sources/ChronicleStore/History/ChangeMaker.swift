import ChronicleCore

/// Makes the typed changes of one entity; its class is known to the implementation only.
protocol ChangeMaker: Sendable {
    func insert(_ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier) -> HistoryChange
    func update(
        _ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier, names: [String]
    ) -> HistoryChange
    func delete(
        _ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: [HistoryTombstone<RemovedModel>.Element]
    ) -> HistoryChange
}

struct TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
    func insert(_ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier) -> HistoryChange {
        .insert(
            DefaultHistoryInsert<Model>(
                changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier))
    }

    func update(
        _ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier, names: [String]
    ) -> HistoryChange {
        .update(
            DefaultHistoryUpdate<Model>(
                changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                updatedAttributeNames: names))
    }

    func delete(
        _ change: Int64, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: [HistoryTombstone<RemovedModel>.Element]
    ) -> HistoryChange {
        .delete(
            DefaultHistoryDelete<Model>(
                changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                tombstone: HistoryTombstone(kept)))
    }
}
