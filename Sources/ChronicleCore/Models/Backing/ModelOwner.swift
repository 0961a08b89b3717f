/// The part of a context that its models call.
///
/// Because of this protocol, which ``ContextStorage`` implements, models, their schema and their values do not depend
/// on contexts and stores. Getters, setters and deinitializers call the methods and cannot throw, so errors are
/// recorded and thrown by the next fetch or save.
protocol ModelOwner: AnyObject {
    /// Loads the row of a model that was created without it.
    func loadRow(of backing: AnyBackingData)
    /// Adds a model to the models with unsaved changes.
    func markPending(_ backing: AnyBackingData)
    /// Records that a model with unsaved changes was released after its context.
    func discardChanges(of backing: AnyBackingData)
    /// Records an error because a change cannot be saved: of an attribute that is not in the schema, or of an instance
    /// that was replaced by another one.
    func rejectChange(of backing: AnyBackingData)
    /// Notifies the observers of a property, or of all properties, when the current operation of the context ends.
    func didChange(_ observation: ModelObservation, _ property: ObservedProperty?)
    /// Removes an entity that is being released.
    func remove(_ entity: ContextEntity)

    /// Returns the value of a relationship.
    func value<Value>(of property: Schema.Property, in backing: AnyBackingData) -> Value
    /// Sets a relationship.
    ///
    /// - Returns: The value for the wrapper to hold: an empty value, or `nil` for a required to-one relationship. The
    ///   context keeps the destinations; holding them in the wrapper as well would create reference cycles.
    func setValue<Value>(_ value: Value, of property: Schema.Property, in backing: AnyBackingData) -> Value?
    /// Moves the value of a relationship out, so that the caller can change it in place as its only owner.
    func beginChange<Value>(of property: Schema.Property, in backing: AnyBackingData) -> RelationshipModification<Value>
    /// Stores a value that was changed in place.
    func endChange<Value>(_ change: RelationshipModification<Value>, in backing: AnyBackingData)
}
