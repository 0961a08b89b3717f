import Foundation

/// A token that a predicate compares transactions with.
public struct HistoryTokenBound<Token: HistoryToken>: Sendable {
    public let token: Token
    /// Whether the token's own transaction is meant, too.
    public let isInclusive: Bool
    /// Whether no transaction matches that does not keep to it; not so on one side of an OR.
    public let isRequired: Bool
}

/// Finds the tokens in a predicate, for stores that have to know whether these are still good.
///
/// ```swift
/// for bound in try HistoryTokenBounds(descriptor).lower where bound.token.position < floor {
///     throw SwiftDataError.historyTokenExpired
/// }
/// ```
public struct HistoryTokenBounds<Token: HistoryToken>: Sendable {
    /// Tokens that transactions come after, wherever in the predicate: a reader continues from them. One that cannot be
    /// continued from exactly is an error.
    public private(set) var lower: [HistoryTokenBound<Token>] = []
    /// Tokens that transactions come before, wherever in the predicate. In a delete they say what a reader has seen.
    public private(set) var upper: [HistoryTokenBound<Token>] = []

    /// The tokens in the predicate of a descriptor, whatever the type of its transactions.
    ///
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a part in which a token might stand unseen; the detail names
    ///   it.
    public init<Transaction: HistoryTransaction>(_ descriptor: HistoryDescriptor<Transaction>) throws
    where Transaction.TokenType == Token {
        guard let predicate = descriptor.predicate else { return }
        let tree = try PredicateWalker.tree(of: predicate, AnyHistoryKeyPaths<Token>())
        collect(tree, isRequired: true, isNegated: false)
    }

    /// The tokens in a tree.
    public init<Property>(_ tree: PredicateTree<Property>) {
        collect(tree, isRequired: true, isNegated: false)
    }

    private mutating func collect<Property>(_ tree: PredicateTree<Property>, isRequired: Bool, isNegated: Bool) {
        switch tree {
        // `!(a || b)` is `!a && !b`
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

    private mutating func add<Property>(
        _ token: Token, _ order: PredicateTree<Property>.Order?, isRequired: Bool, isNegated: Bool
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
    /// `transaction.token < token`, for stores that translate the rest of the tree: the order in which property and
    /// token stand to each other, without one for `==`; `nil` for everything else.
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

/// Some property of a transaction. What it is does not matter where only tokens are looked for.
private struct AnyHistoryProperty: PredicateProperty, @unchecked Sendable {
    /// Key paths that predicates capture are `Sendable`; the erased type only does not say so.
    let keyPath: AnyKeyPath

    var name: String { "\(keyPath)" }
    var isToMany: Bool { type(of: keyPath).valueType == [HistoryChange].self }
}

private struct AnyHistoryKeyPaths<Token: HistoryToken>: PredicateResolver {
    func property(at keyPath: AnyKeyPath, of type: Any.Type) -> AnyHistoryProperty? {
        AnyHistoryProperty(keyPath: keyPath)
    }

    func foreign(_ value: Any) -> (any Sendable)? { value as? Token }

    /// Nothing is compared here.
    func isOrdered(_ type: Any.Type) -> Bool { true }
}
