package import ChronicleCore
package import ChronicleSQL
import Foundation

package struct HistorySQL {
    package let tree: PredicateTree<HistoryProperty>?
    /// Omits lower bounds with `HistoryTokenBound.isRequired`.
    package let condition: SQLQuery?
    /// The terms; those of ``HistoryColumns/positionOrder(isDescending:)`` for commit order.
    package let order: [SQLQuery]
    /// The lower bounds anywhere in the predicate.
    package let lowerBounds: [HistoryTokenBound<DefaultHistoryToken>]
    /// The upper bounds anywhere in the predicate.
    package let upperBounds: [HistoryTokenBound<DefaultHistoryToken>]

    /// Throws `SwiftDataError.unsupportedPredicate` or `SwiftDataError.unsupportedSortDescriptor`.
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
    fileprivate var isTokenLowerBound: Bool {
        guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}
