public import Foundation

/// A request to change properties of the rows that match a predicate.
public struct DataStoreBatchUpdateRequest<T: PersistentModel>: Sendable {
    /// The condition that the rows to update match, or `nil` for all rows.
    public let predicate: Predicate<T>?
    /// The new values; each property occurs at most once.
    public let updates: [PropertyUpdate<T>]
    /// The context that makes the request, with the author and context name of the transaction.
    public let editingState: EditingState

    /// Creates a request to update rows.
    ///
    /// - Parameters:
    ///   - predicate: The condition that the rows to update match, or `nil` for all rows.
    ///   - updates: The new values.
    ///   - editingState: The context that makes the request.
    public init(predicate: Predicate<T>?, updates: [PropertyUpdate<T>], editingState: EditingState) {
        self.predicate = predicate
        self.updates = updates
        self.editingState = editingState
    }

    /// Returns the attributes and their new values in the form that stores can translate.
    ///
    /// - Parameter schema: The schema of the store.
    /// - Returns: The new values, in the order of ``updates``.
    /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if a key path is not an attribute, or occurs twice;
    ///   ``SwiftDataError/unsupportedPredicate`` if an expression cannot be translated: throw
    ///   ``DataStoreError/preferInMemoryFilter`` to let the context evaluate it; ``SwiftDataError/valueOutOfRange`` or
    ///   ``SwiftDataError/modelValidationFailure`` if a value cannot be stored; ``SwiftDataError/unknownSchema`` if the schema does
    ///   not contain the model.
    public func values(in schema: Schema) throws -> [DataStoreBatchValue] {
        guard let entity = schema.entity(for: T.self) else {
            throw SwiftDataError.unknownSchema.with(entityName: T.entityName)
        }
        return try updates.map { try $0.value(in: entity, schema) }
    }
}

/// The new value of an attribute in a batch update.
public struct DataStoreBatchValue: Sendable {
    /// The attribute.
    public let property: Schema.Property
    /// The new value, an expression of the values before the update.
    public let value: PredicateTree<ModelProperty>
}
