/// An insert, as the default store remembers it.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable, Identifiable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier

    public var id: Int64 { changeIdentifier }

    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
    }
}

/// An update, as the default store remembers it.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable, Identifiable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    /// The names of the attributes and to-one relationships that got another value, in the order in which they joined
    /// the entity. Those that the class no longer has are among them.
    public let updatedAttributeNames: [String]

    public var id: Int64 { changeIdentifier }

    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        updatedAttributeNames: [String]
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        self.updatedAttributeNames = updatedAttributeNames
    }

    /// The key paths of the updated attributes that the class still has.
    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        updatedAttributeNames.compactMap { Model.properties.keyPath(named: $0) }
    }

    /// Whether an attribute or to-one relationship got another value.
    public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
        Model.properties.name(of: keyPath).map(updatedAttributeNames.contains) ?? false
    }
}

/// A delete, as the default store remembers it.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable, Identifiable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    public var id: Int64 { changeIdentifier }

    public init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        tombstone: HistoryTombstone<Model>
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        self.tombstone = tombstone
    }

    /// A delete is one change: its place in its store tells it from every other, whatever the tombstone holds.
    public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(changedPersistentIdentifier)
    }
}

/// Stands in for the class of models that the schema no longer has, so that their history stays readable: the
/// entity's name is in the change's identifier, attributes are there by name.
public final class RemovedModel: PersistentModel {
    public static let properties: PropertyMap<RemovedModel> = [:]
    public let persistentBackingData: BackingData

    public init(backingData: BackingData) { persistentBackingData = backingData }
}
