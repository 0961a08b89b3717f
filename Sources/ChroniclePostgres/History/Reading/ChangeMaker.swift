#if Postgres
    import ChronicleCore

    struct ChangeRow {
        /// Increases in the order of the history.
        let number: Int64
        let transaction: Int64
        let model: PersistentIdentifier
    }

    protocol ChangeMaker: Sendable {
        func insert(_ row: ChangeRow, _ values: [PreservedValue], hasAllValues: Bool) -> HistoryChange
        func update(_ row: ChangeRow, _ names: [String], _ values: [PreservedValue]) -> HistoryChange
        func delete(
            _ row: ChangeRow, _ values: [(name: String, value: any Sendable)], nil: [String], hasAllValues: Bool,
            hasAllLinks: Bool
        ) -> HistoryChange
    }

    struct TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
        func insert(_ row: ChangeRow, _ values: [PreservedValue], hasAllValues: Bool) -> HistoryChange {
            .insert(
                DefaultHistoryInsert<Model>(
                    changeIdentifier: row.number, transactionIdentifier: row.transaction,
                    changedPersistentIdentifier: row.model, preservedValues: values, hasAllValues: hasAllValues))
        }

        func update(_ row: ChangeRow, _ names: [String], _ values: [PreservedValue]) -> HistoryChange {
            .update(
                DefaultHistoryUpdate<Model>(
                    changeIdentifier: row.number, transactionIdentifier: row.transaction,
                    changedPersistentIdentifier: row.model, updatedAttributeNames: names, preservedValues: values))
        }

        func delete(
            _ row: ChangeRow, _ values: [(name: String, value: any Sendable)], nil: [String], hasAllValues: Bool,
            hasAllLinks: Bool
        ) -> HistoryChange {
            .delete(
                DefaultHistoryDelete<Model>(
                    changeIdentifier: row.number, transactionIdentifier: row.transaction,
                    changedPersistentIdentifier: row.model,
                    tombstone: HistoryTombstone(values, nilAttributeNames: `nil`), hasAllValues: hasAllValues,
                    hasAllLinks: hasAllLinks))
        }
    }
#endif
