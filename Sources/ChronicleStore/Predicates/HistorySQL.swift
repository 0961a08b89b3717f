import ChronicleCore
import Foundation

/// What a ``HistoryDescriptor`` asks of the headers of the history.
struct HistorySQL {
    /// The condition on `h` and `s`; `nil` for all. It leaves out what the ``HistoryTokenBound/isRequired`` lower bounds say.
    let condition: SQLQuery?
    /// Terms of ORDER BY; empty for commit order.
    let order: [SQLQuery]
    /// Tokens that transactions come after, wherever in the predicate.
    let lowerBounds: [HistoryTokenBound<DefaultHistoryToken>]
    /// Tokens that transactions come before, wherever in the predicate.
    let upperBounds: [HistoryTokenBound<DefaultHistoryToken>]

    /// - Parameter entityNumber: The number under which the history knows an entity; `nil` when it does not.
    /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor``.
    init(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, storeIdentifier: String,
        entityNumber: @escaping (String) throws -> Int64?
    ) throws {
        order = try Self.order(descriptor.sortBy)
        guard let predicate = descriptor.predicate else {
            (condition, lowerBounds, upperBounds) = (nil, [], [])
            return
        }
        let tree = try PredicateTree(predicate)
        let bounds = HistoryTokenBounds<DefaultHistoryToken>(tree)
        (lowerBounds, upperBounds) = (bounds.lower, bounds.upper)
        let source = HistorySource(storeIdentifier: storeIdentifier, entityNumber: entityNumber)
        var translator = PredicateSQL(source: source)
        condition = try translator.topCondition(tree) { $0.isTokenLowerBound }
    }

    private static func order(_ descriptors: [SortDescriptor<DefaultHistoryTransaction>]) throws -> [SQLQuery] {
        var terms: [SQLQuery] = []
        var columns: Set<SQLQuery> = []
        for descriptor in descriptors {
            guard let column = try column(descriptor), columns.insert(column).inserted else { continue }
            // Nothing is left to be told apart, and ascending positions are the order anyway.
            if column == Self.position { return descriptor.order == .forward ? terms : terms + ["\(column) DESC"] }
            terms.append(descriptor.order == .forward ? column : "\(column) DESC")
        }
        return terms
    }

    private static let position: SQLQuery = "h.id"

    /// The column to sort by, or `nil` when all transactions have the same value.
    private static func column(_ descriptor: SortDescriptor<DefaultHistoryTransaction>) throws -> SQLQuery? {
        let property = descriptor.keyPath.flatMap { HistoryProperty($0) }
        guard let property, property.isOrdered, descriptor.stringComparator.isBinary else {
            throw SwiftDataError.unsupportedSortDescriptor.with(
                detail: "the history is not sorted by \(property?.name ?? "what is no property of a transaction")")
        }
        switch property {
        case .storeIdentifier: return nil
        case .token: return position
        default:
            var source = HistorySource(storeIdentifier: "", entityNumber: { _ in nil })
            return try source.operand(PredicateTree.Path(variable: .subject, properties: [property])).sql
        }
    }
}

extension PredicateTree<HistoryProperty> {
    /// Whether it says nothing but that transactions come after a token.
    fileprivate var isTokenLowerBound: Bool {
        guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
        return order == .greater || order == .greaterOrEqual
    }
}
