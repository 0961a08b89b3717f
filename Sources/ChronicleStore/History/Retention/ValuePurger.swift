import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Synchronization

/// A step of a purge that erases preserved values by a rule, on the maintenance connection.
///
/// The rows are found before the lock is taken, because nothing but deletes and erasures changes rows of the history. The position up
/// to which no value is left is stored with each step, so that the next purge reads only what follows.
struct ValuePurger {
    let store: DefaultStore
    let connection: Connection

    /// The rows to erase in one step.
    private struct Rows {
        let selection: PreservedValueSelection
        var positions: [Int64] = []
        /// Up to which no value is left afterwards.
        var through: Int64
    }

    /// The rows that a step searches. With a rollback journal, a commit of another program waits for the search.
    static let searchedRows: Int64 = 32_768
    /// A position that is stored without an erased value saves the next purge less time than a commit takes.
    private static let smallestAdvance: Int64 = 4_096

    /// `nil` if nothing is left to erase.
    func step(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep? {
        let size = store.purgePacing.withLock(\.values)
        for erasure in plan.erasures {
            guard let rows = try connection.deferredRead({ try rows(erasure, plan, size) }) else { continue }
            var time = Duration.zero
            let step = try connection.immediateTimed(&time) { try erase(rows, erasure, plan) }
            store.purgePacing.withLock { $0.erased(rows.positions.count, in: time) }
            return step
        }
        return nil
    }

    private func rows(
        _ erasure: HistoryPurgePlan<DefaultHistoryToken>.Erasure, _ plan: HistoryPurgePlan<DefaultHistoryToken>,
        _ size: Int
    ) throws -> Rows? {
        let selection = try EntityRegistry(connection).selection(erasure.rule)
        let (start, last) = (
            try Self.start(selection, connection), try end(erasure, plan, SealedHistory(connection))
        )
        guard start < last else { return nil }
        let end = try endOfSearch(after: start, last)
        let statement = try Self.select("id, \(HistorySize.rowBytes)", selection, connection)
        defer { statement.reset() }
        try statement.bind(start + 1, at: 1)
        try statement.bind(end, at: 2)
        var rows = Rows(selection: selection, through: end)
        var cost = 0
        var isFull = false
        while try statement.step() {
            let position = try statement.position(0)
            if isFull, position > rows.through { break }
            rows.positions.append(position)
            // A page of a large value costs about as much as 32 rows.
            cost += 1 + Int(clamping: statement.int64(1)) / 128
            if !isFull, cost >= size {
                // The destinations of a list have the same attribute, and readers would use a part of them.
                rows.through = min(try lastRow(ofChangeWith: position), end)
                isFull = true
            }
        }
        return rows.positions.isEmpty && end == last && end - start < Self.smallestAdvance ? nil : rows
    }

    /// Returns the position up to which a step searches. Deleted history leaves gaps, which can be far longer than a step.
    private func endOfSearch(after start: Int64, _ last: Int64) throws -> Int64 {
        let first = try connection.scalarInt64("SELECT min(id) FROM \(ChangeTable.name) WHERE id > ?") {
            try $0.bind(start, at: 1)
        }
        guard let first, last - first >= Self.searchedRows else { return last }
        return min(try lastRow(ofChangeWith: first + Self.searchedRows - 1), last)
    }

    /// The position of the last value of the change to which a row belongs.
    private func lastRow(ofChangeWith position: Int64) throws -> Int64 {
        let next = try connection.scalarInt64(
            "SELECT min(id) FROM \(ChangeTable.name) WHERE id > ? AND NOT \(ChangeTable.isOperation(.preservedValue))"
        ) { try $0.bind(position, at: 1) }
        return next.map { $0 - 1 } ?? .max
    }

    private func erase(
        _ rows: Rows, _ erasure: HistoryPurgePlan<DefaultHistoryToken>.Erasure,
        _ plan: HistoryPurgePlan<DefaultHistoryToken>
    ) throws -> HistoryPurgeStep {
        // Throws if another program disabled the history.
        _ = try HistoryPositions(connection).facts(at: 0)
        // A consumer may have been created.
        let seals = try SealedHistory(connection)
        guard try end(erasure, plan, seals) >= rows.through else { return HistoryPurgeStep(isLast: false) }
        let statement = try connection.cached(
            """
            UPDATE \(ChangeTable.name) SET attributes = NULL, old_value = NULL, new_value = NULL \
            WHERE id IN (SELECT value FROM json_each(?)) AND \(ChangeTable.isChange()) AND attributes IS NOT NULL
            """)
        try statement.bind("\(rows.positions)", at: 1)
        try statement.run()
        let count = connection.changes
        if count > 0 {
            try seals?.recordErasedValues(
                rows.positions,
                ErasureDetail(
                    entities: rows.selection.entities, attributes: rows.selection.attributes,
                    maximumAge: erasure.rule.maximumAge.timeInterval, values: count))
        }
        try MetaTable(connection).setErased(rows.selection, through: ErasedValues.Place(rows.through))
        return HistoryPurgeStep(values: count, isLast: false)
    }

    private func end(
        _ erasure: HistoryPurgePlan<DefaultHistoryToken>.Erasure, _ plan: HistoryPurgePlan<DefaultHistoryToken>,
        _ seals: SealedHistory?
    ) throws -> Int64 {
        let planned = try HistoryPositions(connection).checkedUpperBound(
            erasure.newest, storeIdentifier: store.identifier)
        return try plan.end(planned, ConsumerTable.holds(seals, connection))
    }

    /// The position after which values can be left.
    private static func start(_ selection: PreservedValueSelection, _ connection: Connection) throws -> Int64 {
        try MetaTable(connection).erasedValues().through(
            selection, newest: connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
        ).position
    }

    /// The rows with values between two positions, which are the first two parameters.
    private static func select(
        _ columns: String, _ selection: PreservedValueSelection, _ connection: Connection
    ) throws -> Statement {
        let attributes = selection.attributes.map { "IN (\($0.map(String.init).joined(separator: ", ")))" }
        return try connection.prepare(
            """
            SELECT \(columns) FROM \(ChangeTable.name) WHERE id BETWEEN ?1 AND ?2 \
            AND \(ChangeTable.hasValue(of: selection.entities)) AND attributes \(attributes ?? "IS NOT NULL") ORDER BY id
            """)
    }

    /// Returns the number of values of an erasure after a position.
    static func count(
        _ erasure: HistoryPurgePlan<DefaultHistoryToken>.Erasure, after deleted: Int64, storeIdentifier: String,
        _ connection: Connection
    ) throws -> Int {
        let selection = try EntityRegistry(connection).selection(erasure.rule)
        let statement = try select("count(*)", selection, connection)
        defer { statement.reset() }
        try statement.bind(max(start(selection, connection), deleted) + 1, at: 1)
        try statement.bind(
            HistoryPositions(connection).checkedUpperBound(erasure.newest, storeIdentifier: storeIdentifier), at: 2)
        return try statement.step() ? Int(statement.int64(0)) : 0
    }
}
