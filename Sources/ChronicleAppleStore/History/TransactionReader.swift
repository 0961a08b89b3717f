import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore
import Foundation

struct TransactionReader {
    let store: AppleStore
    let tables: AppleHistoryTables
    let connection: Connection

    struct Header {
        let position: Int64
        let timestamp: Double
        let author, contextName: String?
        let bundleIdentifier, processIdentifier: String
    }

    var columns: SQLQuery {
        """
        h.Z_PK, h.ZTIMESTAMP, \(raw: tables.author), \(raw: tables.contextName), \(raw: tables.bundleIdentifier), \
        \(raw: tables.processIdentifier)
        """
    }

    /// Farther from the reference date, dates cannot be calculated with.
    private static let latest = 1e11

    func header(_ statement: Statement) throws -> Header {
        let position = statement.int64(0)
        guard case let timestamp = statement.double(1), abs(timestamp) < Self.latest, !statement.isNull(1) else {
            throw SwiftDataError.damagedFile.with(
                detail: "the row \(position) of the table ATRANSACTION has no valid ZTIMESTAMP")
        }
        func text(_ column: Int32) -> String? { statement.isNull(column) ? nil : statement.text(column) }
        return Header(
            position: position, timestamp: timestamp, author: text(2), contextName: text(3),
            bundleIdentifier: text(4) ?? "", processIdentifier: text(5) ?? "")
    }

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

    /// The changes after `change`, in the order of their keys.
    func changes(of position: Int64, after change: Int64? = nil, limit: Int = .max) throws -> [HistoryChange] {
        let mask = tables.hasMasks ? "ZCOLUMNS" : "NULL"
        let columns = (["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", mask] + tables.tombstones).joined(
            separator: ", ")
        let statement = try connection.cached(
            "SELECT \(columns) FROM ACHANGE WHERE ZTRANSACTIONID = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(change ?? .min, at: 2)
        try statement.bind(Int64(clamping: limit), at: 3)
        var changes: [HistoryChange] = []
        while try statement.step() { changes.append(try self.change(statement, position)) }
        return changes
    }

    private func change(_ statement: Statement, _ transaction: Int64) throws -> HistoryChange {
        let identifier = statement.int64(0)
        guard case .integer(let kind) = statement.value(1), case .integer(let number) = statement.value(2),
            case .integer(let key) = statement.value(3), (0...2).contains(kind)
        else {
            throw SwiftDataError.damagedFile.with(
                detail: "the row \(identifier) of the table ACHANGE is no insert, update or delete of a model")
        }
        let entity = store.historyEntities.entity(number)
        let model = entity.origin.identifier(key)
        switch kind {
        case 0:
            return .insert(
                of: model, changeIdentifier: identifier, transactionIdentifier: transaction, schema: store.schema)
        case 1:
            let names = statement.withBlob(4) { entity.names($0) }
            return .update(
                of: model, updatedAttributeNames: names, changeIdentifier: identifier,
                transactionIdentifier: transaction,
                schema: store.schema)
        default:
            return .delete(
                of: model, kept: kept(statement, entity), changeIdentifier: identifier,
                transactionIdentifier: transaction,
                schema: store.schema)
        }
    }

    /// Columns of which the attribute is not known have a name with their number.
    private func kept(_ statement: Statement, _ entity: HistoryEntities.Entity) -> [(
        name: String, value: PropertyValue
    )] {
        var kept: [(name: String, value: PropertyValue)] = []
        for index in tables.tombstones.indices {
            let tombstone = entity.tombstones.indices.contains(index) ? entity.tombstones[index] : nil
            var value: PropertyValue
            switch statement.value(Int32(5 + index)) {
            case .null:
                // A column that other entities use contains nothing of this one.
                guard tombstone != nil else { continue }
                value = .null
            case .integer(let integer):
                value = tombstone?.property?.attribute?.storage == .real ? .real(Double(integer)) : .integer(integer)
            case .real(let real): value = .real(real)
            case .text(let text): value = .text(String(decoding: text, as: UTF8.self))
            case .blob(let bytes): value = .blob(Data(bytes))
            }
            if tombstone?.property?.attribute?.valueTypeName == "Decimal", case .real(let real) = value {
                value = .text(AppleFunctions.canonical("\(real)"))
            }
            kept.append((tombstone?.name ?? "tombstone \(index)", value))
        }
        return kept
    }
}
