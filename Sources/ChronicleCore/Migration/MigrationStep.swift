/// A change that opening a store makes to its file.
///
/// ``ModelContainer/migrationSteps(for:configurations:migrationPlan:)`` returns the steps of an opening without making the
/// changes.
public struct MigrationStep: Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Creates the store, because the file does not exist or is empty.
        case createStore
        /// Upgrades the format of the file, for good: earlier versions of Chronicle cannot use the file any more.
        case upgradeFormat
        /// Runs a stage of the migration plan. The changes of all stages follow it.
        case runStage
        /// Stores another version of the schema in the file.
        case setVersion
        /// Adds a model that the file does not contain.
        case addEntity
        /// Renames a model, with its table.
        case renameEntity
        /// Adds an attribute or a relationship, with its default value.
        case addProperty
        /// Renames an attribute or a relationship, with its column.
        case renameProperty
        /// Changes the type of a property, whether it is optional, or the form of a relationship. Values whose stored form
        /// differs are converted.
        case changeProperty
        /// Removes an attribute or a relationship from the model. Its column and its values remain in the file, unless
        /// another property takes their place.
        case removeProperty
        /// Creates an index, which may be that of a uniqueness constraint.
        case addIndex
        /// Deletes an index.
        case removeIndex
        /// Replaces the triggers that record changes of a model in the history.
        case changeRecording
    }

    /// The kind of the change.
    public let kind: Kind
    /// The name of the store's configuration, or `nil` if a store created the step and no container returned it.
    public internal(set) var storeName: String?
    /// The name of the changed model after the change, or `nil` if the change is not that of a model.
    public let entityName: String?
    /// The name of the changed property after the change, or `nil` if the change is not that of a property.
    public let propertyName: String?
    /// What changes, such as “adds the attribute isLong: Bool”.
    public let detail: String

    /// Creates a step. Use it in a custom store.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - entityName: The name of the changed model, or `nil` if the change is not that of a model.
    ///   - propertyName: The name of the changed property, or `nil` if the change is not that of a property.
    ///   - detail: What changes, as a verb phrase for people.
    public init(_ kind: Kind, entityName: String? = nil, propertyName: String? = nil, detail: String) {
        self.kind = kind
        self.entityName = entityName
        self.propertyName = propertyName
        self.detail = detail
    }
}

extension MigrationStep: CustomStringConvertible {
    /// The store, the model and what changes, such as “catalog: Book: adds the attribute isLong: Bool”.
    public var description: String {
        [storeName, entityName, detail].compactMap(\.self).joined(separator: ": ")
    }
}
