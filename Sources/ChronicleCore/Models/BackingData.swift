/// The state that a model context keeps for one model of a known class: its identity, its row and its unsaved changes.
///
/// A model class stores an instance in ``PersistentModel/persistentBackingData`` and does not use it otherwise. The
/// property wrappers ``Attribute`` and ``Relationship`` read and write their values through it. Code that is generic over
/// models can read and set properties by key path:
///
/// ```swift
/// let backingData = trip.persistentBackingData
/// backingData.setValue(forKey: \.name, to: backingData.getValue(forKey: \.name) + "!")
/// ```
///
/// The counterpart in SwiftData is the protocol of the same name. There, a program can also implement it; in Chronicle,
/// ``PersistentModel/createBackingData()`` creates the only implementation.
public protocol BackingData<Model>: AnyBackingData {
    /// The model class.
    associatedtype Model: PersistentModel
}

extension BackingData {
    /// The identifier of the model, or `nil` for a model that is not in a context and whose identifier was not read.
    public var persistentModelID: PersistentIdentifier? { knownIdentifier }

    /// Returns the value of a property, as the property itself does.
    ///
    /// The model must be in a context, because a new model keeps its values in its properties until it is inserted;
    /// otherwise the program ends with a message.
    ///
    /// - Parameter keyPath: The key path of a stored property.
    /// - Returns: The current value.
    public func getValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
        requiredModel[keyPath: keyPath]
    }

    /// Sets the value of a property, as an assignment to the property does.
    ///
    /// The model must be in a context; otherwise the program ends with a message.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of a stored property.
    ///   - value: The new value.
    public func setValue<Value>(forKey keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value) {
        requiredModel[keyPath: keyPath] = value
    }

    private var requiredModel: Model {
        guard let model = model as? Model else {
            preconditionFailure(
                "\(Model.entityName): insert the model into a context before you access its values by its backing data")
        }
        return model
    }
}

extension PersistentModel {
    /// Creates the backing data of a new instance, which is not in a context.
    ///
    /// - Returns: Empty backing data.
    @inlinable
    public static func createBackingData() -> some BackingData<Self> { ModelBackingData<Self>() }

    /// The class of the model's backing data.
    static var backingDataType: BackingDataType {
        BackingDataType(type: ModelBackingData<Self>.self, conformance: conformance(of: createBackingData()))
    }

    private static func conformance(of backing: any BackingData<Self>) -> UnsafeRawPointer {
        // The cast keeps Swift from passing the object alone, as it does to generic functions (SE-0352).
        unsafeBitCast(backing as any BackingData<Self>, to: (UnsafeRawPointer, UnsafeRawPointer).self).1
    }

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - backing: Backing data of the class ``backingDataType``.
    ///   - type: The result of ``backingDataType``.
    @inline(__always)
    static func make(_ backing: AnyBackingData, _ type: BackingDataType) -> Self {
        Self(backingData: unsafeBitCast((backing, type.conformance), to: (any BackingData<Self>).self))
    }

    /// Creates an instance with the backing data of ``AnyBackingData/probe()``.
    static func probe() -> Self { Self(backingData: ModelBackingData<Self>.probe()) }
}

/// The class of a model's backing data, and its conformance to ``BackingData``.
///
/// In code that is generic over models, the runtime looks up both by the type of the model. A context does that once for
/// an entity instead of once for a row, which would take 6 % of the time of a fetch.
struct BackingDataType {
    let type: AnyBackingData.Type
    /// The second word of `any BackingData<Model>`, whose first is the object
    /// (https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst#class-existential-containers).
    let conformance: UnsafeRawPointer
}

/// The implementation of ``BackingData``.
@usableFromInline
final class ModelBackingData<Model: PersistentModel>: AnyBackingData, BackingData {}
