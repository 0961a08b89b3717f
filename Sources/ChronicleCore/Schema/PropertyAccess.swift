/// Access to the values of an attribute, with the static types that the schema erases.
protocol AttributeAccess: AnyObject, Sendable {
    var hasDefault: Bool { get }
    /// Returns the value of a model in its stored form.
    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue
    /// Sets the value of a model in no context without calling observers. Returns whether the type accepts the stored value.
    func hold(_ value: PropertyValue, at offset: Int, in model: any PersistentModel) -> Bool
    /// Returns whether a result of reading the attribute is a stored value.
    func hasValue(_ result: Any?, _ value: PropertyValue) -> Bool
}

/// Access to the destinations of a relationship, with the static types that the schema erases.
protocol RelationshipAccess: AnyObject, Sendable {
    /// Whether the property's type is an array, which programs change in place.
    var isArray: Bool { get }
    func destinations(of model: any PersistentModel) -> [any PersistentModel]
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel)
    /// Sets the destination of a model in no context without calling observers.
    func hold(_ destination: any PersistentModel, in model: any PersistentModel)
    func value<Value>(of destinations: [AnyObject], as: Value.Type) -> Value?
    func destinations<Value>(in value: Value) -> [AnyObject]
    func model(_ destination: AnyObject) -> any PersistentModel
}

/// Reason for `@unchecked Sendable`: the key path of a stored property has no captures and is immutable, which its type does not
/// express.
final class TypedAttributeAccess<Model: PersistentModel, Value>: AttributeAccess, @unchecked Sendable {
    let hasDefault: Bool
    private let keyPath: KeyPath<Model, Value>
    private let codec: PropertyCodec<Value>

    init(_ keyPath: KeyPath<Model, Value>, _ codec: PropertyCodec<Value>, hasDefault: Bool) {
        self.keyPath = keyPath
        self.codec = codec
        self.hasDefault = hasDefault
    }

    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue {
        do {
            return try codec.encode(unsafeDowncast(model, to: Model.self)[keyPath: keyPath])
        } catch let error as SwiftDataError {
            throw error.with(entityName: Model.entityName, propertyName: property.name)
        } catch {
            throw SwiftDataError.modelValidationFailure.with(
                detail: "the value cannot be encoded", entityName: Model.entityName, propertyName: property.name,
                underlying: error)
        }
    }

    func hold(_ value: PropertyValue, at offset: Int, in model: any PersistentModel) -> Bool {
        guard let value = codec.decode(value) else { return false }
        let backing = model.persistentBackingData
        backing.wrapperValues = .any
        Attribute<Value>.wrapper(of: unsafeDowncast(model, to: Model.self), at: offset).pointee.take(
            value, backing.generation)
        return true
    }

    func hasValue(_ result: Any?, _ value: PropertyValue) -> Bool {
        // A value that cannot be encoded is another one.
        (result as? Value).flatMap { try? codec.encode($0) } == value
    }
}

/// Reason for `@unchecked Sendable`: that of ``TypedAttributeAccess``; the closures of the shape capture only types.
final class TypedRelationshipAccess<Model: PersistentModel, Value>: RelationshipAccess, @unchecked Sendable {
    private let keyPath: ReferenceWritableKeyPath<Model, Value>
    private let shape: RelationshipShape<Value>

    init(_ keyPath: ReferenceWritableKeyPath<Model, Value>, _ shape: RelationshipShape<Value>) {
        self.keyPath = keyPath
        self.shape = shape
    }

    var isArray: Bool { shape.isArray }

    func destinations(of model: any PersistentModel) -> [any PersistentModel] {
        shape.destinations(unsafeDowncast(model, to: Model.self)[keyPath: keyPath]).map(shape.model)
    }

    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel) {
        guard let value = shape.value(destinations) else { return }
        unsafeDowncast(model, to: Model.self)[keyPath: keyPath] = value
    }

    func hold(_ destination: any PersistentModel, in model: any PersistentModel) {
        guard let value = shape.value([destination]) else { return }
        _ = model.persistentBackingData.hold(value, at: keyPath)
    }

    func value<Other>(of destinations: [AnyObject], as: Other.Type) -> Other? {
        Other.self == Value.self ? shape.value(destinations).map { unsafeBitCast($0, to: Other.self) } : nil
    }

    func destinations<Other>(in value: Other) -> [AnyObject] {
        Other.self == Value.self ? shape.destinations(unsafeBitCast(value, to: Value.self)) : []
    }

    func model(_ destination: AnyObject) -> any PersistentModel { shape.model(destination) }
}
