import Chronicle
import Foundation

struct TransactionSelection {
    /// The transactions are after this position.
    var after: Position?
    /// The transactions are not after this position.
    var through: DefaultHistoryToken?
    /// An empty text selects the transactions without an author.
    var author: String?
    /// A transaction must have a change of one of these entities.
    var entityNames: [String]?
    /// A transaction must have a change of this model.
    var model: PersistentIdentifier?
    /// A change must affect this attribute: inserts and deletes of entities that have it, and updates that change it.
    var attribute: String?
    var isAscending = false
    var limit = Int.max

    var hasConditions: Bool { selectsChanges || after != nil || author != nil }

    var selectsChanges: Bool { entityNames != nil || model != nil || attribute != nil }

    func matches(_ change: HistoryChange, in schema: Schema) -> Bool {
        let identifier = change.changedPersistentIdentifier
        if let model, identifier != model { return false }
        if let entityNames, !entityNames.contains(identifier.entityName) { return false }
        guard let attribute else { return true }
        if case .update(let update) = change { return update.updatedAttributeNames.contains(attribute) }
        return schema.entitiesByName[identifier.entityName]?.property(named: attribute) != nil
    }

    /// The transactions beyond a position that was reached; `nil` if all match.
    func predicate(beyond reached: DefaultHistoryToken?) -> Predicate<DefaultHistoryTransaction>? {
        var conditions: [Condition] = []
        let lower = isAscending && reached != nil ? reached : after?.token
        let upper = isAscending ? nil : reached
        if let lower { conditions.append { Self.comparison($0, \.token, .greaterThan, lower) } }
        if let upper { conditions.append { Self.comparison($0, \.token, .lessThan, upper) } }
        if let through { conditions.append { Self.comparison($0, \.token, .lessThanOrEqual, through) } }
        if case .date(let date)? = after {
            conditions.append { Self.comparison($0, \.timestamp, .greaterThan, date) }
        }
        if let author {
            let author: String? = author.isEmpty ? nil : author
            conditions.append { Self.equality($0, \.author, author) }
        }
        if let entityNames { conditions.append { Self.change($0, ofEntity: entityNames) } }
        guard let first = conditions.first else { return nil }
        return Predicate { variable in
            conditions.dropFirst().reduce(first(variable)) { Self.conjunction($0, $1(variable)) }
        }
    }
}

extension Position {
    /// `nil` for a date.
    var token: DefaultHistoryToken? {
        if case .token(let token) = self { token } else { nil }
    }
}

// The conditions are only known when the program runs, so they are not written with #Predicate.
extension TransactionSelection {
    private typealias Variable = PredicateExpressions.Variable<DefaultHistoryTransaction>
    private typealias Expression = any StandardPredicateExpression<Bool>
    private typealias Condition = (Variable) -> Expression

    private static func comparison<Value: Comparable & Codable & Sendable>(
        _ variable: Variable, _ keyPath: any KeyPath<DefaultHistoryTransaction, Value> & Sendable,
        _ order: Comparison, _ value: Value
    ) -> Expression {
        let property = PredicateExpressions.build_KeyPath(
            root: PredicateExpressions.build_Arg(variable), keyPath: keyPath)
        let value = PredicateExpressions.build_Arg(value)
        return switch order {
        case .greaterThan: PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .greaterThan)
        case .lessThan: PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .lessThan)
        case .lessThanOrEqual: PredicateExpressions.build_Comparison(lhs: property, rhs: value, op: .lessThanOrEqual)
        }
    }

    private enum Comparison { case greaterThan, lessThan, lessThanOrEqual }

    private static func equality<Value: Equatable & Codable & Sendable>(
        _ variable: Variable, _ keyPath: any KeyPath<DefaultHistoryTransaction, Value> & Sendable, _ value: Value
    ) -> Expression {
        PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(
                root: PredicateExpressions.build_Arg(variable), keyPath: keyPath),
            rhs: PredicateExpressions.build_Arg(value))
    }

    private static func change(_ variable: Variable, ofEntity names: [String]) -> Expression {
        let changes = PredicateExpressions.build_KeyPath(
            root: PredicateExpressions.build_Arg(variable), keyPath: \DefaultHistoryTransaction.changes)
        return PredicateExpressions.build_contains(changes) { change in
            PredicateExpressions.build_contains(
                PredicateExpressions.build_Arg(names),
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_KeyPath(
                        root: PredicateExpressions.build_Arg(change),
                        keyPath: \HistoryChange.changedPersistentIdentifier),
                    keyPath: \PersistentIdentifier.entityName))
        }
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
