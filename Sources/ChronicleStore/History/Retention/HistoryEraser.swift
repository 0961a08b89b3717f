public import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

extension DefaultStore {
    /// Deletes the transactions that match a descriptor, each as a whole.
    ///
    /// The deletion is not recorded. The tokens of the deleted transactions expire, except that of the newest one, and those
    /// of the deleted beginning of the history, except that of its last transaction. Readers that need every change cannot
    /// continue from a token before the newest deleted transaction either; see
    /// `HistoryDescriptor.requiresCompleteHistory`.
    ///
    /// With a limit, the first matching transactions in the order of the descriptor are deleted. Changes by other programs
    /// are grouped first. With ``ModelConfiguration/historySealing``, the history is sealed first,
    /// and the errors of sealing are thrown before anything is deleted.
    ///
    /// The file does not shrink; its free space is reused. Deleted content is overwritten with zeros, but the write-ahead
    /// log contains copies until a checkpoint.
    ///
    /// - Complexity: Proportional to the number of deleted rows; deletion from the beginning does not visit each
    ///   transaction.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try requireWriteAccess()
        try requireHistory()
        try sealBeforeDeletion(configuration.historySealing)
        var descriptor = descriptor
        descriptor.requiresCompleteHistory = false
        try attributingErrors {
            try database.write { connection in
                try connection.immediate {
                    let query = try HistoryQuery(descriptor, self, connection)
                    // Checked first: throws if the history is disabled.
                    _ = try HistoryPositions(connection).facts(at: 0)
                    try recorder.groupExternalChanges(connection)
                    for bound in query.sql.upperBounds {
                        _ = try HistoryPositions(connection).checkedUpperBound(bound.token, storeIdentifier: identifier)
                    }
                    let range = try HistoryRange(query, storeIdentifier: identifier, connection)
                    var eraser = try HistoryEraser(connection, SealedHistory(connection))
                    try eraser.erase(HeaderSearch(query: query, range: range, connection: connection))
                }
            }
        }
    }
}

/// Deletes consecutive transactions as one range of the table. The newest row is kept, because SQLite would reuse its key;
/// it becomes a void header, which keeps its check value and belongs to no transaction.
struct HistoryEraser {
    private let connection: Connection
    private let newest: Int64
    private var highest: (position: Int64, checkValue: Int64, timestamp: Date?)?
    /// The last of the deleted transactions before which none remains.
    private var beginning: (position: Int64, checkValue: Int64)?
    private var authors: DeletedAuthors
    /// `nil` if the history is not sealed.
    private let seals: SealedHistory?
    /// What a deletion removes of the seals. Other callers record a purge.
    private var deletedEntries: DeletedEntries<SealTable, EventTable>?

    init(_ connection: Connection, _ seals: SealedHistory?) throws {
        self.init(connection, seals, newest: try HistoryPositions(connection).newest()?.position ?? 0)
    }

    init(_ connection: Connection, _ seals: SealedHistory?, newest: Int64) {
        self.connection = connection
        self.newest = newest
        self.seals = seals
        authors = DeletedAuthors(connection)
    }

    mutating func erase(_ search: HeaderSearch) throws {
        deletedEntries = seals.map { DeletedEntries(SealTable($0.connection), EventTable($0.connection)) }
        var search = search
        if let beginning = try search.beginning() {
            if let last = beginning.last {
                try delete(HistoryPosition.range(from: 1, through: last.position), last.checkValue)
            }
            guard let next = beginning.next else { return try finish() }
            search.range.skip(next)
        }
        let headers = try search.headers()
        for header in headers { try authors.add(header) }
        for (range, checkValue) in try ranges(headers) { try delete(range, checkValue) }
        try finish()
    }

    /// Deletes the first transactions of the history.
    mutating func erase(from first: Int64, through header: Int64, _ checkValue: Int64) throws {
        try delete(HistoryPosition.range(from: first, through: header), checkValue)
        beginning = (header, checkValue)
        try finish()
    }

    /// Deletes the first changes of a transaction that readers no longer see. Its header remains.
    mutating func erase(_ changes: ClosedRange<Int64>, ofTransaction header: Int64, _ checkValue: Int64) throws {
        try deleteRows(changes)
        highest = (header, checkValue, try connection.timestamp(at: header))
        beginning = (header, checkValue)
        try raiseFloor()
    }

    /// The ranges include the void headers before the transactions, and have the check value of their last row.
    private func ranges(_ headers: [HistoryHeader]) throws -> [(ClosedRange<Int64>, checkValue: Int64)] {
        var ranges: [(ClosedRange<Int64>, checkValue: Int64)] = []
        for header in headers.sorted(by: { $0.position < $1.position }) {
            // Only ungrouped changes have no check value, and all changes were grouped before.
            guard let checkValue = header.checkValue else { continue }
            var first = header.first
            if ranges.last?.0.upperBound != first - 1 {
                first = try lastKept(before: first) + 1
            }
            // The rows in between are void or deleted, so both ranges become one.
            if let last = ranges.last, last.0.upperBound >= first - 1 {
                first = last.0.lowerBound
                ranges.removeLast()
            }
            ranges.append((try HistoryPosition.range(from: first, through: header.position), checkValue))
        }
        return ranges
    }

    /// 0 if there is none.
    private func lastKept(before position: Int64) throws -> Int64 {
        let statement = try connection.cached(Self.selectKeptBefore)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? statement.position(0) : 0
    }

    private mutating func delete(_ positions: ClosedRange<Int64>, _ checkValue: Int64) throws {
        let last = positions.upperBound
        if last > highest?.position ?? 0 { highest = (last, checkValue, try connection.timestamp(at: last)) }
        if let seals { try deletedEntries?.add(positions, newest: newest, of: seals) }
        if last == newest {
            if positions.lowerBound < last { try deleteRows(positions.lowerBound...last - 1) }
            try makeVoid(last)
        } else {
            try deleteRows(positions)
        }
        try SummaryTable.delete(positions, connection)
        try MetadataTable.delete(positions, connection)
        // Rows of a transaction that a purge has not deleted completely may remain before the range.
        let purged = try HistoryPositions(connection).purged() ?? 0
        if positions.lowerBound <= purged + 1, last > beginning?.position ?? 0 {
            beginning = (last, checkValue)
        }
    }

    private func deleteRows(_ positions: ClosedRange<Int64>) throws {
        try Baseline.advance(through: positions.upperBound, connection)
        let statement = try connection.cached("DELETE FROM \(ChangeTable.name) WHERE id BETWEEN ? AND ?")
        try statement.bind(positions.lowerBound, at: 1)
        try statement.bind(positions.upperBound, at: 2)
        try statement.run()
        try seals?.deleteCommitments(positions)
    }

    private func makeVoid(_ position: Int64) throws {
        let statement = try connection.cached(
            """
            UPDATE \(ChangeTable.name) SET kind = ?, primary_key = NULL, old_value = NULL, new_value = NULL WHERE id = ?
            """)
        try statement.bind(ChangeTable.Kind.void.rawValue, at: 1)
        try statement.bind(position, at: 2)
        try statement.run()
        try seals?.deleteCommitments(position...position)
    }

    private mutating func finish() throws {
        guard highest != nil else { return }
        try raiseFloor()
        try deletedEntries?.record()
        let oldest = try connection.scalarInt64("SELECT min(id) FROM \(ChangeTable.name)") ?? 0
        try SourceTable.deleteUnused(before: oldest, open: SummaryTable.openRange(connection).first, connection)
    }

    private func raiseFloor() throws {
        guard let highest else { return }
        let floor = try MetaTable.position(.floor, connection) ?? 0
        try MetaTable(connection).setLastDeletion(
            floor: floor, newest: highest.position, timestamp: highest.timestamp)
        let row = try MetaTable.text(.deletions, connection)
        let known =
            try SelectiveDeletions(row, floor: floor)
            ?? SelectiveDeletions(floor: floor, checkValue: MetaTable.integer(.floorCheck, connection))
        if floor < highest.position {
            try MetaTable.set(.floor, highest.position, connection)
            try MetaTable.set(.floorCheck, highest.checkValue, connection)
        }
        let deletions = known.adding(floor: highest.position, beginning: beginning, authors: authors.list)
        if let deletions {
            try MetaTable.set(.deletions, deletions.text(), connection)
        } else if row != nil {
            try MetaTable.remove(.deletions, connection)
        }
    }

    private static let selectKeptBefore =
        "SELECT id FROM \(ChangeTable.name) WHERE id < ? AND \(ChangeTable.isNotVoid()) ORDER BY id DESC LIMIT 1"
}

/// The authors of deleted transactions.
private struct DeletedAuthors {
    private let connection: Connection
    private var newest: [Int64: Int64] = [:]
    private var names: [Int64: String?] = [:]

    init(_ connection: Connection) { self.connection = connection }

    mutating func add(_ header: HistoryHeader) throws {
        if names[header.source] == nil {
            let isExternal = header.source == SourceTable.external
            names[header.source] = .some(isExternal ? nil : try SourceTable.source(header.source, connection)?.author)
        }
        newest[header.source] = max(newest[header.source] ?? 0, header.position)
    }

    /// One element for each source.
    var list: [SelectiveDeletions.Author] {
        newest.sorted { $0.key < $1.key }.map {
            SelectiveDeletions.Author(name: names[$0.key] ?? nil, newest: $0.value)
        }
    }
}
