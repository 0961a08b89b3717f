/// Marks a property of a model as stored.
///
/// ```swift
/// @Attribute(.preserveValueOnDeletion) var name: String
/// @Attribute(originalName: "notes") var remarks: String?
/// ```
///
/// The value stands in the model itself: reading it is a field access, writing it marks the property as changed. A
/// fetched model decodes a property when it is first read. Types that can be stored, and how, are listed at
/// ``Schema/Attribute``.
@propertyWrapper
public struct Attribute<Value> {
    /// What was set, or read from the row; before that the declared default.
    @usableFromInline var value: Value?
    /// Which generation of the model's backing data ``value`` belongs to; 0 when it is the declared default.
    @usableFromInline var generation: UInt32 = 0
    @usableFromInline let options: Schema.Attribute.Options
    /// UTF-8, NUL-terminated, of a string literal: it lives as long as the program.
    @usableFromInline let originalNamePointer: UnsafePointer<UInt8>?

    @inlinable
    init(value: Value?, options: Schema.Attribute.Options, originalName: StaticString?) {
        self.value = value
        self.options = options
        originalNamePointer = originalName.map(\.utf8Start)
    }

    /// - Parameters:
    ///   - option: What the store does with the values, see ``Schema/Attribute/Options``. (Three parameters instead of a
    ///     variadic one, which would allocate an array for every instance.)
    ///   - originalName: The name that the property had before it was renamed.
    @inlinable
    public init(
        _ option: Schema.Attribute.Options = [], _ second: Schema.Attribute.Options = [],
        _ third: Schema.Attribute.Options = [], originalName: StaticString? = nil
    ) {
        self.init(value: nil, options: [option, second, third], originalName: originalName)
    }

    /// An attribute with a default value.
    @inlinable
    public init(
        wrappedValue: Value, _ option: Schema.Attribute.Options = [], _ second: Schema.Attribute.Options = [],
        _ third: Schema.Attribute.Options = [], originalName: StaticString? = nil
    ) {
        self.init(value: wrappedValue, options: [option, second, third], originalName: originalName)
    }

    /// Not used: Swift reads and writes the property through the model that it stands in.
    @available(*, unavailable, message: "@Attribute belongs into a class that conforms to PersistentModel")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    @inlinable
    public static subscript<Model: PersistentModel>(
        _enclosingInstance model: Model,
        wrapped keyPath: ReferenceWritableKeyPath<Model, Value>,
        storage storage: ReferenceWritableKeyPath<Model, Attribute<Value>>
    ) -> Value {
        get {
            let backing = model.persistentBackingData
            if model[keyPath: storage].generation == backing.generation {
                return model[keyPath: storage].value.unsafelyUnwrapped
            }
            guard backing.hasRow, let value = backing.load(keyPath, as: Value.self) else {
                return declaredDefault(model[keyPath: storage].value, of: Model.self, keyPath)
            }
            model[keyPath: storage].value = value
            model[keyPath: storage].generation = backing.generation
            return value
        }
        set {
            let backing = model.persistentBackingData
            if backing.membership == nil {
                if model[keyPath: storage].generation == 0, model[keyPath: storage].value == nil {
                    backing.assignedCount &+= 1
                }
            } else {
                backing.willChange(keyPath)
            }
            model[keyPath: storage].value = newValue
            model[keyPath: storage].generation = backing.generation
        }
    }

    @usableFromInline
    static func declaredDefault<Model: PersistentModel>(
        _ value: Value?, of model: Model.Type, _ keyPath: PartialKeyPath<Model>
    ) -> Value {
        guard let value else {
            // A mistake in the program, like reading a variable that was never initialised; a save reports it as
            // an error before it gets here.
            let name = Model.properties.name(of: keyPath) ?? "a property that the map does not name"
            preconditionFailure("\(Model.entityName).\(name) is read before it has a value")
        }
        return value
    }
}

extension Attribute where Value: ExpressibleByNilLiteral {
    /// An optional attribute, `nil` until it is set.
    @inlinable
    public init(
        _ option: Schema.Attribute.Options = [], _ second: Schema.Attribute.Options = [],
        _ third: Schema.Attribute.Options = [], originalName: StaticString? = nil
    ) {
        self.init(value: .some(nil), options: [option, second, third], originalName: originalName)
    }
}

/// How the schema sees a wrapper in a model, whatever its type.
protocol PropertyDeclaration {
    var originalName: String? { get }
    /// Whether the property needs a value before it can be saved and does not have one.
    var isUnset: Bool { get }
    /// Whether a value was set or read, beyond the declared default.
    var isSet: Bool { get }
}

extension PropertyDeclaration {
    static func name(_ pointer: UnsafePointer<UInt8>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

extension Attribute: PropertyDeclaration {
    var originalName: String? { Self.name(originalNamePointer) }
    var isUnset: Bool { value == nil && generation == 0 }
    var isSet: Bool { generation != 0 }
}

protocol AttributeDeclaration: PropertyDeclaration {
    var options: Schema.Attribute.Options { get }
    var valueType: Any.Type { get }
    var declaredDefault: Any? { get }
    func access<Model: PersistentModel>(
        _ keyPath: AnyKeyPath, _ model: Model.Type, _ codec: any AnyPropertyCodec
    ) -> (any PropertyAccess)?
}

extension Attribute: AttributeDeclaration {
    var valueType: Any.Type { Value.self }
    var declaredDefault: Any? { value }
}

extension Attribute {
    func access<Model: PersistentModel>(
        _ keyPath: AnyKeyPath, _ model: Model.Type, _ codec: any AnyPropertyCodec
    ) -> (any PropertyAccess)? {
        guard let keyPath = keyPath as? KeyPath<Model, Value>, let codec = codec as? PropertyCodec<Value> else {
            return nil
        }
        return AttributeAccess(keyPath: keyPath, typedCodec: codec, hasDefault: value != nil)
    }
}
