/// The optional features that a store supports. Rules that need others are skipped, and the report lists them.
public struct StoreFeatures: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Saved models can be updated.
    public static let updates = StoreFeatures(rawValue: 1 << 0)
    /// Saved models can be deleted.
    public static let deletes = StoreFeatures(rawValue: 1 << 1)
    /// The store enforces uniqueness constraints.
    public static let uniqueness = StoreFeatures(rawValue: 1 << 2)
    /// The store persists after every container of it was released.
    public static let reopening = StoreFeatures(rawValue: 1 << 3)
    /// The history contains updates, with the attributes that changed.
    public static let updateHistory = StoreFeatures(rawValue: 1 << 4)
    /// The history contains deletes.
    public static let deleteHistory = StoreFeatures(rawValue: 1 << 5)
    /// Deletes in the history contain the values of attributes with the option `.preserveValueOnDeletion`.
    public static let tombstones = StoreFeatures(rawValue: 1 << 6)
    /// Transactions can be deleted, up to a token or all of them.
    public static let deletingHistory = StoreFeatures(rawValue: 1 << 7)

    /// Several stores can open the same location at the same time, in one process or in several.
    public static let sharing = StoreFeatures(rawValue: 1 << 8)
    /// The store enforces references: delete rules also apply to rows that the deleting context has not fetched, and
    /// saving a reference to a row that another context deleted throws `SwiftDataError.modelValidationFailure`.
    public static let referentialIntegrity = StoreFeatures(rawValue: 1 << 9)
    /// Tokens of a history that was replaced, for example by restoring a backup, are rejected even after the restored
    /// store recorded other transactions in its place.
    public static let forks = StoreFeatures(rawValue: 1 << 10)

    /// The store stores relationships in link tables: it conforms to `DataStoreLinking`.
    public static let links = StoreFeatures(rawValue: 1 << 11)

    /// A save updates only the properties in `DataStoreSnapshot.changed`, so that two contexts can change different
    /// properties of one model.
    public static let partialUpdates = StoreFeatures(rawValue: 1 << 12)

    /// Texts can contain the NUL character, U+0000. Without this feature, the rules use values without it.
    public static let nulCharacters = StoreFeatures(rawValue: 1 << 13)

    /// The store keeps the version of its schema, and runs the stages of a migration plan, each in one transaction.
    public static let migrations = StoreFeatures(rawValue: 1 << 14)

    /// All features.
    public static let all = StoreFeatures(rawValue: 1 << 15 - 1)

    private static let names: [(StoreFeatures, String)] = [
        (.updates, "updates"), (.deletes, "deletes"), (.uniqueness, "uniqueness"), (.reopening, "reopening"),
        (.updateHistory, "updateHistory"), (.deleteHistory, "deleteHistory"), (.tombstones, "tombstones"),
        (.deletingHistory, "deletingHistory"), (.sharing, "sharing"),
        (.referentialIntegrity, "referentialIntegrity"), (.forks, "forks"),
        (.links, "links"), (.partialUpdates, "partialUpdates"),
        (.nulCharacters, "nulCharacters"), (.migrations, "migrations"),
    ]

    /// Separated by commas.
    var text: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
