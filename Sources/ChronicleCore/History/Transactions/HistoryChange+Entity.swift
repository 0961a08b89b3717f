// Changes for the entity name of an identifier, for stores without custom change types.
extension HistoryChange {
    /// Returns a ``DefaultHistoryInsert`` with the model class of the identifier's entity, for a store without custom change types.
    ///
    /// - Parameters:
    ///   - model: The identifier of the inserted model.
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - preservedValues: The initial values that the history preserves.
    ///   - schema: The schema of the store.
    /// - Returns: The change, of the class ``UntypedModel`` if the schema does not contain the entity.
    public static func insert(
        of model: PersistentIdentifier, changeIdentifier: Int64, transactionIdentifier: Int64,
        preservedValues: [PreservedValue] = [], schema: Schema
    ) -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            .insert(
                DefaultHistoryInsert<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model, preservedValues: preservedValues))
        }
        // Swift opens the existential, so that `Model` is the class itself.
        return change(schema.modelType(named: model.entityName))
    }

    /// Returns a ``DefaultHistoryUpdate`` with the model class of the identifier's entity.
    ///
    /// - Parameters:
    ///   - model: The identifier of the updated model.
    ///   - updatedAttributeNames: The names of the changed attributes and relationships.
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - preservedValues: The values before and after the update that the history preserves.
    ///   - schema: The schema of the store.
    /// - Returns: The change, of the class ``UntypedModel`` if the schema does not contain the entity.
    public static func update(
        of model: PersistentIdentifier, updatedAttributeNames: [String], changeIdentifier: Int64,
        transactionIdentifier: Int64, preservedValues: [PreservedValue] = [], schema: Schema
    ) -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            .update(
                DefaultHistoryUpdate<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model, updatedAttributeNames: updatedAttributeNames,
                    preservedValues: preservedValues))
        }
        return change(schema.modelType(named: model.entityName))
    }

    /// Returns a ``DefaultHistoryDelete`` with the model class of the identifier's entity.
    ///
    /// - Parameters:
    ///   - model: The identifier of the deleted model.
    ///   - kept: The preserved values by attribute name.
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - schema: The schema of the store.
    /// - Returns: The change, of the class ``UntypedModel`` if the schema does not contain the entity. Its tombstone contains an
    ///   ``UndecodableValue`` for each value that is not valid for the type of its attribute.
    public static func delete(
        of model: PersistentIdentifier, kept: [(name: String, value: PropertyValue)], changeIdentifier: Int64,
        transactionIdentifier: Int64, schema: Schema
    ) -> HistoryChange {
        func change<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
            .delete(
                DefaultHistoryDelete<Model>(
                    changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
                    changedPersistentIdentifier: model,
                    tombstone: HistoryTombstone(decoding: kept, schema, model: model)))
        }
        return change(schema.modelType(named: model.entityName))
    }
}
