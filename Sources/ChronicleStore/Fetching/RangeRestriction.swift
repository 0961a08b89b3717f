import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// The ranges of ``SummaryTable`` that can contain transactions that match a predicate. Only conditions that every match
/// satisfies restrict them: those on the source of a transaction, and comparisons of its timestamp.
struct RangeRestriction {
    private typealias Tree = PredicateTree<HistoryProperty>

    /// The condition on the source `s`.
    private var sources: SQLQuery?
    /// The condition on the range `r`.
    private var dates: SQLQuery = ""

    /// Returns `nil` if the predicate restricts nothing.
    init?(_ tree: PredicateTree<HistoryProperty>, _ source: HistorySource<SQLiteHistoryColumns>) throws {
        var conditions: [SQLQuery] = []
        var translator = PredicateSQL(source: source)
        for conjunct in tree.conjuncts {
            if let date = Self.date(conjunct) { dates.append(" AND \(date)") }
            if conjunct.properties?.isSubset(of: Self.sourceProperties) == true {
                conditions.append(try translator.condition(conjunct, .nullIsFalse))
            }
        }
        if !conditions.isEmpty { sources = conditions.chained(" AND ") }
        if sources == nil, dates.sql.isEmpty { return nil }
    }

    private static let sourceProperties: Set<HistoryProperty> = [
        .author, .contextName, .bundleIdentifier, .isExternal,
    ]

    private static func date(_ tree: Tree) -> SQLQuery? {
        guard case .compare(let a, let order, let b) = tree else { return nil }
        switch (a, b) {
        case (.path(let path), .constant(.real(let date))) where path.properties == [.timestamp]:
            return condition(order, date)
        case (.constant(.real(let date)), .path(let path)) where path.properties == [.timestamp]:
            return condition(order.reversed, date)
        default: return nil
        }
    }

    /// True for the open range, whose timestamps are NULL.
    private static func condition(_ order: Tree.Order, _ date: Double) -> SQLQuery {
        let column: SQLQuery = order == .greater || order == .greaterOrEqual ? "r.latest" : "r.earliest"
        return "ifnull(\(column) \(raw: order.rawValue) \(value: .real(date)), 1)"
    }

    /// The condition begins with AND; it is `nil` if no transaction can match. Reads all sources in the file.
    func ranges(_ connection: Connection) throws -> SQLQuery? {
        guard let sources else { return dates }
        let statement = try connection.cached("SELECT s.id FROM \(raw: SourceTable.name) AS s WHERE \(sources)")
        defer { statement.reset() }
        var mask: Int64 = 0
        while try statement.step() { mask |= SummaryTable.bit(ofSource: statement.int64(0)) }
        return mask == 0 ? nil : "\(dates) AND r.sources & \(value: .integer(mask))"
    }
}
