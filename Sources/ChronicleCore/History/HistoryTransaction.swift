public import Foundation

/// The changes of one commit, as a store remembers them.
public protocol HistoryTransaction: Identifiable, Sendable {
    associatedtype TokenType: HistoryToken
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The ``ModelContext/author`` of the save; `nil` for unsigned saves and for changes of other programs.
    var author: String? { get }
    /// The changes in the order in which they were made.
    var changes: [HistoryChange] { get }
    /// The store that the transaction was committed to.
    var storeIdentifier: String { get }
    /// When the transaction was committed, by the clock of the process that did. For people: order and position never
    /// depend on it.
    var timestamp: Date { get }
    /// The position right after the transaction.
    var token: TokenType { get }
    /// The transaction's name in its store, growing in commit order.
    var transactionIdentifier: TransactionIdentifier { get }
}

extension HistoryTransaction {
    /// The identity of the transaction in its store: ``transactionIdentifier``.
    public var id: TransactionIdentifier { transactionIdentifier }
}

/// A position in the history of a store: keep it, and ask later for what came after.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
    associatedtype TokenType: Hashable & Sendable

    /// The position in terms of the store.
    var tokenValue: TokenType? { get }
}

/// One insert, update or delete of a model.
///
/// Look for the models of interest by type:
///
/// ```swift
/// switch change {
/// case .insert(_ as DefaultHistoryInsert<LivingAccommodation>): …
/// case .update(let update as DefaultHistoryUpdate<Trip>): update.containsAttribute(\.name) …
/// case .delete(let delete as DefaultHistoryDelete<Trip>): delete.tombstone[\.name] …
/// default: break
/// }
/// ```
///
/// Code that is to work with any store says `any HistoryInsert<LivingAccommodation>` and so on instead.
public enum HistoryChange: Sendable {
    case insert(any HistoryInsert)
    case update(any HistoryUpdate)
    case delete(any HistoryDelete)

    /// The model that changed.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

/// A model that was inserted.
public protocol HistoryInsert<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The change's name in its store, growing in the order of the changes.
    var changeIdentifier: ChangeIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The transaction that the change belongs to.
    var transactionIdentifier: TransactionIdentifier { get }
}

/// A model that was updated.
public protocol HistoryUpdate<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    var changeIdentifier: ChangeIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    /// The attributes and to-one relationships that got another value.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

extension HistoryUpdate {
    /// The key path of an updated property.
    public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

    /// Whether an attribute or to-one relationship got another value.
    public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
        updatedAttributes.contains { $0 as PartialKeyPath<Model> == keyPath }
    }
}

/// A model that was deleted.
public protocol HistoryDelete<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    var changeIdentifier: ChangeIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    /// What the attributes marked `.preserveValueOnDeletion` held.
    var tombstone: HistoryTombstone<Model> { get }
}
