/// The part of a context that its models call.
///
/// Models, their schema and their values do not depend on contexts and stores; a context implements this protocol. The
/// methods are called by getters, setters and deinitializers, which cannot throw: errors are recorded for the next fetch
/// or save.
protocol ModelOwner: AnyObject {
    /// Loads the row of a model that was created without it.
    func loadRow(of backing: AnyBackingData)
    /// Records that a model has unsaved changes.
    func list(_ backing: AnyBackingData)
    /// Records that a model with unsaved changes was released after its context.
    func discardChanges(of backing: AnyBackingData)
    /// Records that an attribute was set that is not in the schema.
    func rejectChange(of backing: AnyBackingData)
    /// Removes an entity that is being released.
    func remove(_ entity: ContextEntity)

    /// Returns the value of a relationship.
    func value<Value>(of property: Schema.Property, in backing: AnyBackingData) -> Value
    /// Sets a relationship.
    ///
    /// - Returns: The value for the wrapper to hold. The context keeps the destinations; holding them in the wrapper as
    ///   well would create reference cycles.
    func setValue<Value>(_ value: Value, of property: Schema.Property, in backing: AnyBackingData) -> Value?
    /// Moves the value of a relationship out, so that the caller can change it in place as its only owner.
    func beginChange<Value>(of property: Schema.Property, in backing: AnyBackingData) -> RelationshipChange<Value>
    /// Stores a value that was changed in place.
    func endChange<Value>(_ change: RelationshipChange<Value>, in backing: AnyBackingData)
}
