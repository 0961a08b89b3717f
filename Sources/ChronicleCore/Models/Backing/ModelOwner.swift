/// The part of a context that its models call, so that models do not depend on contexts and stores.
///
/// Getters, setters and deinitializers call the methods and cannot throw, so errors are recorded and thrown by the next fetch or
/// save.
protocol ModelOwner: AnyObject {
    func loadRow(of backing: AnyBackingData)
    func markPending(_ backing: AnyBackingData)
    /// Records that a model with unsaved changes was released after its context.
    func discardChanges(of backing: AnyBackingData)
    /// Records an error because a change cannot be saved: of an attribute that is not in the schema, or of an instance that was
    /// replaced by another one.
    func rejectChange(of backing: AnyBackingData)
    /// Notifies the observers of a property, or of all properties, when the current operation of the context ends.
    func didChange(_ observation: ModelObservation, _ property: ObservedProperty?)
    func remove(_ entity: ContextEntity)

    func value<Value>(of property: Schema.Property, in backing: AnyBackingData) -> Value
    /// - Returns: The value for the wrapper to hold: an empty value, or `nil` for a required to-one relationship. Holding the
    ///   destinations in the wrapper as well would create reference cycles.
    func setValue<Value>(_ value: Value, of property: Schema.Property, in backing: AnyBackingData) -> Value?
    func beginChange<Value>(of property: Schema.Property, in backing: AnyBackingData) -> RelationshipModification<Value>
    func endChange<Value>(_ change: RelationshipModification<Value>, in backing: AnyBackingData)
}
