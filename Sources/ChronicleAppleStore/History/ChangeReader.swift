import ChronicleCore
import ChronicleSQLite
import Foundation

/// Creates the changes of transactions, and keeps what they share.
final class ChangeReader {
    private let store: AppleStore
    private let tables: AppleHistoryTables
    private let connection: Connection
    private let columns: String
    /// The names of updates whose mask has at most eight bytes.
    private var names: [Mask: [String]] = [:]

    private struct Mask: Hashable {
        let entity: Int64
        let bits: UInt64
        let count: Int
    }

    init(store: AppleStore, tables: AppleHistoryTables, connection: Connection) {
        (self.store, self.tables, self.connection) = (store, tables, connection)
        let mask = tables.hasMasks ? "ZCOLUMNS" : "NULL"
        columns = (["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", mask] + tables.tombstones).joined(separator: ", ")
    }

    func changes(
        of position: Int64, after change: Int64?, limit: Int, areStored: Bool
    ) throws -> [HistoryChange] {
        let statement = try connection.cached(
            "SELECT \(columns) FROM ACHANGE WHERE ZTRANSACTIONID = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(change ?? .min, at: 2)
        try statement.bind(Int64(clamping: limit), at: 3)
        var changes: [HistoryChange] = []
        while try statement.step() { changes.append(try self.change(statement, position, areStored: areStored)) }
        return changes
    }

    /// Passes the transaction of each change, and a closure that creates the change, in the order of transactions.
    func forEach(
        of transactions: ClosedRange<Int64>,
        _ body: (_ transaction: Int64, _ change: () throws -> HistoryChange) throws -> Void
    ) throws {
        let statement = try connection.cached(
            """
            SELECT \(columns), ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ? AND ? \
            ORDER BY ZTRANSACTIONID, Z_PK
            """)
        defer { statement.reset() }
        try statement.bind(transactions.lowerBound, at: 1)
        try statement.bind(transactions.upperBound, at: 2)
        let column = Int32(5 + tables.tombstones.count)
        while try statement.step() {
            guard case .integer(let transaction) = statement.value(column) else { continue }
            try body(transaction) { try change(statement, transaction, areStored: false) }
        }
    }

    // MARK: Changes

    private func change(_ statement: Statement, _ transaction: Int64, areStored: Bool) throws -> HistoryChange {
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
        case 0: return entity.maker.insert(of: model, identifier, transaction)
        case 1: return entity.maker.update(of: model, names(statement, number, entity), identifier, transaction)
        default:
            let kept = kept(statement, entity)
            if areStored { return entity.maker.delete(of: model, stored: kept, identifier, transaction) }
            return .delete(
                of: model, kept: kept, changeIdentifier: identifier, transactionIdentifier: transaction,
                schema: store.schema)
        }
    }

    private func names(_ statement: Statement, _ number: Int64, _ entity: HistoryEntities.Entity) -> [String] {
        statement.withBlob(4) { bytes in
            guard bytes.count <= 8 else { return entity.names(bytes) }
            let bits = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            let mask = Mask(entity: number, bits: bits, count: bytes.count)
            if let known = names[mask] { return known }
            let found = entity.names(bytes)
            names[mask] = found
            return found
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

/// Creates the changes of one entity with its class.
protocol ChangeMaker: Sendable {
    func insert(of model: PersistentIdentifier, _ identifier: Int64, _ transaction: Int64) -> HistoryChange
    func update(
        of model: PersistentIdentifier, _ names: [String], _ identifier: Int64, _ transaction: Int64
    ) -> HistoryChange
    /// The tombstone contains the values as the file does.
    func delete(
        of model: PersistentIdentifier, stored: [(name: String, value: PropertyValue)], _ identifier: Int64,
        _ transaction: Int64
    ) -> HistoryChange
}

struct TypedChangeMaker<Model: PersistentModel>: ChangeMaker {
    func insert(of model: PersistentIdentifier, _ identifier: Int64, _ transaction: Int64) -> HistoryChange {
        .insert(
            DefaultHistoryInsert<Model>(
                changeIdentifier: identifier, transactionIdentifier: transaction, changedPersistentIdentifier: model))
    }

    func update(
        of model: PersistentIdentifier, _ names: [String], _ identifier: Int64, _ transaction: Int64
    ) -> HistoryChange {
        .update(
            DefaultHistoryUpdate<Model>(
                changeIdentifier: identifier, transactionIdentifier: transaction, changedPersistentIdentifier: model,
                updatedAttributeNames: names))
    }

    func delete(
        of model: PersistentIdentifier, stored: [(name: String, value: PropertyValue)], _ identifier: Int64,
        _ transaction: Int64
    ) -> HistoryChange {
        .delete(
            DefaultHistoryDelete<Model>(
                changeIdentifier: identifier, transactionIdentifier: transaction, changedPersistentIdentifier: model,
                tombstone: HistoryTombstone(stored.map { ($0.name, $0.value as any Sendable) })))
    }
}
