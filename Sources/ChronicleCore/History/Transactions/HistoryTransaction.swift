public import Foundation

/// A transaction in the history of a store, with the changes of one commit.
public protocol HistoryTransaction: Identifiable, Sendable {
    /// The type of the tokens of the store.
    associatedtype TokenType: HistoryToken
    /// The type that identifies a transaction in its store.
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The ``ModelContext/author`` of the save; `nil` if there is none or if another program made the changes.
    var author: String? { get }
    /// The ``ModelContext/name`` of the context that saved; `nil` if it has none or if another program made the changes.
    ///
    /// The default implementation returns `nil`, for stores that do not record the name.
    var contextName: String? { get }
    /// The changes in the order in which they were made.
    var changes: [HistoryChange] { get }
    /// The identifier of the store that contains the transaction.
    var storeIdentifier: String { get }
    /// The time of the commit, by the clock of the process that saved. Use it for display only, because clocks can be changed.
    var timestamp: Date { get }
    /// The position after the transaction.
    var token: TokenType { get }
    /// The identifier of the transaction in its store, which increases in commit order.
    var transactionIdentifier: TransactionIdentifier { get }

    /// Returns the transaction with a token that also has the positions of another token; the later of two in one store applies.
    ///
    /// A read of several stores calls this method with the position that it reached in each store before the transaction. Implement
    /// it if a token can have a position in several stores. The default implementation returns the transaction unchanged.
    ///
    /// - Parameter token: The positions in other stores.
    /// - Returns: The transaction with the combined token.
    func addingPositions(of token: TokenType) -> Self
}

extension HistoryTransaction {
    /// The identity of the transaction in its store, ``transactionIdentifier``.
    public var id: TransactionIdentifier { transactionIdentifier }

    public var contextName: String? { nil }

    public func addingPositions(of token: TokenType) -> Self { self }
}

/// A position in the history of a store. Save a token to fetch the transactions after it later.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
    /// The type of the position.
    associatedtype TokenType: Hashable & Sendable

    /// The position in a form that is specific to the store.
    var tokenValue: TokenType? { get }
}

extension Optional where Wrapped: HistoryToken {
    /// Does not move a position backward. `nil` is the position before every token.
    mutating func advance(to token: Wrapped?) {
        guard let token, map({ $0 < token }) ?? true else { return }
        self = token
    }
}

/// An insert, update or delete of a model.
///
/// To find the changes of a model class, match the type of the change:
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
/// In code that works with any store, use types such as `any HistoryInsert<LivingAccommodation>` instead.
public enum HistoryChange: Sendable {
    /// A model was inserted.
    case insert(any HistoryInsert)
    /// A model was updated.
    case update(any HistoryUpdate)
    /// A model was deleted.
    case delete(any HistoryDelete)
    /// Not a change. As in SwiftData, the case permits a `default` in a `switch` over the other cases without a warning; a `switch`
    /// without `default` need not contain it.
    @available(*, unavailable)
    case unknown

    /// The identifier of the model that changed.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }

    /// The values of the model before and after the change that the history preserves, by the names of its properties, which the
    /// class may no longer have. An insert has no previous values, and a delete has only previous values.
    public var preservedValues: [PreservedValue] {
        switch self {
        case .insert(let change): change.preservedValues
        case .update(let change): change.preservedValues
        case .delete(let change): change.preservedValues
        }
    }

    /// The identifier of the change if it is an integer, as in the default store, and otherwise `nil`.
    public var integerChangeIdentifier: Int64? {
        switch self {
        case .insert(let change): change.changeIdentifier as? Int64
        case .update(let change): change.changeIdentifier as? Int64
        case .delete(let change): change.changeIdentifier as? Int64
        }
    }
}

/// An insert of a model in the history of a store.
public protocol HistoryInsert<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type that identifies a change in its store.
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    /// The type that identifies a transaction in its store.
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The identifier of the change in its store, which increases in the order of the changes.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the model that changed.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction that contains the change.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The initial values that the history preserves; empty by default.
    var preservedValues: [PreservedValue] { get }
}

extension HistoryInsert {
    public var preservedValues: [PreservedValue] { [] }
}

/// An update of a model in the history of a store.
public protocol HistoryUpdate<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type that identifies a change in its store.
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    /// The type that identifies a transaction in its store.
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The identifier of the change in its store, which increases in the order of the changes.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the model that changed.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction that contains the change.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The key paths of the changed attributes and to-one relationships.
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
    /// The names of the changed properties, which the class may no longer have. By default, those of ``updatedAttributes``.
    var updatedAttributeNames: [String] { get }
    /// The values before and after the update that the history preserves; empty by default.
    var preservedValues: [PreservedValue] { get }
}

extension HistoryUpdate {
    public var updatedAttributeNames: [String] {
        updatedAttributes.compactMap { Model.allProperties.name(of: $0) }
    }

    public var preservedValues: [PreservedValue] { [] }

    /// The key path of an updated property.
    public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

    /// Returns whether an attribute or to-one relationship changed.
    ///
    /// - Parameter keyPath: The key path of the property.
    /// - Returns: `true` if the update changed the property.
    public func containsAttribute(_ keyPath: PartialKeyPath<Model>) -> Bool {
        updatedAttributes.contains { $0 as PartialKeyPath<Model> == keyPath }
    }
}

/// A delete of a model in the history of a store.
public protocol HistoryDelete<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type that identifies a change in its store.
    associatedtype ChangeIdentifier: Comparable & Hashable & Sendable
    /// The type that identifies a transaction in its store.
    associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

    /// The identifier of the change in its store, which increases in the order of the changes.
    var changeIdentifier: ChangeIdentifier { get }
    /// The identifier of the model that changed.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The identifier of the transaction that contains the change.
    var transactionIdentifier: TransactionIdentifier { get }
    /// The values of the deleted model that the history preserves.
    var tombstone: HistoryTombstone<Model> { get }
}

extension HistoryDelete {
    /// The values of ``tombstone`` as previous values, including the attributes that were `nil`.
    public var preservedValues: [PreservedValue] {
        tombstone.namedValues.map { PreservedValue(name: $0.name, previousValue: $0.value, value: nil) }
            + tombstone.nilAttributeNames.map { PreservedValue(name: $0, previousValue: nil, value: nil) }
    }
}
