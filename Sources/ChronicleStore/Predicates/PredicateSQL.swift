import ChronicleCore

/// Translates a predicate to an SQL condition with the same result.
///
/// SQL has three truth values and Swift two. Each condition is translated for one of two contexts: one in which NULL
/// would change the result, and one in which NULL counts as false, which allows simpler and faster SQL.
struct PredicateSQL<Source: PredicateSource> {
    typealias Tree = PredicateTree<Source.Property>

    var source: Source

    /// The possible results of a condition.
    enum Truth {
        /// True or false, because the condition is negated or used as a value.
        case exact
        /// True, false, or NULL in place of false.
        case nullIsFalse
    }

    mutating func condition(_ tree: Tree, _ truth: Truth) throws -> SQLQuery {
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
        case .constant(.integer(let truth)): truth == 0 ? "0" : "1"
        default: try operand(tree).sql
        }
    }

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
        case .constant(.integer(let truth)): truth == 0 ? "1" : "0"
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
    /// The operands of a conjunction.
    var conjuncts: [PredicateTree] {
        guard case .and(let a, let b) = self else { return [self] }
        return a.conjuncts + b.conjuncts
    }

    /// The operands of a disjunction.
    var disjuncts: [PredicateTree] {
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
