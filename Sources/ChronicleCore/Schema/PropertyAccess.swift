/// Access to the values of an attribute, with the static types that the schema erases.
protocol AttributeAccess: AnyObject, Sendable {
    var hasDefault: Bool { get }
    /// Returns the value of a model in its stored form.
    func encode(_ model: any PersistentModel, _ property: Schema.Property) throws -> PropertyValue
    /// Assigns values to a model in no context, and returns whether a closure returns them; `nil` if no different values are known.
    func isRead(of model: any PersistentModel, by read: () -> Any?) -> Bool?
}

/// Access to the destinations of a relationship, with the static types that the schema erases.
protocol RelationshipAccess: AnyObject, Sendable {
    /// Whether the property's type is an array, which programs change in place.
    var isArray: Bool { get }
    func destinations(of model: any PersistentModel) -> [any PersistentModel]
    func assign(_ destinations: [any PersistentModel], to model: any PersistentModel)
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

    func isRead(of model: any PersistentModel, by read: () -> Any?) -> Bool? {
        func sample(_ type: any Decodable.Type, _ round: Int) -> Any? {
            SampleDecoder.sample(type, round: round, hasOptionals: true)
        }
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value>,
            let type = unwrapped(Value.self) as? any Decodable.Type
        else { return nil }
        // A value that cannot be encoded is as good as none.
        let samples = (0..<2).compactMap { sample(type, $0) as? Value }.map { (value: $0, code: try? codec.encode($0)) }
        guard samples.count == 2, samples[0].code != nil, samples[1].code != nil, samples[0].code != samples[1].code
        else {
            return nil
        }
        return samples.allSatisfy { sample in
            unsafeDowncast(model, to: Model.self)[keyPath: keyPath] = sample.value
            // The same as for the sample.
            return (read() as? Value).flatMap { try? codec.encode($0) } == sample.code
        }
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

    func value<Other>(of destinations: [AnyObject], as: Other.Type) -> Other? {
        Other.self == Value.self ? shape.value(destinations).map { unsafeBitCast($0, to: Other.self) } : nil
    }

    func destinations<Other>(in value: Other) -> [AnyObject] {
        Other.self == Value.self ? shape.destinations(unsafeBitCast(value, to: Value.self)) : []
    }

    func model(_ destination: AnyObject) -> any PersistentModel { shape.model(destination) }
}
