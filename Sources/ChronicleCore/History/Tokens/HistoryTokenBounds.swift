import Foundation

/// A token in a history predicate, and how the predicate uses it.
public struct HistoryTokenBound<Token: HistoryToken>: Sendable {
    /// The token that the predicate compares with the tokens of transactions.
    public let token: Token
    /// Whether the comparison includes the transaction of the token itself.
    public let isInclusive: Bool
    /// Whether every matching transaction satisfies the comparison, unlike one on one side of `||`.
    public let isRequired: Bool
}

/// The tokens in a history predicate, for stores that check whether the tokens are still valid.
///
/// ```swift
/// for bound in try HistoryTokenBounds(descriptor).lower where bound.token.position < floor {
///     throw SwiftDataError.historyTokenExpired
/// }
/// ```
public struct HistoryTokenBounds<Token: HistoryToken>: Sendable {
    /// The tokens after which transactions match, anywhere in the predicate, and from which a reader continues.
    ///
    /// Throw ``SwiftDataError/historyTokenExpired``, or a more specific error, if the store cannot return exactly the transactions
    /// after one of them.
    public private(set) var lower: [HistoryTokenBound<Token>] = []
    /// The tokens before which transactions match, anywhere in the predicate. In a delete, they are the positions up to which a
    /// reader has processed the history.
    public private(set) var upper: [HistoryTokenBound<Token>] = []

    /// Finds the tokens in the predicate of a descriptor.
    ///
    /// - Parameter descriptor: A descriptor for transactions of any type with tokens of this type.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for an unsupported expression, which could contain a token; rewrite the
    ///   predicate.
    public init<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws
    where Transaction.TokenType == Token {
        guard let predicate = descriptor.predicate else { return }
        let tree = try PredicateWalker.tree(of: predicate, AnyHistoryKeyPaths<Token>())
        collect(tree, isRequired: true, isNegated: false)
    }

    /// Finds the tokens in a predicate tree.
    ///
    /// - Parameter tree: The tree of a history predicate.
    public init<Property>(_ tree: PredicateTree<Property>) {
        collect(tree, isRequired: true, isNegated: false)
    }

    private mutating func collect<Property>(_ tree: PredicateTree<Property>, isRequired: Bool, isNegated: Bool) {
        switch tree {
        // `!(a || b)` equals `!a && !b`.
        case .and(let a, let b):
            for part in [a, b] { collect(part, isRequired: isRequired && !isNegated, isNegated: isNegated) }
        case .or(let a, let b):
            for part in [a, b] { collect(part, isRequired: isRequired && isNegated, isNegated: isNegated) }
        case .not(let inner): collect(inner, isRequired: isRequired, isNegated: !isNegated)
        case .conditional(let test, let then, let other):
            for part in [test, then, other] { collect(part, isRequired: false, isNegated: isNegated) }
        case .coalesce(let a, let b), .ifPresent(let a, then: let b):
            for part in [a, b] { collect(part, isRequired: false, isNegated: isNegated) }
        default:
            guard let (order, token) = tree.comparison(with: Token.self) else { return }
            add(token, order, isRequired: isRequired, isNegated: isNegated)
        }
    }

    private mutating func add(
        _ token: Token, _ order: PredicateOrder?, isRequired: Bool, isNegated: Bool
    ) {
        func bound(_ isInclusive: Bool) -> HistoryTokenBound<Token> {
            HistoryTokenBound(token: token, isInclusive: isInclusive, isRequired: isRequired)
        }
        switch (order, isNegated) {
        case (.greater, false), (.lessOrEqual, true): lower.append(bound(false))
        case (.greaterOrEqual, false), (.less, true): lower.append(bound(true))
        case (.less, false), (.greaterOrEqual, true): upper.append(bound(false))
        case (.lessOrEqual, false), (.greater, true): upper.append(bound(true))
        case (nil, false):
            lower.append(bound(true))
            upper.append(bound(true))
        case (nil, true): break
        }
    }
}

extension PredicateTree {
    /// Returns the operator and the token, if the tree is a comparison of a property with a token, such as `transaction.token <
    /// token`.
    ///
    /// - Parameter type: The type of the token.
    /// - Returns: The order of the property relative to the token, which is `nil` for `==`, and the token; `nil` for other trees.
    public func comparison<Token: HistoryToken>(with type: Token.Type) -> (Order?, Token)? {
        switch self {
        case .compare(.path, let order, .foreign(let token as Token)): (order, token)
        case .compare(.foreign(let token as Token), let order, .path): (order.reversed, token)
        case .equal(.path, .foreign(let token as Token)): (nil, token)
        case .equal(.foreign(let token as Token), .path): (nil, token)
        default: nil
        }
    }
}

/// Any property of a transaction. Its meaning is irrelevant for finding tokens.
private struct AnyHistoryProperty: PredicateProperty, @unchecked Sendable {
    /// Reason for `@unchecked Sendable`: key paths in predicates are `Sendable`, which the type `AnyKeyPath` does not express.
    let keyPath: AnyKeyPath

    var name: String { "\(keyPath)" }
    var isToMany: Bool { type(of: keyPath).valueType == [HistoryChange].self }
}

private struct AnyHistoryKeyPaths<Token: HistoryToken>: PredicateResolver {
    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> AnyHistoryProperty? {
        AnyHistoryProperty(keyPath: keyPath)
    }

    func element(of keyPath: AnyKeyPath, at key: Any) -> AnyHistoryProperty? { AnyHistoryProperty(keyPath: keyPath) }

    func foreign(_ value: Any) -> (any Sendable)? { value as? Token }

    /// The tree is not evaluated.
    func isOrdered(_ type: Any.Type) -> Bool { true }
}
