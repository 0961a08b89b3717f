extension Schema {
    /// The class of an entity, for what is generic over models: ``RemovedModel`` when the schema does not have it.
    ///
    /// Swift opens the type when it is passed to a generic function. That is how a store makes changes of the right type
    /// of what it keeps by name:
    ///
    /// ```swift
    /// func insert<Model: PersistentModel>(of model: Model.Type) -> HistoryChange {
    ///     .insert(MyInsert<Model>(…))
    /// }
    /// let change = insert(of: schema.modelType(named: record.entityName))
    /// ```
    public func modelType(named entityName: String) -> any PersistentModel.Type {
        entitiesByName[entityName]?.type ?? RemovedModel.self
    }
}

extension Schema.Entity {
    /// The attributes marked `.preserveValueOnDeletion`: what the history of a delete keeps.
    public var preservedProperties: [Schema.Property] {
        storedProperties.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    }
}
