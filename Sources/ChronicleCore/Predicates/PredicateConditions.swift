package import Foundation

/// A predicate whose conditions are only known when the program runs, and which is therefore not written with `#Predicate`.
package struct PredicateConditions<Input> {
    package typealias Variable = PredicateExpressions.Variable<Input>
    package typealias Expression = any StandardPredicateExpression<Bool>

    private var conditions: [(Variable) -> Expression] = []

    package init() {}

    /// `nil` without conditions.
    package var predicate: Predicate<Input>? {
        guard let first = conditions.first else { return nil }
        return Predicate { variable in
            conditions.dropFirst().reduce(first(variable)) { Self.conjunction($0, $1(variable)) }
        }
    }

    package mutating func add(_ condition: @escaping (Variable) -> Expression) { conditions.append(condition) }

    package enum Comparison { case greaterThan, lessThan, lessThanOrEqual }

    package mutating func add<Value: Comparable & Codable & Sendable>(
        _ keyPath: any KeyPath<Input, Value> & Sendable, _ comparison: Comparison, _ value: Value
    ) {
        add { variable in
            let property = Self.property(variable, keyPath)
            let value = PredicateExpressions.build_Arg(value)
            return switch comparison {
            case .greaterThan: PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .greaterThan)
            case .lessThan: PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .lessThan)
            case .lessThanOrEqual:
                PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .lessThanOrEqual)
            }
        }
    }

    package mutating func add<Value: Equatable & Codable & Sendable>(
        _ keyPath: any KeyPath<Input, Value> & Sendable, equalTo value: Value
    ) {
        add { variable in
            PredicateExpressions.build_Equal(
                lhs: Self.property(variable, keyPath), rhs: PredicateExpressions.build_Arg(value))
        }
    }

    /// - Parameter isIncluded: Whether the values in the list match, rather than the others.
    package mutating func add<Value: Equatable & Codable & Sendable>(
        _ keyPath: any KeyPath<Input, Value> & Sendable, in values: [Value], _ isIncluded: Bool
    ) {
        add { variable in
            let contains = PredicateExpressions.build_contains(
                PredicateExpressions.build_Arg(values), Self.property(variable, keyPath))
            return isIncluded ? contains : PredicateExpressions.build_Negation(contains)
        }
    }

    private static func property<Value>(
        _ variable: Variable, _ keyPath: any KeyPath<Input, Value> & Sendable
    ) -> PredicateExpressions.KeyPath<Variable, Value> {
        PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(variable), keyPath: keyPath)
    }

    private static func conjunction(_ a: Expression, _ b: Expression) -> Expression {
        func both(
            _ a: some StandardPredicateExpression<Bool>, _ b: some StandardPredicateExpression<Bool>
        ) -> Expression {
            PredicateExpressions.build_Conjunction(lhs: a, rhs: b)
        }
        return both(a, b)
    }
}
