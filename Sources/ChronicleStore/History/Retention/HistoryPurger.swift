import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Synchronization

/// A step of a purge on the maintenance connection. It deletes rows from the beginning of the history and ends at the last
/// header among them, so that it deletes whole transactions. A transaction with more rows takes several steps: the first
/// one stores its position as ``MetaTable/Name/purged``, from which readers begin. What is after this position has not
/// changed.
struct HistoryPurger {
    let store: DefaultStore
    let connection: Connection

    private struct Rows {
        let positions: ClosedRange<Int64>
        /// The last header among them.
        var header: PurgePlanner.Header?
        var transactions = 0
        var changes = 0
    }

    func step(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep {
        let size = store.purgePacing.withLock(\.rows)
        // Found before the lock is taken. Only purges and deletes change rows before the newest one.
        let rows = try connection.deferredRead { try oldestRows(plan, size) }
        guard let rows else {
            guard let step = try ValuePurger(store: store, connection: connection).step(plan) else {
                return try returnPages()
            }
            store.copyLog(of: connection, isLast: false)
            return step
        }
        var time = Duration.zero
        let step = try connection.immediateTimed(&time) { try delete(rows, plan) }
        store.purgePacing.withLock { $0.deleted(in: time) }
        store.copyLog(of: connection, isLast: false)
        return step
    }

    // MARK: Deleting

    private func oldestRows(_ plan: HistoryPurgePlan<DefaultHistoryToken>, _ size: Int) throws -> Rows? {
        let end = try end(plan, SealedHistory(connection))
        let statement = try connection.cached(
            """
            SELECT id, \(ChangeTable.isHeader()), \(ChangeTable.isOperation()), attributes, \(HistorySize.rowBytes) \
            FROM \(ChangeTable.name) WHERE id <= ? ORDER BY id
            """)
        defer { statement.reset() }
        try statement.bind(end, at: 1)
        var rows: Rows?
        var (cost, all) = (0, (transactions: 0, changes: 0))
        while cost < size, try statement.step() {
            let position = try statement.position(0)
            // A page of a large value costs about as much as 32 rows.
            cost += 1 + Int(clamping: statement.int64(4)) / 128
            all.changes += Int(statement.int64(2))
            let isHeader = statement.int64(1) == 1
            if isHeader { all.transactions += 1 }
            // After a header, only complete transactions are added.
            guard isHeader || rows?.header == nil else { continue }
            rows = Rows(
                positions: try HistoryPosition.range(from: rows?.positions.lowerBound ?? position, through: position),
                header: isHeader ? (position, try statement.integer(3, of: .change(position))) : nil,
                transactions: all.transactions, changes: all.changes)
        }
        return rows
    }

    private func end(_ plan: HistoryPurgePlan<DefaultHistoryToken>, _ seals: SealedHistory?) throws -> Int64 {
        let purged = try HistoryPositions(connection).purged() ?? 0
        guard let token = plan.newest else { return purged }
        let planned = try HistoryPositions(connection).checkedUpperBound(token, storeIdentifier: store.identifier)
        var end = try plan.end(planned, ConsumerTable.holds(seals, connection))
        if let seals {
            end = try seals.roundedDown(end)
            // A step deletes either transactions of seals or others, so that one event describes it.
            if end > seals.end, let last = try PurgePlanner.lastHeader(through: seals.end, connection) {
                end = last.position
            }
        }
        // Not the changes of a transaction that ends later.
        return max(purged, try PurgePlanner.lastHeader(through: end, connection)?.position ?? 0)
    }

    private func delete(
        _ rows: Rows, _ plan: HistoryPurgePlan<DefaultHistoryToken>
    ) throws -> HistoryPurgeStep {
        // Throws if another program disabled the history.
        _ = try HistoryPositions(connection).facts(at: 0)
        let first = rows.positions.lowerBound
        let oldest = try connection.scalarInt64("SELECT min(id) FROM \(ChangeTable.name)") ?? .max
        guard oldest >= first else { throw SwiftDataError.damagedRow(.change(oldest), "the row is out of order") }
        let seals = try SealedHistory(connection)
        let end = try end(plan, seals)
        // Another purge may have deleted the rows, and a consumer may have been created.
        guard oldest == first && end >= rows.positions.upperBound else {
            return HistoryPurgeStep(isLast: false)
        }
        try store.recorder.groupExternalChanges(connection)
        var eraser = try HistoryEraser(connection, seals)
        if let header = rows.header {
            try eraser.erase(from: first, through: header.position, header.checkValue)
            if try MetaTable.position(.purged, connection) ?? .max <= header.position {
                try MetaTable.remove(.purged, connection)
            }
            try seals?.record(purge(rows, through: header.position, plan))
            return HistoryPurgeStep(transactions: rows.transactions, changes: rows.changes, isLast: false)
        }
        let next = try PurgePlanner.firstHeader(from: rows.positions.upperBound, connection)
        guard let header = next, header.position <= end else {
            throw SwiftDataError.damagedRow(.change(rows.positions.upperBound), "no header follows the change")
        }
        try MetaTable.set(.purged, header.position, connection)
        try eraser.erase(rows.positions, ofTransaction: header.position, header.checkValue)
        try seals?.record(purge(rows, through: header.position, plan))
        return HistoryPurgeStep(changes: rows.changes, isLast: false)
    }

    private func purge(
        _ rows: Rows, through header: Int64, _ plan: HistoryPurgePlan<DefaultHistoryToken>
    ) -> SealedHistory.Purge {
        SealedHistory.Purge(
            reason: PurgeReason(plan.retention, configured: store.historyRetention), rows: rows.positions,
            header: header, transactions: rows.header == nil ? 0 : rows.transactions)
    }

    // MARK: Returning space

    /// Truncates free pages at the end of the file, and moves others there. The last step has processed as many pages as
    /// there were at the first one, because other programs may free pages all the time.
    /// <https://www.sqlite.org/pragma.html#pragma_incremental_vacuum>
    private func returnPages() throws -> HistoryPurgeStep {
        guard try !store.configuration.isStoredInMemoryOnly && connection.scalarInt64("PRAGMA auto_vacuum") == 2,
            try connection.scalarInt64("PRAGMA freelist_count") ?? 0 > 0
        else {
            store.copyLog(of: connection, isLast: true)
            return HistoryPurgeStep(isLast: true)
        }
        let pages = store.purgePacing.withLock(\.pages)
        var time = Duration.zero
        let (before, after) = try connection.immediateTimed(&time) {
            let before = try connection.scalarInt64("PRAGMA freelist_count") ?? 0
            try connection.execute("PRAGMA incremental_vacuum(\(pages))")
            return (before, try connection.scalarInt64("PRAGMA freelist_count") ?? 0)
        }
        let isLast = store.purgePacing.withLock { $0.returnedPages(pages, of: before, in: time) } || after == 0
        store.copyLog(of: connection, isLast: isLast)
        let pageSize = try connection.scalarInt64("PRAGMA page_size") ?? 0
        return HistoryPurgeStep(returnedBytes: Int(max(before - after, 0) * pageSize), isLast: isLast)
    }
}

extension Connection {
    func immediateTimed<Result>(_ time: inout Duration, _ body: () throws -> Result) throws -> Result {
        var start = ContinuousClock.now
        let result = try immediate {
            start = .now
            return try body()
        }
        time = .now - start
        return result
    }
}
