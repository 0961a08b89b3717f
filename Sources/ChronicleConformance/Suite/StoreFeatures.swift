/// What a store does, for the rules that not every store can keep. What is not declared is not tested, and the report
/// says so.
public struct StoreFeatures: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Saved models can be changed.
    public static let updates = StoreFeatures(rawValue: 1 << 0)
    /// Saved models can be deleted.
    public static let deletes = StoreFeatures(rawValue: 1 << 1)
    /// Uniqueness constraints are kept.
    public static let uniqueness = StoreFeatures(rawValue: 1 << 2)
    /// A configuration that is opened again, after everything of the first time is gone, finds what was saved.
    public static let reopening = StoreFeatures(rawValue: 1 << 3)
    /// Updates are in the history, with the attributes that changed.
    public static let updateHistory = StoreFeatures(rawValue: 1 << 4)
    /// Deletes are in the history.
    public static let deleteHistory = StoreFeatures(rawValue: 1 << 5)
    /// Deletes in the history have the values marked `.preserveValueOnDeletion`.
    public static let tombstones = StoreFeatures(rawValue: 1 << 6)
    /// Transactions can be deleted up to a token, and all of them.
    public static let deletingHistory = StoreFeatures(rawValue: 1 << 7)

    /// Several stores may have the same place open at once, in one process or in several.
    public static let sharing = StoreFeatures(rawValue: 1 << 8)
    /// References never lead to rows that are gone: delete rules hold for rows that the deleting context has not seen, and
    /// a save of a reference to a row that another writer deleted is ``SwiftDataError/modelValidationFailure``.
    public static let referentialIntegrity = StoreFeatures(rawValue: 1 << 9)
    /// A token of a past that was taken back, by a restored backup say, is an error also when another past was written in
    /// its place.
    public static let forks = StoreFeatures(rawValue: 1 << 10)

    /// Relationships are kept as links where no row has a value for them: the store is a ``DataStoreLinking``.
    public static let links = StoreFeatures(rawValue: 1 << 11)

    /// A save updates only the properties in ``DataStoreSnapshot/changed``, so that two contexts can change different
    /// properties of one model.
    public static let partialUpdates = StoreFeatures(rawValue: 1 << 12)

    /// Everything there is.
    public static let all = StoreFeatures(rawValue: 1 << 13 - 1)

    private static let names: [(StoreFeatures, String)] = [
        (.updates, "updates"), (.deletes, "deletes"), (.uniqueness, "uniqueness"), (.reopening, "reopening"),
        (.updateHistory, "updateHistory"), (.deleteHistory, "deleteHistory"), (.tombstones, "tombstones"),
        (.deletingHistory, "deletingHistory"), (.sharing, "sharing"),
        (.referentialIntegrity, "referentialIntegrity"), (.forks, "forks"),
        (.links, "links"), (.partialUpdates, "partialUpdates"),
    ]

    /// The features by name.
    var text: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
