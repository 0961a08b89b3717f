/// An insert in the history of the default store.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable, Identifiable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier

    // Not an empty array, which is retained and released like any other.
    let values: [PreservedValue]?
    /// Whether the history is known to preserve all values that the model had. Attributes without a value were added to the class
    /// later.
    let hasAllValues: Bool

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
    ///   - hasAllValues: Whether the values are all that the model had. A revert uses the default values of attributes that were
    ///     added to the class later.
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

    /// Compares the identifiers of the change, the transaction, and the model, but not the preserved values.
    public static func == (lhs: DefaultHistoryInsert, rhs: DefaultHistoryInsert) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

/// An update in the history of the default store.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable, Identifiable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The names of the changed attributes and relationships, in the order in which they were added to the entity.
    ///
    /// The names include properties that the class no longer has, but not to-many relationships whose inverse is to-one, which
    /// change with the to-one relationships of their destinations.
    public let updatedAttributeNames: [String]
    // Not an empty array, which is retained and released like any other.
    let values: [PreservedValue]?

    public var id: Int64 { changeIdentifier }
    /// The values before and after the update that the history preserves. A to-many relationship that is stored as links has a
    /// value for each added and each removed destination.
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

    /// Compares the identifiers of the change, the transaction, and the model, and the names of the properties, but not the
    /// preserved values.
    public static func == (lhs: DefaultHistoryUpdate, rhs: DefaultHistoryUpdate) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
            && lhs.updatedAttributeNames == rhs.updatedAttributeNames
    }

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
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>
    /// See ``DefaultHistoryInsert/hasAllValues``.
    let hasAllValues: Bool
    /// Whether the store knows the links that the model had: relationships to many models without an inverse and without a
    /// preserved link were added to the class later.
    let hasAllLinks: Bool

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
    ///   - hasAllValues: Whether the values are all that the model had. A revert uses the default values of attributes that were
    ///     added to the class later.
    ///   - hasAllLinks: Whether the values contain all links of relationships to many models without an inverse. A revert leaves
    ///     those that were added to the class later empty.
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

    /// Compares the identifiers of the change and of the model, but not the tombstones.
    public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

private protocol CompleteChange {
    var hasAllValues: Bool { get }
}

private protocol CompleteDelete {
    var hasAllLinks: Bool { get }
}

extension DefaultHistoryInsert: CompleteChange {}
extension DefaultHistoryDelete: CompleteChange, CompleteDelete {}

extension HistoryChange {
    /// `false` if it is not known whether attributes without a preserved value were added to the class after an insert or a delete.
    var hasAllValues: Bool {
        switch self {
        case .insert(let insert): (insert as? any CompleteChange)?.hasAllValues ?? false
        case .update: false
        case .delete(let delete): (delete as? any CompleteChange)?.hasAllValues ?? false
        }
    }

    /// `false` if it is not known whether relationships without an inverse and without a preserved link were added to the class
    /// after a delete.
    var hasAllLinks: Bool {
        if case .delete(let delete) = self { (delete as? any CompleteDelete)?.hasAllLinks ?? false } else { false }
    }
}

/// The model class of entities for which the program has no class: those of tracked tables and of a decoded ``Schema``, and in the
/// history those that the schema does not contain.
///
/// The name of the entity is part of ``HistoryChange/changedPersistentIdentifier``, and attributes are available by name.
public final class UntypedModel: PersistentModel {
    public static let properties: PropertyMap<UntypedModel> = [:]
    public let persistentBackingData: any BackingData<UntypedModel>

    public init(backingData: any BackingData<UntypedModel>) { persistentBackingData = backingData }
}

/// The model class in changes of entities without a class.
@available(*, deprecated, renamed: "UntypedModel")
public typealias RemovedModel = UntypedModel
