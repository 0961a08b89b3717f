import ChronicleCore
import ChronicleSQL
import Foundation

/// A ``HistoryDescriptor`` translated to conditions on the headers of the history.
struct HistorySQL {
    /// The condition on `h` and `s`, or `nil` if there is none. It omits lower bounds with
    /// ``HistoryTokenBound/isRequired``.
    let condition: SQLQuery?
    /// The condition on the ranges of ``SummaryTable`` that follows from the predicate, or `nil` if there is none.
    let restriction: RangeRestriction?
    /// The terms of ORDER BY; empty for commit order.
    let order: [SQLQuery]
    /// The tokens that are lower bounds anywhere in the predicate.
    let lowerBounds: [HistoryTokenBound<DefaultHistoryToken>]
    /// The tokens that are upper bounds anywhere in the predicate.
    let upperBounds: [HistoryTokenBound<DefaultHistoryToken>]

    /// Translates a descriptor.
    ///
    /// - Parameter entityNumbers: See ``HistorySource/EntityNumbers``.
    /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor``.
    init(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, storeIdentifier: String,
        entityNumbers: @escaping HistorySource.EntityNumbers
    ) throws {
        order = try Self.order(descriptor.sortBy)
        guard let predicate = descriptor.predicate else {
            (condition, restriction, lowerBounds, upperBounds) = (nil, nil, [], [])
            return
        }
        let tree = try PredicateTree(predicate)
        let bounds = HistoryTokenBounds<DefaultHistoryToken>(tree)
        (lowerBounds, upperBounds) = (bounds.lower, bounds.upper)
        let source = HistorySource(storeIdentifier: storeIdentifier, entityNumbers: entityNumbers)
        restriction = try RangeRestriction(tree, source)
        var translator = PredicateSQL(source: source)
        condition = try translator.whereCondition(tree) { $0.isTokenLowerBound }
    }

    private static func order(_ descriptors: [SortDescriptor<DefaultHistoryTransaction>]) throws -> [SQLQuery] {
        var terms: [SQLQuery] = []
        var columns: Set<SQLQuery> = []
        for descriptor in descriptors {
            guard let column = try column(descriptor), columns.insert(column).inserted else { continue }
            // Positions are unique, so further terms have no effect, and ascending positions are the default order.
            if column == Self.position {
                return descriptor.order == .forward ? terms : terms + ["h.range DESC", "\(column) DESC"]
            }
            terms.append(descriptor.order == .forward ? column : "\(column) DESC")
        }
        return terms
    }

    private static let position: SQLQuery = "h.id"

    /// Returns the column to sort by, or `nil` if all transactions have the same value.
    private static func column(_ descriptor: SortDescriptor<DefaultHistoryTransaction>) throws -> SQLQuery? {
        let property = descriptor.keyPath.flatMap { HistoryProperty($0) }
        guard let property, property.isOrdered, descriptor.isLexical else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "the history cannot be sorted by \(property?.name ?? "this key path"); sort the result instead")
        }
        switch property {
        case .storeIdentifier: return nil
        case .token: return position
        default:
            var source = HistorySource(storeIdentifier: "", entityNumbers: { _, _ in [] })
            return try source.operand(PredicateTree.Path(variable: .subject, properties: [property])).sql
        }
    }
}

extension PredicateTree<HistoryProperty> {
    /// Whether the expression only requires transactions after a token.
    fileprivate var isTokenLowerBound: Bool {
        guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}
