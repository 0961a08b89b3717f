public import Foundation

// Expressions for batch updates, such as `\.rating + 1`.

/// Returns an expression for the sum of a property and a number, for a ``PropertyUpdate``.
///
/// - Parameters:
///   - property: The key path of a property.
///   - number: A number.
/// - Returns: The expression.
public func + <Model: PersistentModel, Value: Numeric & Codable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, number: Value
) -> Expression<Model, Value> {
    arithmetic(property, .add, number)
}

/// Returns an expression for the difference of a property and a number, for a ``PropertyUpdate``.
///
/// - Parameters:
///   - property: The key path of a property.
///   - number: The number to subtract.
/// - Returns: The expression.
public func - <Model: PersistentModel, Value: Numeric & Codable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, number: Value
) -> Expression<Model, Value> {
    arithmetic(property, .subtract, number)
}

/// Returns an expression for the product of a property and a number, for a ``PropertyUpdate``.
///
/// - Parameters:
///   - property: The key path of a property.
///   - number: A number.
/// - Returns: The expression.
public func * <Model: PersistentModel, Value: Numeric & Codable & Sendable>(
    property: any KeyPath<Model, Value> & Sendable, number: Value
) -> Expression<Model, Value> {
    arithmetic(property, .multiply, number)
}

private func arithmetic<Model, Value: Numeric & Codable & Sendable>(
    _ property: any KeyPath<Model, Value> & Sendable, _ operation: PredicateExpressions.ArithmeticOperator,
    _ number: Value
) -> Expression<Model, Value> {
    Expression { model in
        PredicateExpressions.build_Arithmetic(
            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: property),
            rhs: PredicateExpressions.build_Arg(number), op: operation)
    }
}
