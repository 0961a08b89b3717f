import ChronicleCore

/// Creates the typed changes of one entity. Only the implementation knows the model type.
///
/// Takes runs of changes that differ only in their model, so that shared data is looked up once.
protocol ChangeMaker: Sendable {
    func inserts(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        into changes: inout [HistoryChange])
    /// Appends updates of the same attributes.
    func updates(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        names: [String], into changes: inout [HistoryChange])
    func delete(
        _ row: ChangeBuffer.Row, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: [HistoryTombstone<RemovedModel>.Element]
    ) -> HistoryChange
}

struct TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
    func inserts(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        into changes: inout [HistoryChange]
    ) {
        for row in rows {
            changes.append(
                .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: row.position, transactionIdentifier: transaction,
                        changedPersistentIdentifier: origin.identifier(row.key))))
        }
    }

    func updates(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        names: [String], into changes: inout [HistoryChange]
    ) {
        for row in rows {
            changes.append(
                .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: row.position, transactionIdentifier: transaction,
                        changedPersistentIdentifier: origin.identifier(row.key), updatedAttributeNames: names)))
        }
    }

    func delete(
        _ row: ChangeBuffer.Row, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: [HistoryTombstone<RemovedModel>.Element]
    ) -> HistoryChange {
        .delete(
            DefaultHistoryDelete<Model>(
                changeIdentifier: row.position, transactionIdentifier: transaction,
                changedPersistentIdentifier: identifier, tombstone: HistoryTombstone(kept)))
    }
}
