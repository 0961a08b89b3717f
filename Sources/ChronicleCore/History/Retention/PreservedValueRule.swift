/// How long a store keeps the preserved values of an entity or of one of its attributes.
///
/// ```swift
/// HistoryRetention(
///     maximumAge: .seconds(365 * 86_400),
///     valueRules: [
///         PreservedValueRule(\Customer.email, maximumAge: .seconds(30 * 86_400)),
///         PreservedValueRule(Position.self, maximumAge: .seconds(7 * 86_400)),
///     ])
/// ```
///
/// A purge erases the values before and after each change of the attribute that is older. The change remains, with the names of the
/// updated attributes, as if the history had not preserved the values: reading an earlier state then throws
/// ``SwiftDataError/historyValueMissing``, and a revert that needs a value ``SwiftDataError/revertConflict``. No token expires. The present values of the models are not changed.
///
/// The age is that of the change, and not that of a value: the value before a younger change remains, however long the model had it.
/// Several rules can apply to an attribute; the shortest age has the effect. As for ``HistoryRetention/maximumAge``, erasing stops
/// at the first transaction that is younger.
///
/// > Important: A purge does not run `VACUUM`, because it would block other writers. Unused parts of the file and the write-ahead
/// > log can contain copies of erased values; see <doc:ReadingTheHistory#Make-deleted-values-unrecoverable>.
public struct PreservedValueRule: Hashable, Sendable {
    /// The name of the entity. The rule also applies to entities that inherit from it.
    public let entityName: String
    /// The name of the attribute or relationship, or `nil` for all of the entity.
    public let attributeName: String?
    /// The age of the changes from which their values are erased.
    public var maximumAge: Duration

    /// Creates a rule for an attribute or relationship of a model.
    ///
    /// - Parameters:
    ///   - attribute: The key path of a stored property. A purge with another one throws ``SwiftDataError/unknownSchema``.
    ///   - maximumAge: The age of the changes from which the values are erased.
    public init<Model: PersistentModel, Value>(_ attribute: KeyPath<Model, Value>, maximumAge: Duration) {
        // The text of another key path is no name of a property, which the purge reports.
        self.init(
            entityName: Model.entityName, attributeName: Model.allProperties.name(of: attribute) ?? "\(attribute)",
            maximumAge: maximumAge)
    }

    /// Creates a rule for all attributes and relationships of a model.
    ///
    /// - Parameters:
    ///   - type: The model class. The rule also applies to its subclasses.
    ///   - maximumAge: The age of the changes from which the values are erased.
    public init<Model: PersistentModel>(_ type: Model.Type, maximumAge: Duration) {
        self.init(entityName: Model.entityName, maximumAge: maximumAge)
    }

    /// Creates a rule with names, for a tracked database, or for a property that the class no longer has.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity, such as a table of a tracked database.
    ///   - attributeName: The name of the attribute or relationship, or `nil` for all. A renamed property has its current name.
    ///   - maximumAge: The age of the changes from which the values are erased.
    public init(entityName: String, attributeName: String? = nil, maximumAge: Duration) {
        self.entityName = entityName
        self.attributeName = attributeName
        self.maximumAge = maximumAge
    }
}
