public import Foundation

/// A property of a ``DefaultHistoryTransaction``, or of one of its changes, in a predicate.
public enum HistoryProperty: PredicateProperty {
    /// The author of the context that saved the transaction.
    case author
    /// The name of the context that saved the transaction.
    case contextName
    /// The value of a key in the metadata of the transaction, a text. It is `nil` if the transaction does not have the key.
    case metadata(key: String)
    /// The bundle identifier of the program that saved the transaction.
    case bundleIdentifier
    /// The identifier of the process that saved the transaction.
    case processIdentifier
    /// The identifier of the store.
    case storeIdentifier
    /// The date of the transaction.
    case timestamp
    /// The token of the transaction.
    case token
    /// The identifier of the transaction; also for the key path `id`.
    case transactionIdentifier
    /// Whether a program other than Chronicle wrote the transaction.
    case isExternal
    /// The changes of the transaction, a to-many property.
    case changes
    /// The identifier of the changed model, a property of a change.
    case changedPersistentIdentifier
    /// The entity name in ``changedPersistentIdentifier``.
    case changedEntityName
    /// The store identifier in ``changedPersistentIdentifier``.
    case changedStoreIdentifier

    public var name: String {
        switch self {
        case .author: "author"
        case .contextName: "contextName"
        case .metadata: "metadata"
        case .bundleIdentifier: "bundleIdentifier"
        case .processIdentifier: "processIdentifier"
        case .storeIdentifier: "storeIdentifier"
        case .timestamp: "timestamp"
        case .token: "token"
        case .transactionIdentifier: "transactionIdentifier"
        case .isExternal: "isExternal"
        case .changes: "changes"
        case .changedPersistentIdentifier: "changedPersistentIdentifier"
        case .changedEntityName: "changedEntityName"
        case .changedStoreIdentifier: "changedStoreIdentifier"
        }
    }

    /// The name of the property.
    @available(*, deprecated, renamed: "name")
    public var rawValue: String { name }

    public var isToMany: Bool { self == .changes }
}

extension HistoryProperty {
    /// Creates the property for a key path, or returns `nil` for another one, also for that of the whole metadata.
    ///
    /// - Parameter keyPath: A key path of a transaction, a change, or a change's identifier.
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

    /// In code that is generic over the transaction type, `\Transaction.token` references the requirement of the protocol and does
    /// not equal the key path of the concrete property.
    private static func genericKeyPaths<Transaction: HistoryTransaction>(
        _ type: Transaction.Type
    ) -> [AnyKeyPath: HistoryProperty] {
        [
            \Transaction.author: .author, \Transaction.contextName: .contextName, \Transaction.changes: .changes,
            \Transaction.storeIdentifier: .storeIdentifier, \Transaction.timestamp: .timestamp,
            \Transaction.token: .token, \Transaction.transactionIdentifier: .transactionIdentifier,
        ]
    }

    /// Whether a store can sort transactions by the property.
    public var isOrdered: Bool {
        switch self {
        case .metadata, .isExternal, .changes, .changedPersistentIdentifier, .changedEntityName,
            .changedStoreIdentifier:
            false
        default: true
        }
    }
}

extension PredicateTree where Property == HistoryProperty {
    /// Creates the tree of a predicate on transactions. Tokens are represented as ``foreign(_:)``.
    ///
    /// - Parameter predicate: The predicate to translate.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part, which the detail names, cannot be translated. Rewrite the
    ///   predicate, or filter the fetched transactions.
    public init(_ predicate: Predicate<DefaultHistoryTransaction>) throws {
        self = try PredicateWalker.tree(of: predicate, HistoryKeyPaths())
    }
}

struct HistoryKeyPaths: PredicateResolver {
    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> HistoryProperty? { HistoryProperty(keyPath) }

    func element(of keyPath: AnyKeyPath, at key: Any) -> HistoryProperty? {
        guard keyPath == \DefaultHistoryTransaction.metadata, let key = key as? String else { return nil }
        return .metadata(key: key)
    }

    func foreign(_ value: Any) -> (any Sendable)? { value as? DefaultHistoryToken }

    func isOrdered(_ type: Any.Type) -> Bool { type == DefaultHistoryToken.self }
}
