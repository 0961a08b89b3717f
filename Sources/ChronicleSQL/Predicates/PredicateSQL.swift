public import ChronicleCore

/// Translates a predicate to an SQL condition with the same result.
///
/// ``FetchSQL`` uses it for predicates on models. Use it with your own ``PredicateSource`` to translate predicates on
/// transactions of the history:
///
/// ```swift
/// var translator = PredicateSQL(source: TransactionSource())
/// let condition = try translator.condition(PredicateTree(predicate))
/// ```
///
/// SQL has three truth values and Swift two. Each condition is translated for one of two contexts: one in which NULL
/// would change the result, and one in which NULL counts as false, which allows simpler and faster SQL.
public struct PredicateSQL<Source: PredicateSource> {
    /// The predicates of the source.
    public typealias Tree = PredicateTree<Source.Property>

    /// The tables that the predicate refers to. The translation adds the tables that it joins.
    public var source: Source

    /// Creates a translator.
    ///
    /// - Parameter source: The tables that the predicate refers to.
    public init(source: Source) { self.source = source }

    /// Returns the condition of a WHERE clause, or `nil` if it is always true.
    ///
    /// - Parameters:
    ///   - tree: The predicate.
    ///   - isKnown: Returns whether an operand of the conjunction at the root is known to be true and can be omitted.
    /// - Returns: The condition, whose NULL counts as false.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if a part has no equivalent in SQL; the detail names it. Throw
    ///   `DataStoreError.preferInMemoryFilter` to let the context evaluate the predicate, or pass the error on.
    public mutating func whereCondition(_ tree: Tree, without isKnown: (Tree) -> Bool = { _ in false }) throws
        -> SQLQuery?
    {
        let always = source.dialect.true
        let terms = try tree.conjuncts.filter { !isKnown($0) }.map { try condition($0, .nullIsFalse) }
            .filter { $0 != always }
        return terms.isEmpty ? nil : terms.chained(" AND ")
    }

    /// The possible results of a condition.
    public enum Truth: Sendable {
        /// True or false, because the condition is negated or used as a value.
        case exact
        /// True, false, or NULL in place of false.
        case nullIsFalse
    }

    /// Returns the condition of a predicate.
    ///
    /// - Parameters:
    ///   - tree: The predicate.
    ///   - truth: The possible results of the condition.
    /// - Returns: The condition.
    /// - Throws: `SwiftDataError.unsupportedPredicate` if a part has no equivalent in SQL; the detail names it.
    public mutating func condition(_ tree: Tree, _ truth: Truth) throws -> SQLQuery {
        let condition = try translation(tree, truth)
        try condition.requireReasonableLength()
        return condition
    }

    private mutating func translation(_ tree: Tree, _ truth: Truth) throws -> SQLQuery {
        switch tree {
        case .and: try chain(tree.conjuncts, " AND ", truth)
        case .or: try chain(tree.disjuncts, " OR ", truth)
        case .not(let inner): try negation(inner, truth)
        case .equal(let a, let b): try equality(a, b, isNegated: false, truth)
        case .compare(let a, let order, let b): try comparison(a, order, b, isNegated: false, truth)
        case .isOneOf(let value, let list): try membership(value, list, truth)
        case .contains(let text, let part): try contains(text, part)
        case .starts(let text, let prefix): try starts(text, prefix)
        case .localizedStandardContains(let text, let part): try localizedStandardContains(text, part)
        case .exists(let elements): try exists(elements)
        case .conditional(let test, let then, let other): try conditional(test, then, other, truth)
        case .coalesce(.ifPresent(let value, let result), let other) where result.isCondition:
            try presence(value, result, other, truth)
        case .constant(.integer(let truth)): constant(truth != 0)
        default: source.dialect.condition(try operand(tree).sql)
        }
    }

    /// Returns a condition that is always true or always false.
    func constant(_ truth: Bool) -> SQLQuery { truth ? source.dialect.true : source.dialect.false }

    private mutating func chain(_ terms: [Tree], _ operation: SQLQuery, _ truth: Truth) throws -> SQLQuery {
        var conditions: [SQLQuery] = []
        for term in terms { conditions.append(try condition(term, truth)) }
        return "(\(conditions.chained(operation)))"
    }

    private mutating func exists(_ elements: Tree.Elements) throws -> SQLQuery {
        "EXISTS (SELECT 1 \(try rows(elements)))"
    }

    private mutating func conditional(
        _ test: Tree, _ then: Tree, _ other: Tree, _ truth: Truth
    ) throws -> SQLQuery {
        let (test, then) = (try condition(test, .nullIsFalse), try condition(then, truth))
        return choice(test, then, try condition(other, truth))
    }

    private mutating func negation(_ tree: Tree, _ truth: Truth) throws -> SQLQuery {
        switch tree {
        case .not(let inner): try condition(inner, truth)
        case .equal(let a, let b): try equality(a, b, isNegated: true, truth)
        case .compare(let a, let order, let b): try comparison(a, order, b, isNegated: true, truth)
        case .constant(.integer(let truth)): constant(truth == 0)
        default: negated(try condition(tree, .exact))
        }
    }

    func negated(_ condition: SQLQuery) -> SQLQuery { "NOT (\(condition))" }

    func choice(_ test: SQLQuery, _ then: SQLQuery, _ other: SQLQuery) -> SQLQuery {
        "CASE WHEN \(test) THEN \(then) ELSE \(other) END"
    }

    /// Returns `FROM elements WHERE they belong to the owner AND match`.
    mutating func rows(_ elements: Tree.Elements) throws -> SQLQuery {
        var conditions = [try source.enter(elements)]
        if let filter = elements.filter { conditions.append(try condition(filter, .nullIsFalse)) }
        return "FROM \(source.tables(of: elements.variable)) WHERE \(conditions.joined(" AND "))"
    }
}

extension PredicateTree {
    /// The operands of a conjunction, or the tree itself.
    public var conjuncts: [PredicateTree] {
        guard case .and(let a, let b) = self else { return [self] }
        return a.conjuncts + b.conjuncts
    }

    /// The operands of a disjunction, or the tree itself.
    public var disjuncts: [PredicateTree] {
        guard case .or(let a, let b) = self else { return [self] }
        return a.disjuncts + b.disjuncts
    }

    /// Whether the expression is a condition, which is never nil.
    var isCondition: Bool {
        switch self {
        case .and, .or, .not, .equal, .compare, .isOneOf, .contains, .starts, .localizedStandardContains, .exists: true
        default: false
        }
    }
}
