public import ChronicleCore

/// Translates a predicate to an SQL condition with the same result.
///
/// ``FetchSQL`` uses it for models. Use it with your own ``PredicateSource`` for transactions of the history:
///
/// ```swift
/// var translator = PredicateSQL(source: TransactionSource())
/// let condition = try translator.condition(PredicateTree(predicate))
/// ```
///
/// SQL has three truth values and Swift two. Where NULL counts as false, simpler and faster SQL is possible; see ``Truth``.
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
        case .and(let a, let b):
            truth == .exact && a.mayBeUndefined
                ? try sequence(a, b, isConjunction: true, truth) : try chain(tree, tree.conjuncts, " AND ", truth)
        case .or(let a, let b):
            a.mayBeUndefined
                ? try sequence(a, b, isConjunction: false, truth) : try chain(tree, tree.disjuncts, " OR ", truth)
        case .not(let inner): try negation(inner, truth)
        case .equal(let a, let b): try equality(a, b, isNegated: false, truth)
        case .compare(let a, let order, let b): try comparison(a, order, b, isNegated: false, truth)
        case .isOneOf(let value, let list): try membership(value, list, truth)
        case .contains(let text, let part): try contains(text, part)
        case .starts(let text, let prefix): try starts(text, prefix)
        case .localizedStandardContains(let text, let part): try localizedStandardContains(text, part)
        case .exists(let elements): try exists(elements, truth)
        case .conditional(let test, let then, let other): try conditional(test, then, other, truth)
        case .coalesce(.ifPresent(let value, let result), let other) where result.isCondition:
            try presence(value, result, other, truth)
        case .ifPresent(.unwrapped(let value), let result) where result.isCondition:
            try assertion(value, result, truth)
        case .constant(.integer(let truth)): constant(truth != 0)
        default: try value(operand(tree), truth)
        }
    }

    private func value(_ operand: SQLOperand, _ truth: Truth) -> SQLQuery {
        source.dialect.defined(
            source.dialect.condition(operand.sql), where: [operand.definition], nullIsFalse: truth == .nullIsFalse)
    }

    func constant(_ truth: Bool) -> SQLQuery { truth ? source.dialect.true : source.dialect.false }

    /// NULL in one of the conditions does not hide the result of a later one if only the last can be undefined, or in a
    /// conjunction whose NULL counts as false.
    private mutating func chain(
        _ tree: Tree, _ terms: [Tree], _ operation: SQLQuery, _ truth: Truth
    ) throws -> SQLQuery {
        var conditions: [SQLQuery] = []
        let isFlat =
            terms.count == 2 || !terms.dropLast().contains(where: \.mayBeUndefined)
            || truth == .nullIsFalse && tree.isConjunction
        for term in isFlat ? terms : tree.operands { conditions.append(try condition(term, truth)) }
        return "(\(conditions.chained(operation)))"
    }

    /// The second condition is evaluated only if the first one does not decide the result, which is undefined if the first
    /// one is. In SQL, `NULL OR TRUE` would be true.
    private mutating func sequence(
        _ first: Tree, _ second: Tree, isConjunction: Bool, _ truth: Truth
    ) throws -> SQLQuery {
        let first = try condition(first, .exact)
        let second = try condition(second, truth)
        let dialect = source.dialect
        return isConjunction
            ? dialect.choice(first, second, dialect.false) : dialect.choice(first, dialect.true, second)
    }

    private mutating func assertion(_ value: Tree, _ result: Tree, _ truth: Truth) throws -> SQLQuery {
        let value = source.dialect.settled(try operand(value))
        return source.dialect.defined(
            try condition(result, truth), where: [value.definition, "\(value.sql) IS NOT NULL"],
            nullIsFalse: truth == .nullIsFalse)
    }

    private mutating func exists(_ elements: Tree.Elements, _ truth: Truth) throws -> SQLQuery {
        guard let filter = elements.filter, filter.mayBeUndefined else {
            return "EXISTS (SELECT 1 \(try rows(elements)))"
        }
        let first = try firstResult(elements, filter)
        let dialect = source.dialect
        return truth == .nullIsFalse
            ? "(\(first)) = 1"
            : "CASE coalesce((\(first)), 0) WHEN 1 THEN \(dialect.true) WHEN 0 THEN \(dialect.false) END"
    }

    /// The query for the first element, in the order of a model's list, for which a filter is not false: 1 if it is true,
    /// and 2 if it is undefined. Swift does not evaluate the filter for later elements.
    private mutating func firstResult(_ elements: Tree.Elements, _ filter: Tree) throws -> SQLQuery {
        let owner = try source.enter(elements)
        let dialect = source.dialect
        let result: SQLQuery = """
            CASE (\(try condition(filter, .exact))) WHEN \(dialect.true) THEN 1 WHEN \(dialect.false) THEN 0 ELSE 2 END
            """
        let (tables, order) = (source.tables(of: elements.variable), source.order(of: elements.variable))
        guard let order else {
            return "SELECT min(r) FROM (SELECT \(result) AS r FROM \(tables) WHERE \(owner)) AS f WHERE r > 0"
        }
        return """
            SELECT r FROM (SELECT \(result) AS r, \(order) AS o FROM \(tables) WHERE \(owner)) AS f \
            WHERE r > 0 ORDER BY o LIMIT 1
            """
    }

    private mutating func conditional(
        _ test: Tree, _ then: Tree, _ other: Tree, _ truth: Truth
    ) throws -> SQLQuery {
        let isDefined = !test.mayBeUndefined
        let (test, then) = (try condition(test, isDefined ? .nullIsFalse : .exact), try condition(then, truth))
        let other = try condition(other, truth)
        return isDefined ? choice(test, then, other) : source.dialect.choice(test, then, other)
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

    fileprivate var operands: [PredicateTree] {
        switch self {
        case .and(let a, let b), .or(let a, let b): [a, b]
        default: [self]
        }
    }

    fileprivate var isConjunction: Bool {
        if case .and = self { true } else { false }
    }

    var isCondition: Bool {
        switch self {
        case .ifPresent(.unwrapped, let result): result.isCondition
        case .and, .or, .not, .equal, .compare, .isOneOf, .contains, .starts, .localizedStandardContains, .exists: true
        default: false
        }
    }
}
