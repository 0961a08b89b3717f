/// An insert in the history of the default store.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable, Identifiable {
    /// The identifier of the change in its store, which increases in the order of the changes.
    public let changeIdentifier: Int64
    /// The identifier of the transaction that contains the change.
    public let transactionIdentifier: Int64
    /// The identifier of the model that changed.
    public let changedPersistentIdentifier: PersistentIdentifier

    // Not an empty array, which is retained and released like any other.
    let values: [PreservedValue]?
    /// Whether the store knows that the history preserves all values that the model had. Attributes without a value were
    /// added to the class later.
    let hasAllValues: Bool

    /// The identity of the change in its store, ``changeIdentifier``.
    public var id: Int64 { changeIdentifier }
    /// The initial values that the history preserves, in the order in which the properties were added to the entity.
    public var preservedValues: [PreservedValue] { values ?? [] }

    /// Creates an insert.
    ///
    /// - Parameters:
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - changedPersistentIdentifier: The identifier of the model that changed.
    ///   - preservedValues: The initial values that the history preserves.
    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        preservedValues: [PreservedValue] = []
    ) {
        self.init(
            changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
            changedPersistentIdentifier: changedPersistentIdentifier, preservedValues: preservedValues,
            hasAllValues: false)
    }

    /// Creates an insert whose values may be complete.
    ///
    /// - Parameters:
    ///   - changeIdentifier: The identifier of the change.
    ///   - transactionIdentifier: The identifier of the transaction.
    ///   - changedPersistentIdentifier: The identifier of the inserted model.
    ///   - preservedValues: The values of the model.
    ///   - hasAllValues: Whether the values are all that the model had. Attributes that are missing were then added to the
    ///     class later, and a revert uses their default values.
    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        preservedValues: [PreservedValue], hasAllValues: Bool
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        self.hasAllValues = hasAllValues
        values = preservedValues.isEmpty ? nil : preservedValues
    }

    /// Returns whether two values are the same change. The preserved values are not compared.
    ///
    /// - Returns: `true` if the identifiers of the change, the transaction, and the model are the same.
    public static func == (lhs: DefaultHistoryInsert, rhs: DefaultHistoryInsert) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    /// Hashes the identifiers of the change and of the model.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

/// An update in the history of the default store.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable, Identifiable {
    /// The identifier of the change in its store, which increases in the order of the changes.
    public let changeIdentifier: Int64
    /// The identifier of the transaction that contains the change.
    public let transactionIdentifier: Int64
    /// The identifier of the model that changed.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The names of the changed attributes and relationships, in the order in which they were added to the entity.
    ///
    /// The names include properties that the class no longer has. They do not include to-many relationships whose
    /// inverse is to-one, which change with the to-one relationships of their destinations.
    public let updatedAttributeNames: [String]
    // Not an empty array, which is retained and released like any other.
    let values: [PreservedValue]?

    /// The identity of the change in its store, ``changeIdentifier``.
    public var id: Int64 { changeIdentifier }
    /// The values before and after the update that the history preserves.
    ///
    /// A to-many relationship that is stored as links has a value for each added and each removed destination.
    public var preservedValues: [PreservedValue] { values ?? [] }

    /// Creates an update.
    ///
    /// - Parameters:
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - changedPersistentIdentifier: The identifier of the model that changed.
    ///   - updatedAttributeNames: The names of the changed attributes and relationships.
    ///   - preservedValues: The values before and after the update that the history preserves.
    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        updatedAttributeNames: [String], preservedValues: [PreservedValue] = []
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        self.updatedAttributeNames = updatedAttributeNames
        values = preservedValues.isEmpty ? nil : preservedValues
    }

    /// Returns whether two values are the same change. The preserved values are not compared.
    ///
    /// - Returns: `true` if the identifiers of the change, the transaction, and the model are the same, and the same
    ///   properties changed.
    public static func == (lhs: DefaultHistoryUpdate, rhs: DefaultHistoryUpdate) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
            && lhs.updatedAttributeNames == rhs.updatedAttributeNames
    }

    /// Hashes the identifiers of the change and of the model.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }

    /// The key paths of the changed properties that the class still has.
    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        updatedAttributeNames.compactMap { Model.allProperties.keyPath(named: $0) }
    }

    /// Returns whether an attribute or a relationship changed.
    ///
    /// - Parameter keyPath: The key path of the property.
    /// - Returns: `true` if the update changed the property.
    public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
        Model.allProperties.name(of: keyPath).map(updatedAttributeNames.contains) ?? false
    }
}

/// A delete in the history of the default store.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable, Identifiable {
    /// The identifier of the change in its store, which increases in the order of the changes.
    public let changeIdentifier: Int64
    /// The identifier of the transaction that contains the change.
    public let transactionIdentifier: Int64
    /// The identifier of the model that changed.
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The values of the deleted model that the history preserves.
    public let tombstone: HistoryTombstone<Model>
    /// Whether the store knows that the history preserves all values that the model had. Attributes without a value were
    /// added to the class later.
    let hasAllValues: Bool
    /// Whether the store knows the links that the model had: relationships to many models without an inverse and without
    /// a preserved link were added to the class later.
    let hasAllLinks: Bool

    /// The identity of the change in its store, ``changeIdentifier``.
    public var id: Int64 { changeIdentifier }

    /// Creates a delete.
    ///
    /// - Parameters:
    ///   - changeIdentifier: The identifier of the change in its store.
    ///   - transactionIdentifier: The identifier of the transaction that contains the change.
    ///   - changedPersistentIdentifier: The identifier of the model that changed.
    ///   - tombstone: The preserved values of the deleted model.
    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        tombstone: HistoryTombstone<Model>
    ) {
        self.init(
            changeIdentifier: changeIdentifier, transactionIdentifier: transactionIdentifier,
            changedPersistentIdentifier: changedPersistentIdentifier, tombstone: tombstone, hasAllValues: false,
            hasAllLinks: false)
    }

    /// Creates a delete whose values may be complete.
    ///
    /// - Parameters:
    ///   - changeIdentifier: The identifier of the change.
    ///   - transactionIdentifier: The identifier of the transaction.
    ///   - changedPersistentIdentifier: The identifier of the deleted model.
    ///   - tombstone: The preserved values.
    ///   - hasAllValues: Whether the values are all that the model had. Attributes that are missing were then added to the
    ///     class later, and a revert uses their default values.
    ///   - hasAllLinks: Whether the values contain all links of relationships to many models without an inverse. Those that
    ///     are missing were then added to the class later, and a revert leaves them empty.
    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        tombstone: HistoryTombstone<Model>, hasAllValues: Bool, hasAllLinks: Bool = false
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        self.tombstone = tombstone
        self.hasAllValues = hasAllValues
        self.hasAllLinks = hasAllLinks
    }

    /// Returns whether two values are the same change. The tombstones are not compared.
    ///
    /// - Returns: `true` if the identifiers of the change and of the model are the same.
    public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    /// Hashes the identifiers of the change and of the model.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

/// A change whose store knows whether it preserves all values of the model.
private protocol CompleteChange {
    var hasAllValues: Bool { get }
}

/// A delete whose store knows whether it preserves all links of the model.
private protocol CompleteDelete {
    var hasAllLinks: Bool { get }
}

extension DefaultHistoryInsert: CompleteChange {}
extension DefaultHistoryDelete: CompleteChange, CompleteDelete {}

extension HistoryChange {
    /// Whether attributes without a preserved value were added to the class after an insert or a delete. `false` if this is
    /// not known.
    var hasAllValues: Bool {
        switch self {
        case .insert(let insert): (insert as? any CompleteChange)?.hasAllValues ?? false
        case .update: false
        case .delete(let delete): (delete as? any CompleteChange)?.hasAllValues ?? false
        }
    }

    /// Whether relationships without an inverse and without a preserved link were added to the class after a delete.
    /// `false` if this is not known.
    var hasAllLinks: Bool {
        if case .delete(let delete) = self { (delete as? any CompleteDelete)?.hasAllLinks ?? false } else { false }
    }
}

/// The model class in changes of entities that the schema does not contain, and of entities in a decoded ``Schema``,
/// which has no model classes.
///
/// It keeps the history of these entities readable. The name of the entity is part of
/// ``HistoryChange/changedPersistentIdentifier``, and attributes are available by name.
public final class RemovedModel: PersistentModel {
    /// An empty map.
    public static let properties: PropertyMap<RemovedModel> = [:]
    /// The state that a context keeps for the model.
    public let persistentBackingData: any BackingData<RemovedModel>

    /// Creates an instance for a row. Contexts do not create instances, because the class has no entity.
    ///
    /// - Parameter backingData: The backing data of the row.
    public init(backingData: any BackingData<RemovedModel>) { persistentBackingData = backingData }
}
