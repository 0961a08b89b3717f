extension ModelContext {
    /// What a save did with changes that conflicted with the rows of the store.
    public struct SaveResult: Sendable {
        /// The changes that were not written, because another writer had deleted the rows of the models.
        public internal(set) var droppedChanges: [DroppedChange] = []
        /// The rows that inserted models were merged into, because they have the same unique values. The history contains an update
        /// of such a row, or no change if the row already had the values.
        public internal(set) var mergedIdentifiers: Set<PersistentIdentifier> = []
    }

    /// The unsaved changes of a model that a save did not write, because the row of the model was deleted. Use it to inform the
    /// user, or to insert the model again.
    public struct DroppedChange: Sendable {
        /// The identifier of the model.
        public let persistentIdentifier: PersistentIdentifier
        /// The names of the changed properties, in the order of their declaration.
        public let updatedAttributeNames: [String]
        private let values: [String: any Sendable]

        init(
            _ persistentIdentifier: PersistentIdentifier, _ changes: [(name: String, value: (any Sendable)?)]
        ) {
            self.persistentIdentifier = persistentIdentifier
            updatedAttributeNames = changes.map(\.name)
            values = Dictionary(
                changes.compactMap { name, value in value.map { (name, $0) } }, uniquingKeysWith: { first, _ in first })
        }

        /// Returns the value that was not written.
        ///
        /// The value of a to-one relationship is the `PersistentIdentifier` of the destination, and that of a to-many relationship
        /// is a `[PersistentIdentifier]` of the destinations that were added.
        ///
        /// - Parameter name: The name of the property.
        /// - Returns: The value, or `nil` if the property was set to `nil` or was not changed.
        public func value(named name: String) -> (any Sendable)? { values[name] }

        /// Returns the value of an attribute that was not written.
        ///
        /// - Parameter keyPath: The key path of the attribute.
        /// - Returns: The value, or `nil` if the attribute was set to `nil` or was not changed.
        public func value<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> Value? {
            // Not a cast of the optional: nil can be cast to optional types.
            Model.allProperties.name(of: keyPath).flatMap { values[$0] }.flatMap { $0 as? Value }
        }
    }

    /// What the last ``save()`` did with changes that conflicted with the rows of the store; empty if there were no conflicts.
    public var lastSaveResult: SaveResult { storage.lastSaveResult }
}
