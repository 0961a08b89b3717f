import Foundation

/// A node type of Foundation's expressions that has operands, whether or not it can be translated.
protocol CompositeNode {
    /// Created with ``part(_:)``.
    static var parts: [NodePart] { get }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.Disjunction: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.Negation: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped)] }
}

extension PredicateExpressions.Conditional: CompositeNode {
    static var parts: [NodePart] { [part(\.test), part(\.trueBranch), part(\.falseBranch)] }
}

// MARK: Comparison

extension PredicateExpressions.Equal: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.NotEqual: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.Comparison: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.TypeCheck: CompositeNode {
    static var parts: [NodePart] { [part(\.input)] }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.IntDivision: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.IntRemainder: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.FloatDivision: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.UnaryMinus: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped)] }
}

// MARK: Values

extension PredicateExpressions.KeyPath: CompositeNode {
    static var parts: [NodePart] { [part(\.root)] }
}

extension PredicateExpressions.ForcedUnwrap: CompositeNode {
    static var parts: [NodePart] { [part(\.inner)] }
}

extension PredicateExpressions.NilCoalesce: CompositeNode {
    static var parts: [NodePart] { [part(\.lhs), part(\.rhs)] }
}

extension PredicateExpressions.OptionalFlatMap: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped), part(\.transform)] }
}

extension PredicateExpressions.ConditionalCast: CompositeNode {
    static var parts: [NodePart] { [part(\.input)] }
}

extension PredicateExpressions.ForceCast: CompositeNode {
    static var parts: [NodePart] { [part(\.input)] }
}

// MARK: Collections and text

extension PredicateExpressions.Filter: CompositeNode {
    static var parts: [NodePart] { [part(\.sequence), part(\.filter)] }
}

extension PredicateExpressions.SequenceContains: CompositeNode {
    static var parts: [NodePart] { [part(\.sequence), part(\.element)] }
}

extension PredicateExpressions.SequenceContainsWhere: CompositeNode {
    static var parts: [NodePart] { [part(\.sequence), part(\.test)] }
}

extension PredicateExpressions.SequenceAllSatisfy: CompositeNode {
    static var parts: [NodePart] { [part(\.sequence), part(\.test)] }
}

extension PredicateExpressions.SequenceMaximum: CompositeNode {
    static var parts: [NodePart] { [part(\.elements)] }
}

extension PredicateExpressions.SequenceMinimum: CompositeNode {
    static var parts: [NodePart] { [part(\.elements)] }
}

extension PredicateExpressions.SequenceStartsWith: CompositeNode {
    static var parts: [NodePart] { [part(\.base), part(\.prefix)] }
}

extension PredicateExpressions.CollectionContainsCollection: CompositeNode {
    static var parts: [NodePart] { [part(\.base), part(\.other)] }
}

extension PredicateExpressions.CollectionIndexSubscript: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped), part(\.index)] }
}

extension PredicateExpressions.CollectionRangeSubscript: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped), part(\.range)] }
}

extension PredicateExpressions.DictionaryKeySubscript: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped), part(\.key)] }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CompositeNode {
    static var parts: [NodePart] { [part(\.wrapped), part(\.key), part(\.`default`)] }
}

extension PredicateExpressions.Range: CompositeNode {
    static var parts: [NodePart] { [part(\.lower), part(\.upper)] }
}

extension PredicateExpressions.ClosedRange: CompositeNode {
    static var parts: [NodePart] { [part(\.lower), part(\.upper)] }
}

extension PredicateExpressions.RangeExpressionContains: CompositeNode {
    static var parts: [NodePart] { [part(\.range), part(\.element)] }
}

extension PredicateExpressions.StringContainsRegex: CompositeNode {
    static var parts: [NodePart] { [part(\.subject), part(\.regex)] }
}

#if canImport(Darwin)
    extension PredicateExpressions.StringLocalizedStandardContains: CompositeNode {
        static var parts: [NodePart] { [part(\.root), part(\.other)] }
    }
#endif
