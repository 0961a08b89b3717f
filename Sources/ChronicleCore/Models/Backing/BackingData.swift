/// The state that a model context keeps for one model of a known class: its identity, its row and its unsaved changes.
///
/// A model class stores an instance in ``PersistentModel/persistentBackingData``, through which ``Attribute`` and ``Relationship``
/// read and write their values. Code that is generic over models can access properties by key path:
///
/// ```swift
/// let backingData = trip.persistentBackingData
/// backingData.setValue(forKey: \.name, to: backingData.getValue(forKey: \.name) + "!")
/// ```
///
/// In SwiftData, a program can implement the protocol itself. In Chronicle, ``PersistentModel/createBackingData()`` creates the
/// only implementation.
public protocol BackingData<Model>: AnyBackingData {
    /// The model class.
    associatedtype Model: PersistentModel
}

extension BackingData {
    /// The identifier of the model, or `nil` for a new model whose identifier has not been used, unlike
    /// ``PersistentModel/persistentModelID``.
    public var persistentModelID: PersistentIdentifier? { knownIdentifier }

    /// Returns the value of a property, like the getter of the property.
    ///
    /// - Precondition: The model was inserted into a context or fetched by one. Until then, the backing data does not
    ///   reference its model.
    /// - Parameter keyPath: The key path of a property of the model.
    /// - Returns: The current value.
    public func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        requiredModel[keyPath: keyPath]
    }

    /// Sets the value of a property, like the setter of the property.
    ///
    /// - Precondition: The model was inserted into a context or fetched by one.
    /// - Parameters:
    ///   - keyPath: The key path of a property of the model.
    ///   - value: The new value.
    public func setValue<Value>(forKey keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value) {
        requiredModel[keyPath: keyPath] = value
    }

    private var requiredModel: Model {
        guard let model = model as? Model else {
            // A programming error, like reading an uninitialized variable: there is no value to return.
            preconditionFailure(
                "\(Model.entityName): insert the model into a context before you use its backing data")
        }
        return model
    }
}

extension PersistentModel {
    /// Returns the value of a property, like its getter, in code that is generic over models, and also without a context.
    ///
    /// - Parameter keyPath: The key path of a property of the model.
    /// - Returns: The current value.
    public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { self[keyPath: keyPath] }

    /// Sets the value of a property, like the setter of the property.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a property of the model.
    ///   - value: The new value.
    public func setValue<Value>(forKey keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) {
        self[keyPath: keyPath] = value
    }

    /// Creates the backing data of a new model, which is not in a context yet.
    ///
    /// - Returns: Empty backing data.
    @inlinable
    public static func createBackingData() -> some BackingData<Self> { ModelBackingData<Self>() }

    static var backingDataType: BackingDataType {
        // A subclass has the initializer of its superclass, whose parameter is the backing data of that class.
        BackingDataType(
            type: ModelBackingData<ModelClass>.self, conformance: conformance(of: ModelClass.createBackingData()))
    }

    private static func conformance(of backing: any BackingData<ModelClass>) -> UnsafeRawPointer {
        // Without the cast, Swift opens the existential and passes only the object, as to generic functions (SE-0352).
        unsafeBitCast(backing as any BackingData<ModelClass>, to: (UnsafeRawPointer, UnsafeRawPointer).self).1
    }

    /// - Parameters:
    ///   - backing: An instance of the class in ``backingDataType``.
    ///   - type: The value of ``backingDataType``, which the caller keeps for all rows.
    @inline(__always)
    static func make(_ backing: AnyBackingData, _ type: BackingDataType) -> Self {
        Self(backingData: unsafeBitCast((backing, type.conformance), to: (any BackingData<Self>).self))
    }

    /// See ``AnyBackingData/probe()``.
    static func probe() -> Self { make(ModelBackingData<ModelClass>.probe(), backingDataType) }
}

/// The class of a model's backing data, and its conformance to ``BackingData``. In generic code, the runtime looks up both by the
/// model type, which a context does once per entity: a lookup per row would add 2 % to the instructions of a fetch.
struct BackingDataType {
    let type: AnyBackingData.Type
    /// The second word of `any BackingData<Model>`, whose first is the object
    /// (https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst#class-existential-containers).
    let conformance: UnsafeRawPointer
}

@usableFromInline
final class ModelBackingData<Model: PersistentModel>: AnyBackingData, BackingData {}
