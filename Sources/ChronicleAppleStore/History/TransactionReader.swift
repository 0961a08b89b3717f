import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore
import Foundation

/// Reads transactions in one snapshot of the file, and keeps what they share.
final class TransactionReader {
    let tables: AppleHistoryTables
    let connection: Connection
    private let store: AppleStore
    private let changes: ChangeReader
    /// The texts of `ATRANSACTIONSTRING` by their keys.
    private var strings: [Int64: String?] = [:]

    init(store: AppleStore, tables: AppleHistoryTables, connection: Connection) {
        (self.store, self.tables, self.connection) = (store, tables, connection)
        changes = ChangeReader(store: store, tables: tables, connection: connection)
    }

    struct Header {
        let position: Int64
        let timestamp: Double
        let author, contextName: String?
        let bundleIdentifier, processIdentifier: String
    }

    // MARK: Headers

    private var texts: [AppleHistoryTables.Text] {
        [tables.author, tables.contextName, tables.bundleIdentifier, tables.processName]
    }

    /// The key of each interned text, and the text of a plain column.
    var columns: SQLQuery {
        let columns = texts.flatMap { [$0.internedColumn ?? "NULL", $0.plainColumn ?? "NULL"] }
        return "h.Z_PK, h.ZTIMESTAMP, \(raw: columns.joined(separator: ", "))"
    }

    /// Farther from the reference date, dates cannot be calculated with.
    private static let latest = 1e11

    func header(_ statement: Statement) throws -> Header {
        let position = statement.int64(0)
        guard case let timestamp = statement.double(1), abs(timestamp) < Self.latest, !statement.isNull(1) else {
            throw SwiftDataError.damagedFile.with(
                detail: "the row \(position) of the table ATRANSACTION has no valid ZTIMESTAMP")
        }
        let bundleIdentifier = try text(2, statement)
        return Header(
            position: position, timestamp: timestamp, author: try text(0, statement),
            contextName: try text(1, statement), bundleIdentifier: bundleIdentifier ?? "",
            // The identifier of the bundle if the file does not have the name.
            processIdentifier: try text(3, statement) ?? bundleIdentifier ?? "")
    }

    private func text(_ index: Int32, _ statement: Statement) throws -> String? {
        let column = 2 + index * 2
        if case .integer(let key) = statement.value(column), let text = try string(key) { return text }
        return statement.isNull(column + 1) ? nil : statement.text(column + 1)
    }

    private func string(_ key: Int64) throws -> String? {
        if let known = strings[key] { return known }
        let statement = try connection.cached(
            "SELECT CAST(ZNAME AS TEXT) FROM \(AppleHistoryTables.strings) WHERE Z_PK = ?")
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        let text = try statement.step() && !statement.isNull(0) ? statement.text(0) : nil
        strings[key] = .some(text)
        return text
    }

    // MARK: Transactions

    func transaction(_ header: Header, _ changes: [HistoryChange]) -> DefaultHistoryTransaction {
        DefaultHistoryTransaction(
            transactionIdentifier: header.position, storeIdentifier: store.identifier,
            token: DefaultHistoryToken(
                storeIdentifier: store.identifier, position: header.position,
                checkValue: Int64(bitPattern: header.timestamp.bitPattern)),
            timestamp: Date(timeIntervalSinceReferenceDate: header.timestamp), author: header.author,
            contextName: header.contextName, bundleIdentifier: header.bundleIdentifier,
            processIdentifier: header.processIdentifier, changes: changes)
    }

    /// Reads the changes of consecutive transactions in one scan, which takes less time than one for each of them.
    func transactions(_ headers: [Header]) throws -> [DefaultHistoryTransaction] {
        guard let first = headers.first?.position, let last = headers.last?.position, Self.isDense(headers) else {
            return try headers.map { transaction($0, try changes(of: $0.position)) }
        }
        var transactions: [DefaultHistoryTransaction] = []
        transactions.reserveCapacity(headers.count)
        var pending: [HistoryChange] = []
        func end() {
            transactions.append(transaction(headers[transactions.count], pending))
            pending = []
        }
        try changes.forEach(of: first...last) { position, change in
            while headers[transactions.count].position < position { end() }
            // Other transactions were deleted, or do not match.
            if headers[transactions.count].position == position { pending.append(try change()) }
        }
        while transactions.count < headers.count { end() }
        return transactions
    }

    private static func isDense(_ headers: [Header]) -> Bool {
        guard headers.count > 1, let first = headers.first?.position, let last = headers.last?.position, first < last,
            last - first < Int64(headers.count) * 2
        else { return false }
        return zip(headers, headers.dropFirst()).allSatisfy { $0.position < $1.position }
    }

    /// The changes after `change`, in the order of their keys. `areStored` is
    /// `HistoryChangesRequest.returnsStoredValues`.
    func changes(
        of position: Int64, after change: Int64? = nil, limit: Int = .max, areStored: Bool = false
    ) throws -> [HistoryChange] {
        try changes.changes(of: position, after: change, limit: limit, areStored: areStored)
    }
}
