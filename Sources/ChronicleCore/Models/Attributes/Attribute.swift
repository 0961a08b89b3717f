/// A property wrapper that marks a property of a model as stored.
///
/// ```swift
/// @Attribute(.preserveValueOnDeletion) var name: String
/// @Attribute(originalName: "notes") var remarks: String?
/// ```
///
/// The `@Model` macro adds the wrapper to every stored property, so you write it only to specify options. The article
/// <doc:DefiningModels#Attribute-types> lists the supported types and their stored representation. A property whose type is a model
/// or a collection of models is a relationship; see ``Relationship``.
@propertyWrapper
public struct Attribute<Value> {
    // Every model stores its wrappers' options, so they have to be small: they fit into the value's trailing padding.

    /// The value that was set or decoded from the row; before that, the declared default value. That of a relationship has no
    /// destinations once the property was set.
    @usableFromInline var value: Value?
    @usableFromInline let options: Schema.Attribute.Option
    /// The number of the original name in ``OriginalNames``; 0 for none.
    @usableFromInline let originalNameNumber: UInt16
    /// The generation of the backing data that ``value`` belongs to; 0 for the declared default value.
    @usableFromInline var generation: UInt32

    @inlinable
    init(value: Value?, options: Schema.Attribute.Option, originalName: StaticString?) {
        self.value = value
        self.options = options
        originalNameNumber = originalName.map(OriginalNames.number) ?? 0
        generation = 0
    }

    /// Creates an attribute without a default value. A variadic parameter would allocate an array for every instance.
    ///
    /// - Parameters:
    ///   - option: The options of the attribute; see ``Schema/Attribute/Option``.
    ///   - second: Further options.
    ///   - third: Further options.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - hashModifier: Ignored, because Chronicle does not compare versions of a property by hash.
    @inlinable
    public init(
        _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: nil, options: [option, second, third], originalName: originalName)
    }

    /// Creates an attribute with a default value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default value.
    ///   - option: The options of the attribute; see ``Schema/Attribute/Option``.
    ///   - second: Further options.
    ///   - third: Further options.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
    @inlinable
    public init(
        wrappedValue: Value, _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: wrappedValue, options: [option, second, third], originalName: originalName)
    }

    /// Unavailable; Swift accesses the property through its enclosing model.
    @available(
        *, unavailable,
        message: "@Attribute requires a class that conforms to PersistentModel and no other wrapper on the property"
    )
    public var wrappedValue: Value {
        // Never called: a property wrapper has to declare `wrappedValue`, but models use the subscript below.
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// Accesses the value of the property in its enclosing model, for Swift.
    ///
    /// If the value cannot be read because loading the row failed, the getter returns a placeholder value and the next save throws
    /// the error.
    ///
    /// - Parameters:
    ///   - model: The model that declares the property.
    ///   - keyPath: The key path of the property.
    ///   - storage: The key path of the wrapper.
    /// - Returns: The value of the property.
    @inlinable @inline(__always)
    public static subscript<Model: PersistentModel>(
        _enclosingInstance model: Model,
        wrapped keyPath: ReferenceWritableKeyPath<Model, Value>,
        storage storage: ReferenceWritableKeyPath<Model, Attribute<Value>>
    ) -> Value {
        get {
            let backing = model.persistentBackingData
            if PropertyValue.isDirect(Value.self) {
                // Mentioning the key path is expensive, so direct types do not; see ``offset(of:in:)``.
                let offset = offset(of: storage, in: model)
                if PropertyValue.isInline(Value.self) {
                    if let (cells, slot) = backing.packedValue(at: offset),
                        let value = PackedRow.direct(cells, slot, as: Value.self)
                    {
                        return value
                    }
                } else if let value = readAllocated(from: model, backing, at: offset) {
                    return value
                }
                return currentValue(in: model, at: offset)
            }
            if backing.isAccessTracked() { backing.access(keyPath) }
            if model[keyPath: storage].generation == backing.generation {
                return model[keyPath: storage].value.unsafelyUnwrapped
            }
            if model[keyPath: storage].isRelationship {
                return backing.relationship(keyPath, declared: model[keyPath: storage].value)
            }
            guard let read = backing.read(keyPath, as: Value.self) else {
                return declaredDefault(model[keyPath: storage].value, in: model)
            }
            model[keyPath: storage].take(read, backing.generation)
            return read
        }
        set {
            let backing = model.persistentBackingData
            if PropertyValue.isDirect(Value.self) {
                if backing.isObserved {
                    assignObserved(newValue, to: model, backing, at: offset(of: storage, in: model))
                } else {
                    assign(newValue, to: model, backing, keyPath, storage)
                }
                return
            }
            // No `defer`, whose closure would mention the key path in any case.
            let isObserved = backing.isObserved
            if isObserved { backing.willSet(keyPath) }
            assign(newValue, to: model, backing, keyPath, storage)
            if isObserved { backing.didSet(keyPath) }
        }
        _modify {
            if !PropertyValue.isDirect(Value.self), model[keyPath: storage].isRelationship {
                let backing = model.persistentBackingData
                if backing.isAccessTracked() { backing.access(keyPath) }
                if backing.isObserved { backing.willSet(keyPath) }
                defer { if backing.isObserved { backing.didSet(keyPath) } }
                if var change: RelationshipModification<Value> = backing.beginChange(of: keyPath) {
                    defer { backing.endChange(change) }
                    yield &change.value
                } else {
                    yield &backing.heldDestinations(at: keyPath, declared: &model[keyPath: storage].value).value
                }
            } else {
                var value = Self[_enclosingInstance: model, wrapped: keyPath, storage: storage]
                defer { Self[_enclosingInstance: model, wrapped: keyPath, storage: storage] = value }
                yield &value
            }
        }
    }

    /// The value of the property before its model is inserted.
    ///
    /// An initializer can set `_name.initialValue` instead of `name`. Swift then does not call the observers of the property, and
    /// allows it before `super.init`; `@Model` uses this for properties with observers. Do not set it after the model was inserted:
    /// the context does not learn of the change. Reading it before a value was set stops the program.
    @inlinable
    public var initialValue: Value {
        get {
            guard let value else { return Self.unsetInitialValue() }
            return value
        }
        set { value = newValue }
        _modify {
            if value == nil { value = Self.unsetInitialValue() }
            yield &value!
        }
    }

    @usableFromInline @inline(never)
    static func unsetInitialValue() -> Value {
        guard DeclaredRelationship<Value>() != nil else {
            fatalError("an attribute of type \(Value.self) was read before it was set; set it in the initializer")
        }
        return RelationshipShape.placeholder
    }

    /// Not inlined, so that the setter remains small enough to be inlined into initializers. A parameter for the key path would
    /// make every setter mention it.
    @inlinable @inline(never)
    static func assignObserved(
        _ newValue: Value, to model: some PersistentModel, _ backing: AnyBackingData, at offset: Int
    ) {
        backing.willSet(at: offset)
        let wrapper = wrapper(of: model, at: offset)
        if backing.membership != nil {
            backing.willChange(at: offset)
        } else if wrapper.pointee.generation == 0, wrapper.pointee.value == nil {
            backing.assignedCount &+= 1
        }
        backing.wrapperValues = .any
        wrapper.pointee.take(newValue, backing.generation)
        backing.didSet(at: offset)
    }

    @inlinable @inline(__always)
    static func assign<Model: PersistentModel>(
        _ newValue: Value, to model: Model, _ backing: AnyBackingData,
        _ keyPath: ReferenceWritableKeyPath<Model, Value>,
        _ storage: ReferenceWritableKeyPath<Model, Attribute<Value>>
    ) {
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
        backing.wrapperValues = .any
        model[keyPath: storage].take(newValue, backing.generation)
    }

    @inlinable @inline(__always)
    mutating func take(_ value: Value, _ generation: UInt32) {
        self.value = value
        self.generation = generation
    }

    /// Returns `nil` if ``currentValue(in:at:)`` must be called. Some of the reads keep the value in the wrapper; see
    /// ``ContextEntity/keepsValue()``.
    @inlinable @inline(never)
    static func readAllocated(from model: some PersistentModel, _ backing: AnyBackingData, at offset: Int) -> Value? {
        guard let (cells, slot) = backing.packedValue(at: offset) else { return nil }
        let wrapper = wrapper(of: model, at: offset)
        if backing.wrapperValues == .kept, wrapper.pointee.generation == backing.generation {
            return wrapper.pointee.value
        }
        guard let value = PackedRow.direct(cells, slot, as: Value.self) else { return nil }
        if PackedRow.isAllocated(cells, slot), backing.membership?.keepsValue() == true {
            wrapper.pointee.take(value, backing.generation)
            backing.wrapperValues = .kept
        }
        return value
    }

    /// Called by getters if ``AnyBackingData/packedValue(at:)`` returns `nil` or a value of another form.
    @inlinable @inline(never)
    static func currentValue(in model: some PersistentModel, at offset: Int) -> Value {
        let backing = model.persistentBackingData
        if backing.isAccessTracked() { backing.access(at: offset) }
        let wrapper = wrapper(of: model, at: offset)
        if wrapper.pointee.generation == backing.generation { return wrapper.pointee.value.unsafelyUnwrapped }
        if let value = backing.read(at: offset, as: Value.self) { return value }
        guard let sample = backing.sample(Value.self) else { return declaredDefault(wrapper.pointee.value, in: model) }
        wrapper.pointee.take(sample, backing.generation)
        return sample
    }

    @inlinable @inline(__always)
    static func wrapper(of model: some PersistentModel, at offset: Int) -> UnsafeMutablePointer<Self> {
        (Unmanaged.passUnretained(model).toOpaque() + offset).assumingMemoryBound(to: Self.self)
    }

    /// The optimizer turns the result into a constant. The property's key path also identifies the wrapper, but every mention of it
    /// costs a call, a retain and a release.
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

    /// Stops the program: reading a property before it was set is a programming error, like reading an uninitialized variable. A
    /// save of such a model throws an error before it reads the property.
    @usableFromInline @inline(never)
    static func unset(in model: some PersistentModel) -> Never {
        let unset = SchemaBuilder.wrappers(of: model).filter(\.value.isUnset).keys.sorted()
        let names = unset.joined(separator: " or ")
        fatalError("\(type(of: model).entityName): \(names) was read before it was set; set it in the initializer")
    }
}

extension Attribute where Value: ExpressibleByNilLiteral {
    /// Creates an optional attribute whose default value is `nil`.
    ///
    /// - Parameters:
    ///   - option: The options of the attribute; see ``Schema/Attribute/Option``.
    ///   - second: Further options.
    ///   - third: Further options.
    ///   - originalName: The previous name of the property, if it was renamed.
    ///   - hashModifier: Ignored; accepted for compatibility with SwiftData.
    @inlinable
    public init(
        _ option: Schema.Attribute.Option = [], _ second: Schema.Attribute.Option = [],
        _ third: Schema.Attribute.Option = [], originalName: StaticString? = nil, hashModifier: StaticString? = nil
    ) {
        self.init(value: .some(nil), options: [option, second, third], originalName: originalName)
    }
}

/// A property wrapper as the schema reads it from a model, independent of its generic type.
protocol PropertyDeclaration {
    var originalName: String? { get }
    /// The declaration of the relationship; `nil` if the property's type does not reference models.
    var relationship: (any RelationshipDeclaration)? { get }
    /// Whether the property has no value and needs one before it can be saved.
    var isUnset: Bool { get }
    /// Whether a value was set or read in addition to the declared default value.
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
    var isEphemeral: Bool { (self as? any AttributeDeclaration)?.options.contains(.ephemeral) == true }

    var ephemeralDiagnostic: String? {
        guard let attribute = self as? any AttributeDeclaration else { return nil }
        if attribute.options != .ephemeral { return "an ephemeral attribute cannot be unique or preserved" }
        // A fetch creates models without values for ephemeral attributes.
        return attribute.isUnset ? "an ephemeral attribute needs a default value or an optional type" : nil
    }
}

protocol AttributeDeclaration: PropertyDeclaration {
    var options: Schema.Attribute.Option { get }
    var valueType: Any.Type { get }
    var declaredDefault: Any? { get }
    func access<Model: PersistentModel>(
        _ keyPath: AnyKeyPath, _ model: Model.Type, _ codec: any AnyPropertyCodec
    ) -> (any AttributeAccess)?
}

extension Attribute: AttributeDeclaration {
    var valueType: Any.Type { Value.self }
    var declaredDefault: Any? { value }
}

extension Attribute {
    func access<Model: PersistentModel>(
        _ keyPath: AnyKeyPath, _ model: Model.Type, _ codec: any AnyPropertyCodec
    ) -> (any AttributeAccess)? {
        guard let keyPath = keyPath as? KeyPath<Model, Value>, let codec = codec as? PropertyCodec<Value> else {
            return nil
        }
        return TypedAttributeAccess(keyPath, codec, hasDefault: value != nil)
    }
}
