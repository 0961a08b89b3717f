/// Marks a property of a model as stored.
///
/// ```swift
/// @Attribute(.preserveValueOnDeletion) var name: String
/// @Attribute(originalName: "notes") var remarks: String?
/// ```
///
/// What was set stands in the model itself; before that, a property of a fetched model is read from its row. Writing it
/// marks the property as changed. Types that can be stored, and how, are listed at ``Schema/Attribute``. A type that leads to
/// models makes the property a relationship, see ``Relationship``.
@propertyWrapper
public struct Attribute<Value> {
    // The declaration stands in every model again: it has to be small, and fits beside the value's end.

    /// What was set, or decoded from the row; before that the declared default.
    @usableFromInline var value: Value?
    @usableFromInline let options: Schema.Attribute.Option
    /// The former name's number, see ``OriginalNames``.
    @usableFromInline let originalNameNumber: UInt16
    /// Which generation of the model's backing data ``value`` belongs to; 0 when it is the declared default.
    @usableFromInline var generation: UInt32

    @inlinable
    init(value: Value?, options: Schema.Attribute.Option, originalName: StaticString?) {
        self.value = value
        self.options = options
        originalNameNumber = originalName.map(OriginalNames.number) ?? 0
        generation = 0
    }

    /// - Parameters:
    ///   - option: What the store does with the values, see ``Schema/Attribute/Option``. (Three parameters instead of a
    ///     variadic one, which would allocate an array for every instance.)
    ///   - originalName: The name that the property had before it was renamed.
    ///   - hashModifier: Allowed, and without effect: a store compares what it keeps, and no hashes of it.
    @inlinable
    public init(
        _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: nil, options: [option, second, third], originalName: originalName)
    }

    /// An attribute with a default value.
    @inlinable
    public init(
        wrappedValue: Value, _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: wrappedValue, options: [option, second, third], originalName: originalName)
    }

    /// Not used: Swift reads and writes the property through the model that it stands in.
    @available(
        *, unavailable,
        message: "@Attribute belongs into a class that conforms to PersistentModel, and beside no other wrapper"
    )
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    @inlinable @inline(__always)
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
            // Not kept here: finding it in the row again costs less than another reference to a string.
            if PropertyValue.isDirect(Value.self),
                let value = backing.read(at: offset(of: storage, in: model), as: Value.self)
            {
                return value
            }
            if !PropertyValue.isDirect(Value.self), model[keyPath: storage].isRelationship {
                return backing.relationship(keyPath, held: model[keyPath: storage].value)
            }
            // The key path is not mentioned for direct types, not even where it would not be used: see ``offset(of:in:)``.
            let read =
                PropertyValue.isDirect(Value.self) ? backing.sample(Value.self) : backing.read(keyPath, as: Value.self)
            guard let read else { return declaredDefault(model[keyPath: storage].value, in: model) }
            model[keyPath: storage].take(read, backing.generation)
            return read
        }
        set {
            let backing = model.persistentBackingData
            if !PropertyValue.isDirect(Value.self), model[keyPath: storage].isRelationship {
                model[keyPath: storage].value = backing.setRelationship(keyPath, newValue)
                return
            }
            if backing.membership == nil {
                if model[keyPath: storage].generation == 0, model[keyPath: storage].value == nil {
                    backing.assignedCount &+= 1
                }
            } else if PropertyValue.isDirect(Value.self) {
                backing.willChange(at: offset(of: storage, in: model))
            } else {
                backing.willChange(keyPath)
            }
            model[keyPath: storage].take(newValue, backing.generation)
        }
        _modify {
            if !PropertyValue.isDirect(Value.self), model[keyPath: storage].isRelationship {
                if var change: RelationshipChange<Value> = model.persistentBackingData.beginChange(of: keyPath) {
                    defer { model.persistentBackingData.endChange(change) }
                    yield &change.value
                } else {
                    yield &model[keyPath: storage].held
                }
            } else {
                var value = Self[_enclosingInstance: model, wrapped: keyPath, storage: storage]
                defer { Self[_enclosingInstance: model, wrapped: keyPath, storage: storage] = value }
                yield &value
            }
        }
    }

    /// The destinations of a relationship whose model is in no context.
    @usableFromInline
    var held: Value {
        get { value ?? RelationshipShape.placeholder }
        _modify {
            if value == nil { value = RelationshipShape.placeholder }
            // It has a value now, which is changed where it is: a copy would take time for every model in it.
            yield &value!
        }
    }

    @inlinable @inline(__always)
    mutating func take(_ value: Value, _ generation: UInt32) {
        self.value = value
        self.generation = generation
    }

    /// Where the wrapper stands in its model, in bytes: a constant once the compiler has seen through the key path. (The
    /// property's key path would name it as well, but costs a call, a retain and a release each time it is mentioned.)
    @inlinable @inline(__always)
    static func offset<Model: PersistentModel>(
        of storage: ReferenceWritableKeyPath<Model, Attribute<Value>>, in model: Model
    ) -> Int {
        withUnsafeMutablePointer(to: &model[keyPath: storage]) {
            UnsafeRawPointer($0) - UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque())
        }
    }

    @inlinable @inline(__always)
    static func declaredDefault(_ value: Value?, in model: some PersistentModel) -> Value {
        guard let value else { unset(in: model) }
        return value
    }

    /// A mistake in the program, like reading a variable that was never initialised; a save reports it as an error
    /// before it gets here.
    @usableFromInline @inline(never)
    static func unset(in model: some PersistentModel) -> Never {
        let unset = SchemaBuilder.wrappers(of: model).filter(\.value.isUnset).keys.sorted()
        fatalError("\(type(of: model).entityName) is read before it has a value for \(unset.joined(separator: " or "))")
    }
}

extension Attribute where Value: ExpressibleByNilLiteral {
    /// An optional attribute, `nil` until it is set.
    @inlinable
    public init(
        _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: .some(nil), options: [option, second, third], originalName: originalName)
    }
}

/// How the schema sees a wrapper in a model, whatever its type.
protocol PropertyDeclaration {
    var originalName: String? { get }
    /// The same as a relationship, if the type leads to models.
    var relationship: (any RelationshipDeclaration)? { get }
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
    var originalName: String? { OriginalNames.name(originalNameNumber) }
    var isUnset: Bool { value == nil && generation == 0 && !isRelationship }
    var isSet: Bool { generation != 0 }
}

extension PropertyDeclaration {
    /// Whether the schema has nothing to do with it.
    var isEphemeral: Bool { (self as? any AttributeDeclaration)?.options.contains(.ephemeral) == true }

    var ephemeralDiagnostic: String? {
        guard let attribute = self as? any AttributeDeclaration else { return nil }
        if attribute.options != .ephemeral { return "what is not stored cannot be unique or preserved" }
        // A fetch makes the model without one.
        return attribute.isUnset ? "an ephemeral attribute needs a default, or an optional type" : nil
    }
}

protocol AttributeDeclaration: PropertyDeclaration {
    var options: Schema.Attribute.Option { get }
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
