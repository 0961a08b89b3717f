#if Macros
    /// Declares a class as a model whose instances are saved in a store.
    ///
    /// Every stored property becomes an attribute or, if its type is a model or a collection of models, a relationship:
    /// ```swift
    /// @Model
    /// final class Trip {
    ///     @Attribute(.preserveValueOnDeletion) var name: String
    ///     var note: String?
    ///     @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem] = []
    ///     @Transient var isSelected = false
    ///
    ///     init(name: String) { self.name = name }
    /// }
    /// ```
    ///
    /// The macro generates the ``PersistentModel`` conformance that you can also write by hand: an ``Attribute`` wrapper
    /// for every property without one, the ``PersistentModel/properties`` map, the backing data, and an `init()` if the
    /// class declares no initializer and every property has a default value.
    ///
    /// The class may inherit from another model, or from a class that is not a model and has an `init()`. For a subclass of
    /// a model, and for a class that is not final, the macro also generates what ``ModelSubclass`` describes. The class
    /// cannot be generic, or a private type nested in another type.
    @attached(
        member, conformances: PersistentModel,
        names: named(properties), named(modelSubclass), named(persistentBackingData), named(init),
        named(uniqueness), named(indices))
    @attached(memberAttribute)
    @attached(extension, conformances: PersistentModel)
    public macro Model() = #externalMacro(module: "ChronicleMacros", type: "ModelMacro")

    /// Declares a class as a model whose entity had another name before.
    ///
    /// Like ``Model()``, and also declares ``PersistentModel/originalEntityName``, or passes the name to ``ModelSubclass``.
    /// When a store is opened, it renames the entity and keeps its models and their history.
    ///
    /// - Parameter originalName: The previous name of the entity, which is the previous name of the class by default.
    @attached(
        member, conformances: PersistentModel,
        names: named(properties), named(modelSubclass), named(persistentBackingData), named(originalEntityName),
        named(init), named(uniqueness), named(indices))
    @attached(memberAttribute)
    @attached(extension, conformances: PersistentModel)
    public macro Model(originalName: String) = #externalMacro(module: "ChronicleMacros", type: "ModelMacro")

    /// Lets an initializer of a model set properties without calling their observers, as initializers do in Swift.
    /// ``Model()`` adds the macro to each designated initializer that sets such properties; you do not use it directly.
    ///
    /// - Parameters:
    ///   - names: The names of the properties with observers.
    ///   - methods: The names of the methods of the class. After a call of one, properties are set as in other methods.
    @attached(body)
    public macro ModelInitializer(_ names: StaticString..., methods: [StaticString] = []) =
        #externalMacro(module: "ChronicleMacros", type: "ModelInitializerMacro")

    /// Excludes a property of a ``Model()`` class from the store. It needs a default value, with which every fetched
    /// instance starts.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "ChronicleMacros", type: "TransientMacro")

    /// Declares uniqueness constraints for a model, inside its class, by generating ``PersistentModel/uniqueness``.
    ///
    /// Each argument is a set of properties whose combined values must be unique among the instances of the model:
    ///
    /// ```swift
    /// #Unique<Trip>([\.code], [\.name, \.startDate])
    /// ```
    ///
    /// - Parameter constraints: The constraints, each an array of key paths to stored properties of the model.
    @freestanding(declaration, names: named(uniqueness))
    public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
        #externalMacro(module: "ChronicleMacros", type: "UniqueMacro")

    /// Declares indices for a model, inside its class, by generating ``PersistentModel/indices``.
    ///
    /// Each argument is a set of properties that share one index:
    ///
    /// ```swift
    /// #Index<Trip>([\.startDate], [\.destination, \.startDate])
    /// ```
    ///
    /// - Parameter indices: The indices, each an array of key paths to stored properties of the model.
    @freestanding(declaration, names: named(indices))
    public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
        #externalMacro(module: "ChronicleMacros", type: "IndexMacro")

    /// Declares indices of specific types for a model, like the other macro of this name. Chronicle always creates a B-tree
    /// index, even if the type is R-tree.
    ///
    /// - Parameter indices: The indices, each with its type and the key paths of its properties.
    @freestanding(declaration, names: named(indices))
    public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
        #externalMacro(module: "ChronicleMacros", type: "IndexMacro")

    /// Declares an actor that works with models in its own model context.
    ///
    /// The macro generates the ``ModelActor`` conformance and `init(modelContainer:)`, to which other initializers can
    /// delegate. It does not generate this initializer if the actor declares one with the same signature, or if a
    /// stored property has no default value.
    @attached(member, conformances: ModelActor, names: named(modelExecutor), named(modelContainer), named(init))
    @attached(extension, conformances: ModelActor)
    public macro ModelActor() = #externalMacro(module: "ChronicleMacros", type: "ModelActorMacro")
#endif
