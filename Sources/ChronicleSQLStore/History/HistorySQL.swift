package import ChronicleCore
package import ChronicleSQL
import Foundation

/// A `HistoryDescriptor` translated to conditions on the transactions of the history.
package struct HistorySQL {
    /// The predicate, or `nil` if there is none.
    package let tree: PredicateTree<HistoryProperty>?
    /// The condition, or `nil` if there is none. It omits lower bounds with `HistoryTokenBound.isRequired`.
    package let condition: SQLQuery?
    /// The terms of ORDER BY; those of ``HistoryColumns/positionOrder(isDescending:)`` for commit order.
    package let order: [SQLQuery]
    /// The tokens that are lower bounds anywhere in the predicate.
    package let lowerBounds: [HistoryTokenBound<DefaultHistoryToken>]
    /// The tokens that are upper bounds anywhere in the predicate.
    package let upperBounds: [HistoryTokenBound<DefaultHistoryToken>]

    /// Translates a descriptor.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate` or `SwiftDataError.unsupportedSortDescriptor`.
    package init<Columns>(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ source: HistorySource<Columns>
    ) throws {
        order = try source.order(descriptor.sortBy)
        guard let predicate = descriptor.predicate else {
            (tree, condition, lowerBounds, upperBounds) = (nil, nil, [], [])
            return
        }
        let tree = try PredicateTree(predicate)
        let bounds = HistoryTokenBounds<DefaultHistoryToken>(tree)
        (lowerBounds, upperBounds) = (bounds.lower, bounds.upper)
        var translator = PredicateSQL(source: source)
        condition = try translator.whereCondition(tree) { $0.isTokenLowerBound }
        self.tree = tree
    }
}

extension PredicateTree<HistoryProperty> {
    /// Whether the expression only requires transactions after a token.
    fileprivate var isTokenLowerBound: Bool {
        guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}
