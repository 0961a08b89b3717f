import ChronicleCore

/// Creates the typed changes of one entity. Runs of changes that differ only in their model share one lookup. A change with
/// preserved values is a run by itself.
protocol ChangeMaker: Sendable {
    func inserts(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        values: [PreservedValue], hasAllValues: Bool, into changes: inout [HistoryChange])
    func updates(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        names: [String], values: [PreservedValue], into changes: inout [HistoryChange])
    func delete(
        _ row: ChangeBuffer.Row, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: HistoryTombstone<UntypedModel>, hasAllValues: Bool, hasAllLinks: Bool
    ) -> HistoryChange
}

struct TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
    func inserts(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        values: [PreservedValue], hasAllValues: Bool, into changes: inout [HistoryChange]
    ) {
        for row in rows {
            changes.append(
                .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: row.position, transactionIdentifier: transaction,
                        changedPersistentIdentifier: origin.identifier(row.key), preservedValues: values,
                        hasAllValues: hasAllValues)))
        }
    }

    func updates(
        _ rows: ArraySlice<ChangeBuffer.Row>, of transaction: Int64, _ origin: PersistentIdentifier.Origin,
        names: [String], values: [PreservedValue], into changes: inout [HistoryChange]
    ) {
        for row in rows {
            changes.append(
                .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: row.position, transactionIdentifier: transaction,
                        changedPersistentIdentifier: origin.identifier(row.key), updatedAttributeNames: names,
                        preservedValues: values)))
        }
    }

    func delete(
        _ row: ChangeBuffer.Row, of transaction: Int64, _ identifier: PersistentIdentifier,
        kept: HistoryTombstone<UntypedModel>, hasAllValues: Bool, hasAllLinks: Bool
    ) -> HistoryChange {
        .delete(
            DefaultHistoryDelete<Model>(
                changeIdentifier: row.position, transactionIdentifier: transaction,
                changedPersistentIdentifier: identifier,
                tombstone: HistoryTombstone(kept.namedValues, nilAttributeNames: kept.nilAttributeNames),
                hasAllValues: hasAllValues, hasAllLinks: hasAllLinks))
    }
}
