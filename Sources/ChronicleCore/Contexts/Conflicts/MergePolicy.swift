extension ModelContext {
    /// What a save does if its changes conflict with the rows of the store. The names are those of Core Data's `NSMergePolicy`.
    ///
    /// Two kinds of conflicts are resolved by the policy of the context:
    ///
    /// - An inserted model has the same unique values as a row, or as another inserted model. With a policy other than ``error``,
    ///   the inserted instance takes the identifier of that row, and the save is an update.
    /// - The row of a changed model was deleted by another context, process or program. With a policy other than ``error``, the
    ///   save drops the changes of that model and reports them in ``ModelContext/lastSaveResult``.
    ///
    /// All other conflicts are errors with every policy: a changed model whose new unique values another row has, an inserted model
    /// whose unique values belong to two different rows, and a reference to a row that was deleted.
    public enum MergePolicy: Hashable, Sendable {
        /// The save throws an error and writes nothing.
        case error
        /// The values of the row are kept, and the inserted instance receives them.
        case mergeByPropertyStoreTrump
        /// The values of the inserted model replace those of the row, as in SwiftData. This is the default.
        ///
        /// All attributes are replaced, including those that are `nil`. A relationship is replaced if it was set to one or more
        /// destinations; other relationships of the row are kept.
        case mergeByPropertyObjectTrump
    }

    /// What ``save()`` does if its changes conflict with the rows of the store.
    ///
    /// With the default, ``MergePolicy/mergeByPropertyObjectTrump``, inserting a model with the unique values of an existing row
    /// updates this row, as in SwiftData. Set ``MergePolicy/error`` if a second model with the same values is a mistake.
    public var mergePolicy: MergePolicy {
        get { storage.mergePolicy }
        set { storage.mergePolicy = newValue }
    }
}
