import ChronicleCore
import ChronicleSQLite
import Foundation

/// The row that ends a transaction.
struct HistoryHeader {
    let position: Int64
    /// The number of the source.
    let source: Int64
    let timestamp: Date
    /// The check value, or `nil` for unsealed changes by other programs; the position is then that of the last change.
    let checkValue: Int64?
    /// The position of the first change.
    let first: Int64

    /// Returns the header of changes that no header row follows.
    static func unsealed(_ positions: ClosedRange<Int64>) -> HistoryHeader {
        HistoryHeader(
            position: positions.upperBound, source: RecorderStatements.externalSource, timestamp: Date(),
            checkValue: nil,
            first: positions.lowerBound)
    }

    private init(position: Int64, source: Int64, timestamp: Date, checkValue: Int64?, first: Int64) {
        self.position = position
        self.source = source
        self.timestamp = timestamp
        self.checkValue = checkValue
        self.first = first
    }

    /// Reads the current row of a statement on `id, what, key, detail, more`, which must not be a void header.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if no save writes such a header.
    init(_ statement: Statement) throws {
        position = try statement.position(0)
        let row = FileRow.change(position)
        source = 0 &- (try statement.integer(1, of: row))
        let seconds = statement.double(2)
        guard statement.isNumber(2), seconds.isFinite else {
            throw SwiftDataError.damagedRow(row, "a header without a timestamp")
        }
        timestamp = Date(timeIntervalSinceReferenceDate: seconds)
        checkValue = statement.isNull(3) ? nil : try statement.integer(3, of: row)
        first = try statement.integer(4, of: row)
        guard first >= 1, first <= position else {
            throw SwiftDataError.damagedRow(row, "a header whose changes are not before it")
        }
    }

    /// The position of the last change.
    var last: Int64 { checkValue == nil ? position : position - 1 }

    func transaction(_ changes: [HistoryChange], _ source: RecordedSource, storeIdentifier: String)
        -> DefaultHistoryTransaction
    {
        DefaultHistoryTransaction(
            transactionIdentifier: position, storeIdentifier: storeIdentifier,
            token: DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, checkValue: checkValue),
            timestamp: timestamp, author: source.author, contextName: source.contextName,
            bundleIdentifier: source.program, processIdentifier: source.process, changes: changes)
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
