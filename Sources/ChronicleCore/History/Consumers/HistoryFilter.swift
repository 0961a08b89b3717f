import Foundation

/// The changes that a ``HistoryConsumer`` receives.
///
/// ```swift
/// var filter = HistoryFilter(models: [Trip.self], authors: .except(["widget"]))
/// try filter.limitUpdates(of: Trip.self, to: [\.name, \.destination])
/// ```
///
/// A consumer skips transactions without a matching change, and its position moves past them. Other transactions are delivered as a
/// whole; ``HistoryBatch/changes`` contains only the changes that match.
///
/// The filter is not stored: a new one applies from the position of the consumer on. Reset the consumer to
/// ``HistoryStart/snapshot`` if it needs earlier changes as well.
///
/// The names of authors and contexts are compared byte by byte. A `Set`, however, keeps only one of two strings that Swift
/// considers equal, such as the composed and the decomposed form of a letter. Use the same form of a name in all programs.
public struct HistoryFilter: Hashable, Sendable {
    /// The authors of transactions.
    public enum Authors: Hashable, Sendable {
        /// Every author, and transactions without one.
        case all
        /// Only these authors, and transactions without an author if `includingAnonymous` is `true`.
        case only(_ authors: Set<String>, includingAnonymous: Bool = false)
        /// All authors but these, and transactions without an author unless `includingAnonymous` is `false`.
        case except(_ authors: Set<String>, includingAnonymous: Bool = true)

        /// Only these authors, and transactions without an author if `unsigned` is `true`.
        ///
        /// - Parameters:
        ///   - authors: The authors.
        ///   - unsigned: Whether transactions without an author match.
        /// - Returns: The authors of a filter.
        @available(*, deprecated, renamed: "only(_:includingAnonymous:)")
        public static func only(_ authors: Set<String>, unsigned: Bool) -> Authors {
            .only(authors, includingAnonymous: unsigned)
        }

        /// All authors but these, and transactions without an author if `unsigned` is `true`.
        ///
        /// - Parameters:
        ///   - authors: The authors.
        ///   - unsigned: Whether transactions without an author match.
        /// - Returns: The authors of a filter.
        @available(*, deprecated, renamed: "except(_:includingAnonymous:)")
        public static func except(_ authors: Set<String>, unsigned: Bool) -> Authors {
            .except(authors, includingAnonymous: unsigned)
        }
    }

    /// The names of the contexts that save transactions.
    public enum ContextNames: Hashable, Sendable {
        /// Every context, with or without a name, and other programs.
        case all
        /// Only contexts with these names, and transactions without a name if `includingUnnamed` is `true`.
        case only(_ names: Set<String>, includingUnnamed: Bool = false)
        /// All contexts but those with these names, and transactions without a name unless `includingUnnamed` is `false`.
        case except(_ names: Set<String>, includingUnnamed: Bool = true)
    }

    /// A kind of change.
    public enum ChangeKind: Hashable, Sendable, CaseIterable {
        /// A model was inserted.
        case insert
        /// A model was updated.
        case update
        /// A model was deleted.
        case delete
    }

    /// The authors whose transactions match. The store does not read other transactions.
    public var authors: Authors
    /// The names of the contexts whose transactions match. The store does not read other transactions.
    ///
    /// The transactions of a store that does not record the names of contexts have none. Deleted transactions count as missing
    /// whatever their names were: unlike those of other authors, the store does not know them afterwards.
    public var contextNames: ContextNames
    /// The kinds of changes that match.
    public var changeKinds: Set<ChangeKind>
    /// The names of the entities whose changes match, or `nil` for all. A container adds the entities that inherit from these.
    public private(set) var entityNames: Set<String>?
    /// The names of the properties of which an update must change at least one, by entity.
    private var propertyNames: [String: Set<String>] = [:]

    /// Creates a filter. Without arguments, every change matches.
    ///
    /// - Parameters:
    ///   - models: The classes whose changes match; an empty array matches all.
    ///   - changeKinds: The kinds of changes that match.
    ///   - authors: The authors whose transactions match.
    ///   - contextNames: The names of the contexts whose transactions match.
    public init(
        models: [any PersistentModel.Type] = [], changeKinds: Set<ChangeKind> = Set(ChangeKind.allCases),
        authors: Authors = .all, contextNames: ContextNames = .all
    ) {
        entityNames = models.isEmpty ? nil : Set(models.map { $0.entityName })
        self.changeKinds = changeKinds
        self.authors = authors
        self.contextNames = contextNames
    }

    /// Excludes updates of a model that change none of the given properties. Inserts and deletes still match.
    ///
    /// In a consumer, the limits also apply to subclasses of the model, except those with other limits and their subclasses.
    ///
    /// - Parameters:
    ///   - model: The class of the models.
    ///   - keyPaths: The key paths of attributes and relationships.
    /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if a key path is not a stored property. Remove it.
    public mutating func limitUpdates<Model: PersistentModel>(
        of model: Model.Type, to keyPaths: [PartialKeyPath<Model>]
    ) throws {
        propertyNames[Model.entityName] = try Set(
            keyPaths.map { keyPath in
                guard let name = Model.allProperties.name(of: keyPath) else {
                    throw SwiftDataError.unsupportedKeyPath.with(
                        detail: "a key path of the filter is not a stored property; remove it",
                        entityName: Model.entityName)
                }
                return name
            })
    }

    /// Returns whether a change matches, regardless of its author and context.
    ///
    /// - Parameter change: A change of the history.
    /// - Returns: `true` if the kind, the model, and for an update a property match.
    /// - Complexity: O(*n*), where *n* is the number of properties that an update changed.
    public func matches(_ change: HistoryChange) -> Bool {
        guard changeKinds.count == ChangeKind.allCases.count || changeKinds.contains(change.kind) else { return false }
        guard entityNames != nil || !propertyNames.isEmpty else { return true }
        let entityName = change.changedPersistentIdentifier.entityName
        let rootName = change.changedPersistentIdentifier.rootEntityName
        if let entityNames, !entityNames.contains(entityName), !entityNames.contains(rootName) { return false }
        guard case .update(let update) = change, let names = propertyNames[entityName] ?? propertyNames[rootName]
        else { return true }
        return Self.changes(update, one: names)
    }

    private static func changes<Update: HistoryUpdate>(_ update: Update, one names: Set<String>) -> Bool {
        update.updatedAttributes.contains { keyPath in
            Update.Model.allProperties.name(of: keyPath as PartialKeyPath<Update.Model>).map(names.contains) ?? false
        }
    }

    /// The limits of an entity are those of the nearest entity from which it inherits, unless it has its own.
    func addingSubentities(in schema: Schema) -> HistoryFilter {
        var filter = self
        filter.entityNames = entityNames.map { Set($0.flatMap(schema.kinds)) }
        guard !propertyNames.isEmpty else { return filter }
        for entity in schema.entities {
            var ancestor: Schema.Entity? = entity
            while let current = ancestor, propertyNames[current.name] == nil { ancestor = current.superentity }
            if let ancestor { filter.propertyNames[entity.name] = propertyNames[ancestor.name] }
        }
        return filter
    }

    var matchesAllChanges: Bool {
        changeKinds.count == ChangeKind.allCases.count && entityNames == nil && propertyNames.isEmpty
    }
}

extension HistoryChange {
    var kind: HistoryFilter.ChangeKind {
        switch self {
        case .insert: .insert
        case .update: .update
        case .delete: .delete
        }
    }
}

extension HistoryFilter {
    /// The token expires if a transaction after it was deleted, except those of authors that do not match.
    func descriptor<Transaction: HistoryTransaction>(
        after token: Transaction.TokenType?
    ) -> HistoryDescriptor<Transaction> {
        var conditions = PredicateConditions<Transaction>()
        if let token { conditions.add(\.token, .greaterThan, token) }
        if let (names, isIncluded) = authors.list { conditions.add(\.author, in: names, isIncluded) }
        if let (names, isIncluded) = contextNames.list { conditions.add(\.contextName, in: names, isIncluded) }
        return HistoryDescriptor(predicate: conditions.predicate).complete
    }
}

extension HistoryFilter.Authors {
    /// The authors that match, or all that do not; `nil` without a condition.
    fileprivate var list: (names: [String?], isIncluded: Bool)? {
        switch self {
        case .all: nil
        case .only(let names, let anonymous): (names.sorted() + (anonymous ? [nil] : []), true)
        case .except(let names, let anonymous): (names.sorted() + (anonymous ? [] : [nil]), false)
        }
    }
}

extension HistoryFilter.ContextNames {
    /// The names that match, or all that do not; `nil` without a condition.
    fileprivate var list: (names: [String?], isIncluded: Bool)? {
        switch self {
        case .all: nil
        case .only(let names, let unnamed): (names.sorted() + (unnamed ? [nil] : []), true)
        case .except(let names, let unnamed): (names.sorted() + (unnamed ? [] : [nil]), false)
        }
    }
}
