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
        var conditions = PredicateConditions<DefaultHistoryTransaction>()
        let lower = isAscending && reached != nil ? reached : after?.token
        let upper = isAscending ? nil : reached
        if let lower { conditions.add(\.token, .greaterThan, lower) }
        if let upper { conditions.add(\.token, .lessThan, upper) }
        if let through { conditions.add(\.token, .lessThanOrEqual, through) }
        if case .date(let date)? = after { conditions.add(\.timestamp, .greaterThan, date) }
        if let author { conditions.add(\.author, equalTo: author.isEmpty ? nil : author) }
        if let entityNames { conditions.add { Self.change($0, ofEntity: entityNames) } }
        return conditions.predicate
    }

    private static func change(
        _ variable: PredicateConditions<DefaultHistoryTransaction>.Variable, ofEntity names: [String]
    ) -> PredicateConditions<DefaultHistoryTransaction>.Expression {
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
}

extension Position {
    /// `nil` for a date.
    var token: DefaultHistoryToken? {
        if case .token(let token) = self { token } else { nil }
    }
}
