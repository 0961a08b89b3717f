import Chronicle

/// Converts a record to a transaction with changes of the models' types.
struct TransactionMaker {
    let schema: Schema
    let storeIdentifier: String

    func transaction(_ record: JournalRecord, _ tables: inout Tables) throws -> JournalTransaction {
        var reader = record.reader
        let head = try TransactionHead(&reader)
        var changes: [HistoryChange] = []
        var changeReader = ChangeReader(skipsValues: true)
        while !reader.isAtEnd {
            let change = try changeReader.read(&reader, &tables)
            changes.append(
                typed(change, head.firstChange + changes.count, in: record.number, tables[change.table]))
        }
        let position = JournalPosition(number: record.number, checksum: record.checksum)
        return JournalTransaction(
            author: head.author, changes: changes, storeIdentifier: storeIdentifier, timestamp: head.timestamp,
            token: JournalToken(storeIdentifier: storeIdentifier, position), transactionIdentifier: record.number)
    }

    private func typed(_ change: Change, _ number: Int, in transaction: Int, _ table: Table) -> HistoryChange {
        let model = table.layout.origin.identifier(change.key)
        let names = change.columns.map { table.columns[$0] }
        func typed<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange {
            switch change.kind {
            case .insert: return .insert(JournalInsert<Model>(number, transaction, model))
            case .update: return .update(JournalUpdate<Model>(number, transaction, model, names))
            case .delete:
                let kept = zip(names, change.values).map { (name: $0, value: $1) }
                let tombstone = HistoryTombstone<Model>(decoding: kept, schema, model: model)
                return .delete(JournalDelete<Model>(number, transaction, model, tombstone))
            }
        }
        // Swift opens the existential type, so that the function receives the class itself.
        return typed(schema.modelType(named: table.layout.name))
    }
}
