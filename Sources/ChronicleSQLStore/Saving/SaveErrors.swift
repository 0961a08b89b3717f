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
    /// - Parameter key: A closure that receives a model and the name of its table, and returns the key of its row, if the store has
    ///   one.
    /// - Throws: An error that describes the relationship of the other model.
    package func ownerKey(_ link: DataStoreLink, _ key: (PersistentIdentifier, String) -> Int64?) throws -> Int64 {
        guard let key = key(link.owner, owner) else { throw unresolvedReference(link, isOwner: true) }
        return key
    }

    /// - Parameter key: As for ``ownerKey(_:_:)``.
    package func destinationKey(_ link: DataStoreLink, _ key: (PersistentIdentifier, String) -> Int64?) throws -> Int64
    {
        guard let key = key(link.destination, destination) else { throw unresolvedReference(link, isOwner: false) }
        return key
    }

    private func unresolvedReference(_ link: DataStoreLink, isOwner: Bool) -> SwiftDataError {
        isOwner
            ? .unresolvedReference(
                entityName: destination, propertyName: inverse?.name, persistentIdentifier: link.destination)
            : .unresolvedReference(
                entityName: owner, propertyName: property.name, persistentIdentifier: link.owner)
    }
}
