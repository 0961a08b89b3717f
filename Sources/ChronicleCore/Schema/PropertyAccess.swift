/// Access to the values of a property, with the static types that the schema erases.
protocol PropertyAccess: Sendable {
    var anyKeyPath: AnyKeyPath { get }
    var codec: (any AnyPropertyCodec)? { get }
    var hasDefault: Bool { get }
    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue
    func destinations(_ model: any PersistentModel) -> [any PersistentModel]
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel)
    /// Returns a value of the property's type that references the given models.
    func value<Value>(leadingTo destinations: [AnyObject], as: Value.Type) -> Value?
    /// Returns the models that a value of the property's type references.
    func destinations<Value>(in value: Value) -> [AnyObject]
    /// Converts a destination to a model.
    func model(_ destination: AnyObject) -> any PersistentModel
    /// Whether the property's type is an array, which programs change in place.
    var isArray: Bool { get }
}

/// Access to the values of an attribute.
///
/// Reason for `@unchecked Sendable`: the key path of a stored property has no captures and is immutable, which its type
/// does not express.
struct AttributeAccess<Model: PersistentModel, Value>: PropertyAccess, @unchecked Sendable {
    let keyPath: KeyPath<Model, Value>
    let typedCodec: PropertyCodec<Value>
    let hasDefault: Bool

    var anyKeyPath: AnyKeyPath { keyPath }
    var codec: (any AnyPropertyCodec)? { typedCodec }

    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue {
        do {
            return try typedCodec.encode(unsafeDowncast(model, to: Model.self)[keyPath: keyPath])
        } catch let error as SwiftDataError {
            throw error.with(entityName: Model.entityName, propertyName: property.name)
        } catch {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the value cannot be encoded", entityName: Model.entityName, propertyName: property.name,
                underlying: error)
        }
    }

    func destinations(_ model: any PersistentModel) -> [any PersistentModel] { [] }
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel) {}
    func value<Other>(leadingTo destinations: [AnyObject], as: Other.Type) -> Other? { nil }
    func destinations<Other>(in value: Other) -> [AnyObject] { [] }
    func model(_ destination: AnyObject) -> any PersistentModel { UnknownModel.placeholder() }
    var isArray: Bool { false }
}

/// Access to the destinations of a relationship.
///
/// Reason for `@unchecked Sendable`: that of ``AttributeAccess``; the closures of the shape capture only types.
struct RelationshipAccess<Model: PersistentModel, Value>: PropertyAccess, @unchecked Sendable {
    let keyPath: ReferenceWritableKeyPath<Model, Value>
    let shape: RelationshipShape<Value>

    var anyKeyPath: AnyKeyPath { keyPath }
    var codec: (any AnyPropertyCodec)? { nil }
    var hasDefault: Bool { true }

    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue { .null }

    func destinations(_ model: any PersistentModel) -> [any PersistentModel] {
        shape.destinations(unsafeDowncast(model, to: Model.self)[keyPath: keyPath]).map(shape.model)
    }

    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel) {
        guard let value = shape.value(destinations) else { return }
        unsafeDowncast(model, to: Model.self)[keyPath: keyPath] = value
    }

    func value<Other>(leadingTo destinations: [AnyObject], as: Other.Type) -> Other? {
        Other.self == Value.self ? shape.value(destinations).map { unsafeBitCast($0, to: Other.self) } : nil
    }

    func destinations<Other>(in value: Other) -> [AnyObject] {
        Other.self == Value.self ? shape.destinations(unsafeBitCast(value, to: Value.self)) : []
    }

    func model(_ destination: AnyObject) -> any PersistentModel { shape.model(destination) }

    var isArray: Bool { shape.isArray }
}
