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

extension PersistentModel {
    /// What is wrong with a class that is a model only because its superclass is one; `nil` for every other.
    private static var inheritance: String? {
        ModelClass.self == Self.self
            ? nil
            : "\(Self.self) inherits from the model \(ModelClass.self), and models are not inherited: "
                + "give it a relationship to \(ModelClass.self) instead, or \(ModelClass.self) its properties"
    }

    /// Says that a schema cannot have this class, and why.
    static func checkInheritance() throws {
        guard let inheritance else { return }
        throw SwiftDataError.invalidModel.with(detail: inheritance, entityName: entityName)
    }

    /// The error about a class that a schema does not have.
    static func missing(_ detail: String) -> SwiftDataError {
        (inheritance == nil ? SwiftDataError.unknownSchema : .invalidModel)
            .with(detail: inheritance ?? detail, entityName: entityName)
    }
}
