package import ChronicleCore

// The keys of the rows that relationships reference.

extension PersistentIdentifier {
    /// Returns the key of the row, or `nil` if the model was not saved, belongs to another store or has another entity.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store whose relationship references the model.
    ///   - rootEntityName: The name of the table that the relationship references.
    package func key(in storeIdentifier: String, _ rootEntityName: String) -> Int64? {
        guard let key = integerPrimaryKey, self.storeIdentifier == storeIdentifier,
            self.rootEntityName == rootEntityName
        else { return nil }
        return key
    }
}

extension SwiftDataError {
    /// - Parameters:
    ///   - entityName: The entity of the model with the relationship.
    ///   - propertyName: The relationship.
    ///   - persistentIdentifier: The model with the relationship.
    package static func unresolvedReference(
        entityName: String, propertyName: String?, persistentIdentifier: PersistentIdentifier
    ) -> SwiftDataError {
        .modelValidationFailure.with(
            detail:
                "the relationship references a model that was not saved or belongs to another store; assign another "
                + "model and save again",
            entityName: entityName, propertyName: propertyName, persistentIdentifier: persistentIdentifier)
    }
}

extension SwiftDataError {
    /// Returns the error for a row that a save changes and that does not exist any more.
    package static func deletedElsewhere(
        _ persistentIdentifier: PersistentIdentifier?, entityName: String?, underlying: (any Error)? = nil
    ) -> SwiftDataError {
        .modelNotFound.with(
            detail: "another context or program deleted the model; roll back and fetch again",
            entityName: entityName, persistentIdentifier: persistentIdentifier, underlying: underlying)
    }
}

extension Schema.Links {
    /// Returns the error for a link with a model that the store does not have. It describes the relationship of the other model.
    ///
    /// - Parameter isOwner: Whether the store does not have the owner of the link.
    package func unresolvedReference(_ link: DataStoreLink, isOwner: Bool) -> SwiftDataError {
        isOwner
            ? .unresolvedReference(
                entityName: destination, propertyName: inverse?.name, persistentIdentifier: link.destination)
            : .unresolvedReference(
                entityName: owner, propertyName: property.name, persistentIdentifier: link.owner)
    }
}
