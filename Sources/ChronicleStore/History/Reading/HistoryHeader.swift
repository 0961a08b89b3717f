import ChronicleCore
import ChronicleSQLite
import Foundation

/// The row that ends a transaction.
struct HistoryHeader {
    let position: Int64
    let source: Int64
    let timestamp: Date
    /// `nil` for ungrouped changes by other programs; the position is then that of the last change.
    let checkValue: Int64?
    let first: Int64
    /// The text is empty for external transactions.
    let process: String

    /// Returns the header of changes that no header row follows. The timestamp is the present time, except in a tracked
    /// database, which contains the time of the first change.
    static func ungrouped(_ positions: ClosedRange<Int64>, _ connection: Connection) throws -> HistoryHeader {
        HistoryHeader(
            position: positions.upperBound, source: SourceTable.external,
            timestamp: try PendingTransaction.started(connection) ?? Date(), checkValue: nil,
            first: positions.lowerBound, process: "")
    }

    private init(position: Int64, source: Int64, timestamp: Date, checkValue: Int64?, first: Int64, process: String) {
        self.process = process
        self.position = position
        self.source = source
        self.timestamp = timestamp
        self.checkValue = checkValue
        self.first = first
    }

    /// The row is not a void header.
    init(_ statement: Statement) throws {
        position = try statement.position(ChangeTable.Column.id)
        let row = FileRow.change(position)
        source = try statement.kind(ChangeTable.Column.kind, at: position).source
        let seconds = statement.double(ChangeTable.Column.timestamp)
        guard statement.isNumber(ChangeTable.Column.timestamp), seconds.isFinite else {
            throw SwiftDataError.damagedRow(row, "a header without a timestamp")
        }
        timestamp = Date(timeIntervalSinceReferenceDate: seconds)
        let checkColumn = ChangeTable.Column.checkValue
        checkValue = statement.isNull(checkColumn) ? nil : try statement.integer(checkColumn, of: row)
        first = try statement.integer(ChangeTable.Column.first, of: row)
        let processColumn = ChangeTable.Column.process
        process = statement.isNull(processColumn) ? "" : statement.text(processColumn)
        guard first >= 1, first <= position else {
            throw SwiftDataError.damagedRow(row, "a header whose changes are not before it")
        }
    }

    var last: Int64 { checkValue == nil ? position : position - 1 }
    /// Includes preserved values.
    var rowCount: Int { Int(last - first) + 1 }

    func transaction(
        _ changes: [HistoryChange], _ source: TransactionSource, followsDeletion: Bool, metadata: [String: String],
        storeIdentifier: String
    ) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: position, storeIdentifier: storeIdentifier,
            token: DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue),
            timestamp: timestamp, author: source.author, contextName: source.contextName,
            bundleIdentifier: source.program, processIdentifier: process, metadata: metadata,
            followsDeletion: followsDeletion, changes: changes)
    }
}

extension Statement {
    fileprivate func isNumber(_ index: Int32) -> Bool {
        switch storageClass(index) {
        case .integer, .real: true
        case .text, .blob, .null: false
        }
    }
}

extension Connection {
    /// Returns the timestamp of the transaction that ends at a position, or `nil` if it was deleted or has no valid one.
    func timestamp(at position: Int64) throws -> Date? {
        let statement = try cached(
            "SELECT primary_key FROM \(ChangeTable.name) WHERE id = ? AND \(ChangeTable.isHeader())")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        guard try statement.step(), statement.isNumber(0), statement.double(0).isFinite else { return nil }
        return Date(timeIntervalSinceReferenceDate: statement.double(0))
    }
}
