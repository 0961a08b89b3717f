// From the name of an entity to changes of its class, for stores that have no change types of their own.
extension HistoryChange {
    /// A ``DefaultHistoryInsert`` of the class that an identifier's entity has in a schema; of ``RemovedModel`` when it has
    /// none.
    public static func insert(
        of model: PersistentIdentifier, changeIdentifier: Int64, transactionIdentifier: Int64, schema: Schema
    ) -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            .insert(
                DefaultHistoryInsert<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model))
        }
        // Swift opens the type: the function gets the class itself.
        return change(schema.modelType(named: model.entityName))
    }

    /// A ``DefaultHistoryUpdate``, with the attributes by name.
    public static func update(
        of model: PersistentIdentifier, updatedAttributeNames: [String], changeIdentifier: Int64,
        transactionIdentifier: Int64, schema: Schema
    ) -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            .update(
                DefaultHistoryUpdate<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model, updatedAttributeNames: updatedAttributeNames))
        }
        return change(schema.modelType(named: model.entityName))
    }

    /// A ``DefaultHistoryDelete``, with a tombstone of what the store kept, by attribute name.
    ///
    /// - Throws: ``SwiftDataError/undecodableValue``, as ``HistoryTombstone/init(decoding:_:)`` does.
    public static func delete(
        of model: PersistentIdentifier, kept: [(name: String, value: PropertyValue)], changeIdentifier: Int64,
        transactionIdentifier: Int64, schema: Schema
    ) throws -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) throws -> HistoryChange {
            .delete(
                DefaultHistoryDelete<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model, tombstone: try HistoryTombstone(decoding: kept, schema)))
        }
        return try change(schema.modelType(named: model.entityName))
    }
}
