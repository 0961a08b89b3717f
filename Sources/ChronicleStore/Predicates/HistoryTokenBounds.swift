import ChronicleCore

/// A token that a predicate compares transactions with.
struct HistoryTokenBound {
    let token: DefaultHistoryToken
    /// Whether the token's own transaction is meant, too.
    let isInclusive: Bool
    /// Whether no transaction matches that does not keep to it; not so on one side of an OR.
    let isRequired: Bool
}

/// Finds the tokens in a predicate, for readers that have to know whether these are still good.
struct HistoryTokenBounds {
    typealias Tree = PredicateTree<HistoryProperty>

    private(set) var lower: [HistoryTokenBound] = []
    private(set) var upper: [HistoryTokenBound] = []

    mutating func collect(_ tree: Tree) { collect(tree, isRequired: true, isNegated: false) }

    private mutating func collect(_ tree: Tree, isRequired: Bool, isNegated: Bool) {
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
            guard let (order, token) = tree.tokenComparison else { return }
            add(token, order, isRequired: isRequired, isNegated: isNegated)
        }
    }

    private mutating func add(
        _ token: DefaultHistoryToken, _ order: Tree.Order?, isRequired: Bool, isNegated: Bool
    ) {
        func bound(_ isInclusive: Bool) -> HistoryTokenBound {
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

extension PredicateTree<HistoryProperty> {
    /// `transaction.token < token`, with no order for `==`.
    fileprivate var tokenComparison: (Order?, DefaultHistoryToken)? {
        switch self {
        case .compare(.path, let order, .foreign(let token as DefaultHistoryToken)): (order, token)
        case .compare(.foreign(let token as DefaultHistoryToken), let order, .path): (order.reversed, token)
        case .equal(.path, .foreign(let token as DefaultHistoryToken)): (nil, token)
        case .equal(.foreign(let token as DefaultHistoryToken), .path): (nil, token)
        default: nil
        }
    }

    /// Whether it says nothing but that transactions come after a token.
    var isTokenLowerBound: Bool {
        guard let (order, _) = tokenComparison else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}
