package import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Reads the sealed history of a file or of a store in memory, for its verification and its export. Used in one transaction.
///
/// Three statements run through the rows, the commitments and the seals in the order of their positions, and none is repeated. The
/// header of a transaction is its last row, so another one runs ahead through the headers.
struct SealedFileReader: SealedHistoryReading {
    let store: [UInt8]
    private let readsValues: Bool
    private let connection: Connection
    private let seals: Statement
    private var hasAllSeals = false
    /// The number of the newest seal that was read, its last position, and that of the seal before it.
    private var number: Int64 = 0
    private var last: Int64 = 0
    private var previousLast: Int64 = 0
    /// Those of the newest seal that was read.
    private var numberedEntities: Set<Int64> = []
    private var headers: SealedHeaderCursor
    private var rows: SealedRowCursor
    private var commitments: SealedCommitmentCursor
    private var descriptions: SealedDescriptions
    private let purged: Int64
    /// The transaction whose changes are read.
    private var header: SealedHeader?
    private var order = SealedRowOrder()
    /// The last position that was read.
    private var end: Int64 = 0
    private var strayPosition: Int64?
    private var keys: Statement?

    init(storeIdentifier: String, readsValues: Bool, _ connection: Connection) throws {
        store = Array(storeIdentifier.utf8)
        (self.readsValues, self.connection) = (readsValues, connection)
        // Not cached, because they are not reset after an error.
        seals = try connection.prepare(
            """
            SELECT \(SealTable.columns), transactions, catalog, public_key, signature FROM \(SealTables.seal) ORDER BY number
            """)
        headers = SealedHeaderCursor(
            try connection.prepare(
                """
                SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE \(ChangeTable.endsTransaction()) ORDER BY id
                """))
        // Values can be long.
        let columns = readsValues ? ChangeTable.columns : "id, kind, primary_key, attributes"
        rows = SealedRowCursor(try connection.prepare("SELECT \(columns) FROM \(ChangeTable.name) ORDER BY id"))
        commitments = SealedCommitmentCursor(
            try connection.prepare(
                "SELECT \(SealedCommitmentCursor.columns) FROM \(SealTables.commitment) ORDER BY position"))
        descriptions = SealedDescriptions(
            from: HistoryPosition.valid.lowerBound, metadata: try connection.prepare(SealedDescriptions.selectMetadata),
            connection)
        purged = try MetaTable.position(.purged, connection) ?? 0
    }

    // MARK: Seals

    mutating func nextSeal() throws -> RecordedSeal? {
        guard !hasAllSeals else { return nil }
        guard try seals.step() else {
            hasAllSeals = true
            guard try !EventTable(connection).hasSealed(after: number) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "seals that contain events are missing, which another program deleted")
            }
            return nil
        }
        var seal = try SealTable.seal(seals)
        let isFirst = number == 0
        (number, previousLast, last) = (seal.number, last, seal.last)
        seal.entries = try SealTable.entries(seals, 7, ofSeal: number)
        // What ended at the position is in the lists of earlier seals, which a purge has deleted.
        if isFirst, seal.entries.isEmpty { previousLast = last }
        if !seals.isNull(8) {
            let bytes = seals.withBlob(8) { Array($0) }
            seal.catalog = bytes
            // Other bytes do not have the hash.
            numberedEntities = SealedCatalog(bytes: bytes)?.numberedEntities ?? []
        }
        seal.events = try EventTable(connection).events(ofSeal: number)
        // The hash of the seal contains none.
        seal.signature = RecordedSignature(
            storedKey: seals.withBlob(9) { Array($0) }, seals.withBlob(10) { Array($0) })
        return seal
    }

    // MARK: Transactions

    mutating func nextTransaction(through last: Int64) throws -> RecordedTransaction? {
        try endTransaction()
        try passBoundary()
        let next = try headers.header()
        guard let header = next, header.position <= last else {
            // Otherwise, the rows are before the next transaction.
            if next == nil, let position = try rows.position(), position <= self.last {
                throw SwiftDataError.damagedRow(.change(position), "the row belongs to no transaction")
            }
            try commitments.skip(through: min(last, self.last))
            return nil
        }
        try header.requireBeginning(after: end)
        while let position = try rows.position(), position < header.first {
            strayPosition = strayPosition ?? position
            rows.advance()
        }
        var transaction = RecordedTransaction(
            position: header.position, checkValue: header.checkValue, kind: header.kind, first: header.first)
        transaction.description = try descriptions.description(of: header)
        if header.kind != nil {
            transaction.commitment = try SealedCommitmentCursor.commitment(at: header.position, connection)
        }
        transaction.strayPosition = strayPosition
        (self.header, order, strayPosition) = (header, SealedRowOrder(), nil)
        headers.advance()
        return transaction
    }

    /// Passes what was not read of the present transaction, and its header.
    private mutating func endTransaction() throws {
        guard let header else { return }
        while let position = try rows.position(), position <= header.position { rows.advance() }
        try commitments.skip(through: header.position)
        end = header.position
        self.header = nil
    }

    /// Passes the rows up to the end of the seal before the newest one that was read. After a purge, that is the boundary, which
    /// has none, apart from the newest row of the history, which remains as a void header.
    private mutating func passBoundary() throws {
        guard end < previousLast else { return }
        while let position = try rows.position(), position <= previousLast {
            let isRemainder = try position == previousLast && rows.isVoid
            if !isRemainder { strayPosition = strayPosition ?? position }
            rows.advance()
        }
        while let header = try headers.header(), header.position <= previousLast { headers.advance() }
        end = previousLast
    }

    mutating func nextChange(into change: inout RecordedChange) throws -> Bool {
        guard let header, header.kind != nil else { return false }
        change.attributes.removeAll(keepingCapacity: true)
        change.slots.removeAll(keepingCapacity: true)
        var isFirst = true
        while let position = try rows.position(), position < header.position {
            let row = try SealedRow(rows.statement)
            if row.operation != .preservedValue {
                guard isFirst else { return true }
                isFirst = false
                try begin(&change, row)
            }
            let isPurged = purged >= header.position
            if try order.add(row, isPurged: isPurged), row.isSlot {
                try change.slots.append(slot(row))
            }
            rows.advance()
        }
        return !isFirst
    }

    private func begin(_ change: inout RecordedChange, _ row: SealedRow) throws {
        change.position = row.position
        change.change = row.change ?? .update
        change.entity = row.entity
        change.key = .integer(row.primaryKey)
        if numberedEntities.contains(row.entity) {
            let key = SealedKey(entity: row.entity, number: row.primaryKey)
            // Without its commitment, the transaction has another hash.
            change.key = .numbered(key.number, try SealedKeys(connection).commitment(to: key)?.commitment ?? .zero)
        }
        try row.appendAttributes(rows.statement, to: &change.attributes)
    }

    private mutating func slot(_ row: SealedRow) throws -> RecordedSlot {
        var slot = RecordedSlot(row: .position(row.position), attribute: try row.attribute(rows.statement))
        if readsValues, slot.attribute != nil {
            slot.value = (
                rows.statement.recordedValue(ChangeTable.Column.oldValue),
                rows.statement.recordedValue(ChangeTable.Column.newValue)
            )
        }
        slot.commitment = try commitments.commitment(at: row.position)
        return slot
    }

    mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)] {
        defer { commitments.erasures.removeAll(keepingCapacity: true) }
        return commitments.erasures
    }

    // MARK: Keys

    mutating func nextKey() throws -> RecordedKey? {
        let statement = try keys ?? connection.prepare(SealedKeys.select)
        let isFirst = keys == nil
        keys = statement
        // A statement that has ended would begin again.
        guard isFirst || statement.isBusy, try statement.step() else { return nil }
        let row = FileRow.commitmentKey(entity: statement.int64(0), number: statement.int64(1))
        let key = SealedKey(
            entity: try statement.integer(0, of: row), number: try statement.integer(1, of: row))
        let commitment = try SealedKeys.commitment(statement, 2, of: key)
        var columns: [RecordedValue]?
        if readsValues {
            columns = try SealedKeys(connection).withColumns(of: key) { values in
                values.map { row in SealedKeys.columns(row).map { row.recordedValue($0) } } ?? []
            }
        }
        return RecordedKey(
            entity: key.entity, number: key.number, columns: columns,
            commitment: RecordedCommitment(attribute: nil, key: commitment.key, commitment: commitment.commitment))
    }

    // MARK: The store

    func catalog() throws -> SealedCatalog { try SealedCatalog(connection) }

    func unsealedEvents() throws -> [SealedEvent] { try EventTable(connection).unsealed() }

    /// Includes changes by other programs that no header follows yet.
    func transactionCount(after position: Int64) throws -> Int {
        let count = try connection.scalarInt64(
            "SELECT count(*) FROM \(ChangeTable.name) WHERE id > ? AND \(ChangeTable.isHeader())"
        ) { try $0.bind(position, at: 1) }
        let isUngrouped = try HistoryPositions(connection).ungrouped(after: position) != nil
        return Int(count ?? 0) + (isUngrouped ? 1 : 0)
    }

    func bounds() throws -> RecordedHistoryBounds? {
        RecordedHistoryBounds(
            floor: try MetaTable.position(.floor, connection) ?? 0, purged: try MetaTable.position(.purged, connection),
            gap: try MetaTable.position(.gap, connection) ?? 0)
    }
}

extension DefaultStore {
    package func readSealedHistory<Result>(
        includesValues: Bool, _ body: (any SealedHistoryReading) throws -> Result
    ) throws -> Result? {
        try attributingErrors {
            try database.read { connection in
                try connection.deferredRead {
                    guard try SealTables.exist(connection) else { return nil }
                    return try body(
                        SealedFileReader(
                            storeIdentifier: identifier, readsValues: includesValues, connection))
                }
            }
        }
    }
}
