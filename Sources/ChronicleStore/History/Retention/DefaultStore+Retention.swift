public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
public import Foundation
import Synchronization

extension DefaultStore: HistoryValueRetaining {
    public var historyRetention: HistoryRetention { configuration.historyRetention }

    /// The result of the last automatic purge of the history, or `nil` if none has ended yet.
    ///
    /// A purge that fails, for example because the file stays locked, is repeated after ``HistoryRetention/purgeInterval``.
    /// Its error is not thrown by any method, but reported to the ``ModelConfiguration/logger``.
    public var automaticPurgeOutcome: Result<HistoryPurgeResult, any Error>? { automaticPurge.outcome }

    /// Starts a purge in the background if the configuration has a limit and the last purge was long enough ago.
    @inline(__always)
    func startAutomaticPurge() {
        guard configuration.historyRetention.hasLimit, configuration.recordsHistory else { return }
        automaticPurge.start(self)
    }

    /// Returns the size of the history. Changes and bytes are estimated from a sample if there are more than 8,192 rows.
    ///
    /// - Complexity: Independent of the number of changes. The time grows with the number of transactions only below the
    ///   newest deleted one, if transactions between others were deleted.
    public func historyStatistics() throws -> HistoryStatistics {
        var first = HistoryDescriptor<DefaultHistoryTransaction>()
        first.fetchLimit = 1
        return try reading(HistoryDescriptor()) { all, range, connection in
            let size = try HistorySize.total(after: range.after, connection)
            let oldest = try HeaderSearch(
                query: HistoryQuery(first, self, connection), range: range, connection: connection
            ).headers().first
            return HistoryStatistics(
                storeIdentifier: identifier,
                transactions: try HeaderSearch(query: all, range: range, connection: connection).count(),
                changes: size.changes.clamped, bytes: size.bytes.clamped, isEstimated: size.isEstimated,
                oldest: oldest?.timestamp, newest: try newestTimestamp(range, oldest, connection),
                lastDeletion: try MetaTable(connection).lastDeletion(
                    floor: MetaTable.position(.floor, connection) ?? 0)?.date,
                holds: try ConsumerTable.holds(SealedHistory(connection), connection).statistics(
                    before: PurgePlanner.lastHeader(through: .max, connection)?.position ?? 0, historyRetention,
                    at: .now))
        }
    }

    /// Ungrouped changes by other programs are one transaction, whose timestamp is that of `oldest` if there is no other.
    private func newestTimestamp(
        _ range: HistoryRange, _ oldest: HistoryHeader?, _ connection: Connection
    ) throws -> Date? {
        if let ungrouped = try HistoryPositions(connection).ungrouped(after: range.after) {
            let isOldest = oldest.map { $0.checkValue == nil } ?? false
            return isOldest ? oldest?.timestamp : try HistoryHeader.ungrouped(ungrouped, connection).timestamp
        }
        let newest = try PurgePlanner.lastHeader(through: .max, connection)?.position ?? 0
        return newest > range.after ? try connection.timestamp(at: newest) : nil
    }

    /// Returns up to which transaction the history may be deleted, without deleting anything. If there is a limit, the
    /// latest changes of other programs become a transaction.
    ///
    /// - Complexity: Independent of the number of changes.
    public func planHistoryPurge(
        _ retention: HistoryRetention, at date: Date
    ) throws -> HistoryPurgePlan<DefaultHistoryToken> {
        if retention.hasLimit, configuration.allowsSave {
            // Notes about rows that a statement may have replaced contain their values.
            try groupExternalChanges(resolvesConflicts: !retention.valueRules.isEmpty)
        }
        return try readingHistory { connection in
            // Throws if another program disabled the history.
            _ = try HistoryPositions(connection).facts(at: 0)
            let registry = EntityRegistry(connection)
            for rule in retention.valueRules { _ = try registry.selection(rule) }
            let planner = PurgePlanner(connection: connection, retention: retention, date: date)
            let seals = try SealedHistory(connection)
            return try HistoryPurgePlan(
                retention, at: date, limit: planner.limit(), valueLimits: planner.valueLimits(),
                ConsumerTable.holds(seals, connection), storeIdentifier: identifier,
                roundedDown: { try seals?.roundedDown($0) ?? $0 }
            ) { try PurgePlanner.lastHeader(through: $0, connection) }
        }
    }

    /// Allows to delete changes by other programs even if no context saves.
    private func groupExternalChanges(resolvesConflicts: Bool) throws {
        try attributingErrors {
            try database.maintain { connection in
                _ = try connection.immediate {
                    try recorder.groupExternalChanges(connection, resolvesConflicts: resolvesConflicts)
                }
            }
        }
    }

    /// Returns how many preserved values each of the erasures of a plan removes.
    ///
    /// - Complexity: Proportional to the number of changes after those whose values earlier purges have erased by the same rule.
    public func preservedValueCounts(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> [Int] {
        try readingHistory { connection in
            let positions = HistoryPositions(connection)
            let planned = try plan.newest.map { try positions.checkedUpperBound($0, storeIdentifier: identifier) }
            // The next step deletes the rest of a transaction that an earlier purge has begun to delete.
            let deleted = max(planned ?? 0, try positions.purged() ?? 0)
            return try plan.erasures.map {
                try ValuePurger.count($0, after: deleted, storeIdentifier: identifier, connection)
            }
        }
    }

    /// Deletes some of the oldest transactions, erases some values of the rules, or returns some of the free pages to the file system.
    ///
    /// A step holds the write lock for a few milliseconds; the number of rows adapts to the speed of the machine. A
    /// transaction with more rows is deleted in several steps, and is no longer part of the history after the first of
    /// them. A single value of several megabytes can take longer. A step that throws deleted nothing.
    public func purgeHistory(_ plan: HistoryPurgePlan<DefaultHistoryToken>) throws -> HistoryPurgeStep {
        try requireWriteAccess()
        try requireHistory()
        return try attributingErrors {
            try database.maintain { try HistoryPurger(store: self, connection: $0).step(plan) }
        }
    }

    /// Rebuilds the file without free space, and lets purges return free space from now on.
    ///
    /// New files return the space of purged history by themselves. A file that an earlier version created reuses its free
    /// space but does not shrink until it is compacted once. `VACUUM` may change the rowids of other programs' tables that
    /// have no integer primary key; see <https://www.sqlite.org/lang_vacuum.html>.
    ///
    /// - Throws: One of the following errors. The file was not changed in that case.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again when no other program writes.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Compacting needs free space of up to twice the size of the
    ///     file.
    ///   - ``SwiftDataError/damagedFile`` if the file is damaged. Restore it from a backup.
    ///   - ``SwiftDataError/unsupportedFeature`` for a ``TrackedDatabase``. Run `VACUUM` with its program.
    /// - Complexity: Proportional to the size of the file. Other writers wait, or fail with ``SwiftDataError/storeBusy``.
    public func compact() throws {
        try requireWriteAccess()
        try requireVacuum()
        guard !configuration.isStoredInMemoryOnly else { return }
        try attributingErrors {
            try database.write { connection in
                // VACUUM cannot be part of a transaction.
                try connection.requireSameFile()
                // Takes effect with VACUUM. https://www.sqlite.org/pragma.html#pragma_auto_vacuum
                try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                try connection.execute("VACUUM")
                connection.tidy { try $0.checkpoint() }
            }
        }
    }
}

extension Double {
    /// A damaged file can have sizes that are no `Int`.
    fileprivate var clamped: Int { Int(min(rounded(), 0x1p62)) }
}
