import ChronicleCore
import ChronicleSQLite
import Foundation

/// The row that ends a transaction.
struct HistoryHeader {
    let position: Int64
    /// The number of the signer.
    let source: Int64
    let timestamp: Date
    /// `nil` for what other programs wrote and no header follows yet: the position is that of the last change.
    let check: Int64?
    /// The first change.
    let first: Int64

    /// The end of changes that no header follows.
    static func unsealed(_ positions: ClosedRange<Int64>) -> HistoryHeader {
        HistoryHeader(
            position: positions.upperBound, source: RecorderStatements.externalSource, timestamp: Date(), check: nil,
            first: positions.lowerBound)
    }

    private init(position: Int64, source: Int64, timestamp: Date, check: Int64?, first: Int64) {
        self.position = position
        self.source = source
        self.timestamp = timestamp
        self.check = check
        self.first = first
    }

    /// Reads the row that a statement on `id, what, key, detail, more` stands at. It is not void.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a header that no save writes.
    init(_ statement: Statement) throws {
        let position = statement.int64(0)
        let isUnsealed = statement.isNull(3)
        guard statement.isInteger(1), statement.isNumber(2), isUnsealed || statement.isInteger(3),
            statement.isInteger(4)
        else { throw SwiftDataError.damagedHistory("a header that is not complete", at: position) }
        source = 0 &- statement.int64(1)
        timestamp = Date(timeIntervalSinceReferenceDate: statement.double(2))
        check = isUnsealed ? nil : statement.int64(3)
        first = statement.int64(4)
        self.position = position
        guard first >= 1, first <= position else {
            throw SwiftDataError.damagedHistory("a header of changes that are not before it", at: position)
        }
    }

    /// The last change.
    var last: Int64 { check == nil ? position : position - 1 }

    func transaction(_ changes: [HistoryChange], _ signer: HistorySigner, storeIdentifier: String)
        -> DefaultHistoryTransaction
    {
        DefaultHistoryTransaction(
            transactionIdentifier: position, storeIdentifier: storeIdentifier,
            token: DefaultHistoryToken(storeIdentifier: storeIdentifier, position: position, check: check),
            timestamp: timestamp, author: signer.author, contextName: signer.contextName,
            bundleIdentifier: signer.program, processIdentifier: signer.process, changes: changes)
    }
}

// Without `==`, which for an enum of another module is a call through its conformance.
extension Statement {
    func isInteger(_ index: Int32) -> Bool {
        if case .integer = columnType(index) { true } else { false }
    }

    fileprivate func isNumber(_ index: Int32) -> Bool {
        switch columnType(index) {
        case .integer, .float: true
        case .text, .blob, .null: false
        }
    }
}
