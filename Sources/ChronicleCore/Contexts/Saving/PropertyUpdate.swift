public import Foundation

/// The new value of a property in a batch update: a constant, or an expression that is evaluated for each row.
///
/// All expressions of a batch update read the values from before the update; see ``ModelContext/update(model:where:set:)``.
public struct PropertyUpdate<Model: PersistentModel>: Sendable {
    /// The key path of the property.
    public let keyPath: any PartialKeyPath<Model> & Sendable
    private let makeTree: @Sendable (Schema, Schema.Property) throws -> PredicateTree<ModelProperty>
    private let makeSetter: @Sendable (Model, Schema, Schema.Property) throws -> () -> Void

    /// Creates an update that sets a property to a value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute.
    ///   - value: The new value.
    public init<Value: Sendable>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to value: Value
    ) {
        self.keyPath = keyPath
        makeTree = { _, property in .constant(try Self.encode(value, property)) }
        makeSetter = { model, _, property in
            _ = try Self.encode(value, property)
            return { model[keyPath: keyPath] = value }
        }
    }

    /// Creates an update that sets a property to the value of an expression.
    ///
    /// Operators on key paths create simple expressions, such as `\.rating + 1`; the macro `#Expression` creates all others. A
    /// store can evaluate what it can evaluate in a predicate; otherwise, the context fetches the models.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an attribute.
    ///   - expression: The new value, calculated from the stored values of a model.
    public init<Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, to expression: Expression<Model, Value>
    ) {
        self.init(keyPath, expression) { $0 }
    }

    /// Creates an update that sets an optional property to the value of an expression that is never nil.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of an optional attribute.
    ///   - expression: The new value, calculated from the stored values of a model.
    public init<Value>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value?> & Sendable, to expression: Expression<Model, Value>
    ) {
        self.init(keyPath, expression) { $0 }
    }

    private init<Value, Output>(
        _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable, _ expression: Expression<Model, Output>,
        _ convert: @escaping @Sendable (Output) -> Value
    ) {
        self.keyPath = keyPath
        makeTree = { schema, _ in try PredicateTree(expression, schema: schema) }
        makeSetter = { model, schema, property in
            let value = try Self.value(of: expression, for: model, schema, property, convert)
            return { model[keyPath: keyPath] = value }
        }
    }
}

extension PropertyUpdate {
    func value(in entity: Schema.Entity, _ schema: Schema) throws -> DataStoreBatchValue {
        let property = try attribute(in: entity)
        do { return DataStoreBatchValue(property: property, value: try makeTree(schema, property)) } catch let error
            as SwiftDataError
        {
            throw error.with(entityName: entity.name, propertyName: property.name)
        }
    }

    /// The setter uses the current values of the model.
    func setter(for model: Model, in entity: Schema.Entity, _ schema: Schema) throws -> () -> Void {
        let property = try attribute(in: entity)
        do { return try makeSetter(model, schema, property) } catch let error as SwiftDataError {
            throw error.with(
                entityName: entity.name, propertyName: property.name, persistentIdentifier: model.persistentModelID)
        }
    }

    /// Throws ``SwiftDataError/unsupportedKeyPath`` if the key path is not an attribute of the entity.
    func attribute(in entity: Schema.Entity) throws -> Schema.Property {
        guard let property = entity.property(at: keyPath), property.slot >= 0 else {
            throw SwiftDataError.unsupportedKeyPath.with(
                detail: "a batch update can only set stored attributes; fetch the models to set other properties",
                entityName: entity.name)
        }
        guard property.isAttribute else {
            throw SwiftDataError.unsupportedKeyPath.with(
                detail: "a batch update cannot set relationships; fetch the models and set \(property.name)",
                entityName: entity.name, propertyName: property.name)
        }
        return property
    }

    private static func encode<Value>(_ value: Value, _ property: Schema.Property) throws -> PropertyValue {
        do {
            guard let encoded = try property.codec?.encodeAny(value) else {
                throw SwiftDataError.modelValidationFailure.with(
                    detail: "the value has another type than the property", propertyName: property.name)
            }
            return encoded
        } catch let error as SwiftDataError { throw error } catch {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the value cannot be encoded", propertyName: property.name, underlying: error)
        }
    }

    private static func value<Value, Output>(
        of expression: Expression<Model, Output>, for model: Model, _ schema: Schema, _ property: Schema.Property,
        _ convert: (Output) -> Value
    ) throws -> Value {
        let tree: PredicateTree<ModelProperty>
        do { tree = try PredicateTree(expression, schema: schema) } catch let error as SwiftDataError
            where SwiftDataError.unsupportedPredicate ~= error
        {
            return convert(try expression.evaluate(model))
        }
        let result = try tree.value(for: model)
        guard let value = property.codec?.decodeAny(result) as? Value else {
            throw SwiftDataError.valueOutOfRange.with(
                detail: "the new value exceeds the range of \(property.valueType); exclude the row with the predicate")
        }
        return value
    }
}
