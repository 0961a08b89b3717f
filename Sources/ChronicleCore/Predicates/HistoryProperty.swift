public import Foundation

/// A property of a ``DefaultHistoryTransaction``, or of one of its changes, in a predicate.
public enum HistoryProperty: String, PredicateProperty, CaseIterable {
    case author, contextName, bundleIdentifier, processIdentifier, storeIdentifier, timestamp, token
    /// Also as `id`.
    case transactionIdentifier
    case isExternal
    /// Leads to many.
    case changes
    /// Of a change, as are the two below, which are parts of it.
    case changedPersistentIdentifier
    case changedEntityName, changedStoreIdentifier

    public var name: String { rawValue }
    public var isToMany: Bool { self == .changes }
}

extension HistoryProperty {
    /// The property that a key path leads to.
    public init?(_ keyPath: AnyKeyPath) {
        switch keyPath {
        case \DefaultHistoryTransaction.author: self = .author
        case \DefaultHistoryTransaction.contextName: self = .contextName
        case \DefaultHistoryTransaction.bundleIdentifier: self = .bundleIdentifier
        case \DefaultHistoryTransaction.processIdentifier: self = .processIdentifier
        case \DefaultHistoryTransaction.storeIdentifier: self = .storeIdentifier
        case \DefaultHistoryTransaction.timestamp: self = .timestamp
        case \DefaultHistoryTransaction.token: self = .token
        case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id:
            self = .transactionIdentifier
        case \DefaultHistoryTransaction.isExternal: self = .isExternal
        case \DefaultHistoryTransaction.changes: self = .changes
        case \HistoryChange.changedPersistentIdentifier: self = .changedPersistentIdentifier
        case \PersistentIdentifier.entityName: self = .changedEntityName
        case \PersistentIdentifier.storeIdentifier: self = .changedStoreIdentifier
        default:
            guard let property = Self.genericKeyPaths(DefaultHistoryTransaction.self)[keyPath] else { return nil }
            self = property
        }
    }

    /// What is written as `\Transaction.token` where the transaction's type is a parameter: a key path to the protocol's
    /// property, which does not equal one to the type's own.
    private static func genericKeyPaths<Transaction: HistoryTransaction>(
        _ type: Transaction.Type
    ) -> [AnyKeyPath: HistoryProperty] {
        [
            \Transaction.author: .author, \Transaction.changes: .changes,
            \Transaction.storeIdentifier: .storeIdentifier, \Transaction.timestamp: .timestamp,
            \Transaction.token: .token, \Transaction.transactionIdentifier: .transactionIdentifier,
        ]
    }

    /// Whether a store can sort transactions by it.
    public var isOrdered: Bool {
        switch self {
        case .isExternal, .changes, .changedPersistentIdentifier, .changedEntityName, .changedStoreIdentifier: false
        default: true
        }
    }
}

extension PredicateTree where Property == HistoryProperty {
    /// The tree of a predicate on transactions. Tokens in it are ``foreign(_:)``.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for what no store can answer; the detail names the part.
    public init(_ predicate: Predicate<DefaultHistoryTransaction>) throws {
        self = try PredicateWalker.tree(of: predicate, HistoryKeyPaths())
    }
}

/// The key paths of transactions and changes.
struct HistoryKeyPaths: PredicateResolver {
    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> HistoryProperty? { HistoryProperty(keyPath) }

    func foreign(_ value: Any) -> (any Sendable)? { value as? DefaultHistoryToken }

    func isOrdered(_ type: Any.Type) -> Bool { type == DefaultHistoryToken.self }
}
