#if Macros
    /// Makes a class a model: every stored property becomes an attribute or, when its type leads to models, a relationship.
    ///
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
    /// It stands for what one writes by hand (see ``PersistentModel``): ``Attribute`` on the properties that have no wrapper,
    /// the map of the ``PersistentModel/properties``, the two lines that connect an instance to its context, and, in a class
    /// that has no initialiser and needs none, `init()`. Initialisers need not mention any of it.
    ///
    /// The class may have a superclass that is no model and has an `init()`. It is not generic, does not inherit from a model,
    /// and is not private in another type, which its extension could not name.
    @attached(
        member, conformances: PersistentModel,
        names: named(properties), named(persistentBackingData), named(init))
    @attached(memberAttribute)
    @attached(extension, conformances: PersistentModel)
    public macro Model() = #externalMacro(module: "ChronicleMacros", type: "ModelMacro")

    /// Leaves a property of a ``Model()`` class out of the store. It needs a default value.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "ChronicleMacros", type: "TransientMacro")

    /// Declares sets of properties whose values together no two models may share, in the class of the model.
    ///
    /// ```swift
    /// #Unique<Trip>([\.code], [\.name, \.startDate])
    /// ```
    ///
    /// It stands for ``PersistentModel/uniqueness``.
    @freestanding(declaration, names: named(uniqueness))
    public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
        #externalMacro(module: "ChronicleMacros", type: "UniqueMacro")

    /// Declares sets of properties to keep an index of, in the class of the model.
    ///
    /// ```swift
    /// #Index<Trip>([\.startDate], [\.destination, \.startDate])
    /// ```
    ///
    /// It stands for ``PersistentModel/indices``.
    @freestanding(declaration, names: named(indices))
    public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
        #externalMacro(module: "ChronicleMacros", type: "IndexMacro")

    /// The same with the kind of each index. R-trees become binary indices.
    @freestanding(declaration, names: named(indices))
    public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
        #externalMacro(module: "ChronicleMacros", type: "IndexMacro")

    /// Gives an actor a context of its own, and an `init(modelContainer:)` that its other initialisers may delegate to.
    /// (None if it declares one, or has a property that only its own initialisers give a value.)
    ///
    /// It stands for what ``ModelActor`` asks for.
    @attached(member, conformances: ModelActor, names: named(modelExecutor), named(modelContainer), named(init))
    @attached(extension, conformances: ModelActor)
    public macro ModelActor() = #externalMacro(module: "ChronicleMacros", type: "ModelActorMacro")
#endif
