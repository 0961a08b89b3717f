import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleSQLite

/// A descriptor as SQL for one snapshot of the file, in which the numbers of its entities are valid.
struct HistoryQuery {
    let sql: HistorySQL
    /// The condition on the ranges of ``SummaryTable`` that follows from the predicate.
    let restriction: RangeRestriction?
    let limit: Int?
    let offset: Int

    init(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ store: DefaultStore, _ connection: Connection
    ) throws {
        let columns = SQLiteHistoryColumns { name, isRoot in
            try store.historyCatalog.numbers(ofEntity: name, isRoot: isRoot, connection)
        }
        let source = HistorySource(columns, storeIdentifier: store.identifier)
        sql = try HistorySQL(descriptor, source)
        restriction = try sql.tree.flatMap { try RangeRestriction($0, source) }
        limit = [0, .max].contains(descriptor.fetchLimit) ? nil : Int(clamping: descriptor.fetchLimit)
        offset = Int(clamping: descriptor.fetchOffset)
    }

    /// Whether the query selects all transactions after a position, in commit order.
    var isPlain: Bool {
        sql.condition == nil && sql.order.isEmpty && !sql.lowerBounds.contains { $0.isInclusive }
    }
}
