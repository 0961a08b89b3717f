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
    private let requiresCompleteHistory: Bool
    /// The conditions that an author must meet, if ``skipped(isSelected:)`` needs them.
    private let authorConditions: [SQLQuery]

    /// Throws `SwiftDataError.unsupportedPredicate` or `SwiftDataError.unsupportedSortDescriptor`.
    package init<Columns>(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ source: HistorySource<Columns>
    ) throws {
        order = try source.order(descriptor.sortBy)
        requiresCompleteHistory = descriptor.requiresCompleteHistory
        guard let predicate = descriptor.predicate else {
            authorConditions = []
            (tree, condition, lowerBounds, upperBounds) = (nil, nil, [], [])
            return
        }
        let tree = try PredicateTree(predicate)
        let bounds = HistoryTokenBounds<DefaultHistoryToken>(tree)
        (lowerBounds, upperBounds) = (bounds.lower, bounds.upper)
        var translator = PredicateSQL(source: source)
        condition = try translator.whereCondition(tree) { $0.isTokenLowerBound }
        self.tree = tree
        authorConditions =
            try requiresCompleteHistory
            ? tree.conjuncts.filter { $0.properties == [.author] }.map { try translator.condition($0, .nullIsFalse) }
            : []
    }

    /// - Parameter isTrue: Evaluates a condition for a transaction with an author.
    package func skipped(
        where isTrue: @escaping (_ condition: SQLQuery, _ author: String?) throws -> Bool
    ) -> SkippedDeletions {
        guard requiresCompleteHistory else { return .all }
        return authorConditions.isEmpty
            ? .none : .unselected { author in try !isTrue(authorConditions.chained(" AND "), author) }
    }
}

extension PredicateTree<HistoryProperty> {
    fileprivate var isTokenLowerBound: Bool {
        guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}

extension PredicateTree {
    /// The properties in an expression, or `nil` if it contains a kind of expression that is not listed here.
    package var properties: Set<Property>? {
        func union(_ trees: PredicateTree...) -> Set<Property>? {
            var all: Set<Property> = []
            for tree in trees {
                guard let properties = tree.properties else { return nil }
                all.formUnion(properties)
            }
            return all
        }
        switch self {
        case .constant: return []
        case .path(let path): return path.properties.isEmpty ? nil : Set(path.properties)
        case .unwrapped(let value), .not(let value), .isOneOf(let value, _): return union(value)
        case .equal(let a, let b), .and(let a, let b), .or(let a, let b), .contains(let a, let b),
            .starts(let a, with: let b), .localizedStandardContains(let a, let b), .compare(let a, _, let b),
            .coalesce(let a, let b), .ifPresent(let a, then: let b):
            return union(a, b)
        default: return nil
        }
    }
}
