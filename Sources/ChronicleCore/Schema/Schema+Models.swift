extension Schema {
    /// Returns the model class of an entity.
    ///
    /// Pass the result to a generic function, for example to create a `MyInsert<Model>` from a stored entity name.
    ///
    /// - Parameter entityName: The name of the entity.
    /// - Returns: The model class, or ``UntypedModel`` if the schema does not contain the entity or its class.
    public func modelType(named entityName: String) -> any PersistentModel.Type {
        entitiesByName[entityName]?.type ?? UntypedModel.self
    }
}

extension Schema.Entity {
    /// The attributes with the option `preserveValueOnDeletion`, whose values the history of a delete contains.
    public var preservedProperties: [Schema.Property] {
        storedProperties.filter { $0.attribute?.options.contains(.preserveValueOnDeletion) == true }
    }
}

extension PersistentModel {
    /// The message for a class that is a model only because its superclass is one; `nil` for other classes.
    private static var inheritance: String? {
        !isSubclass || ownSubclass != nil
            ? nil
            : "\(Self.self) inherits from the model \(ModelClass.self) but is not a model itself; attach @Model to it "
                + "(without macros, override modelSubclass), and declare modelSubclass in \(ModelClass.self)"
    }

    static func checkInheritance() throws {
        guard let inheritance else { return }
        throw SwiftDataError.invalidModel.with(detail: inheritance, entityName: entityName)
    }

    static func missing(_ detail: String) -> SwiftDataError {
        (inheritance == nil ? SwiftDataError.unknownSchema : .invalidModel)
            .with(detail: inheritance ?? detail, entityName: entityName)
    }
}
