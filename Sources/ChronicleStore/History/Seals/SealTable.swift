import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The rows of seals. Must be used in a transaction.
struct SealTable: SealRows {
    /// Those of ``seal(_:)``.
    static let columns = "number, last, last_check, sealed, previous, catalog_hash, hash"

    /// Returns a seal without its lists.
    ///
    /// - Parameter statement: Selects ``columns`` first.
    static func seal(_ statement: Statement) throws -> RecordedSeal {
        let row = FileRow.seal(statement.int64(0))
        return RecordedSeal(
            number: try statement.integer(0, in: HistoryPosition.valid, of: row),
            last: try statement.integer(1, in: 0...HistoryPosition.valid.upperBound, of: row),
            lastCheck: try statement.integer(2, of: row),
            time: try statement.time(3, of: row).timeIntervalSinceReferenceDate,
            previous: try statement.digest(4, of: row), catalogHash: try statement.digest(5, of: row),
            hash: try statement.digest(6, of: row))
    }

    /// The number and the last position of a seal.
    typealias End = (number: Int64, last: Int64)

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Reading

    func newest() throws -> RecordedSeal? {
        let statement = try connection.cached(
            "SELECT \(Self.columns) FROM \(SealTables.seal) ORDER BY number DESC LIMIT 1")
        defer { statement.reset() }
        return try statement.step() ? Self.seal(statement) : nil
    }

    /// The seal that contains the transaction to which a position belongs.
    func first(endingFrom position: Int64) throws -> End? {
        try end("WHERE last >= ? ORDER BY last, number LIMIT 1", position)
    }

    /// The last seal that ends up to a position.
    func last(through position: Int64) throws -> End? {
        try end("WHERE last <= ? ORDER BY last DESC, number DESC LIMIT 1", position)
    }

    private func end(_ condition: String, _ position: Int64) throws -> End? {
        let statement = try connection.cached("SELECT number, last FROM \(SealTables.seal) \(condition)")
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        return try statement.step() ? (statement.int64(0), statement.int64(1)) : nil
    }

    /// The first seal that remains.
    func first() throws -> End? { try first(endingFrom: 0) }

    /// The number of the seal with a head; `nil` if there is none.
    func number(of head: HistorySeal) throws -> Int64? {
        try connection.scalarInt64("SELECT number FROM \(SealTables.seal) WHERE last = ? AND hash = ? LIMIT 1") {
            statement in
            try statement.bind(head.position, at: 1)
            try head.hash.withUnsafeBytes { try statement.bind($0, at: 2) }
        }
    }

    /// The heads of the seals after a number, in their order.
    func heads(after number: Int64) throws -> [HistorySeal] {
        let statement = try connection.cached(
            "SELECT number, last, hash FROM \(SealTables.seal) WHERE number > ? ORDER BY number")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        var heads: [HistorySeal] = []
        while try statement.step() {
            let row = FileRow.seal(statement.int64(0))
            let last = try statement.integer(1, in: 0...HistoryPosition.valid.upperBound, of: row)
            // Both were checked, so there is a head.
            if let head = HistorySeal(position: last, hash: try statement.digest(2, of: row).data) {
                heads.append(head)
            }
        }
        return heads
    }

    func entries(of number: Int64) throws -> [RecordedSeal.Entry] {
        let statement = try connection.cached("SELECT transactions FROM \(SealTables.seal) WHERE number = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [] }
        return try Self.entries(statement, 0, ofSeal: number)
    }

    /// The list of a seal.
    static func entries(_ statement: Statement, _ column: Int32, ofSeal number: Int64) throws -> [RecordedSeal.Entry] {
        guard let entries = statement.withBlob(column, SealContent.entries) else {
            throw damaged(number, "the list of transactions is incomplete")
        }
        return entries
    }

    static func damaged(_ number: Int64, _ detail: String) -> SwiftDataError { .damagedRow(.seal(number), detail) }

    // MARK: Writing

    func insert(
        _ content: SealContent, hash: HistoryDigest, catalog: [UInt8]?, signature: RecordedSignature?
    ) throws {
        let statement = try connection.cached(
            """
            INSERT INTO \(SealTables.seal)(number, last, last_check, sealed, previous, transactions, catalog, catalog_hash, \
            hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try statement.bind(content.number, at: 1)
        try statement.bind(content.last, at: 2)
        try statement.bind(content.lastCheck, at: 3)
        try statement.bind(content.time, at: 4)
        try content.previous.withUnsafeBytes { try statement.bind($0, at: 5) }
        try content.transactions.withUnsafeBytes { try statement.bind($0, at: 6) }
        if let catalog {
            try catalog.withUnsafeBytes { try statement.bind($0, at: 7) }
        } else {
            try statement.bindNull(7)
        }
        try content.catalog.withUnsafeBytes { try statement.bind($0, at: 8) }
        try hash.withUnsafeBytes { try statement.bind($0, at: 9) }
        try statement.run()
        if let signature { try setSignature(signature, of: content.number) }
    }

    // MARK: Signatures

    func isSigned(_ number: Int64, by publicKey: [UInt8]) throws -> Bool {
        try connection.scalarInt64(
            "SELECT 1 FROM \(SealTables.seal) WHERE number = ? AND public_key = ? AND signature IS NOT NULL"
        ) { statement in
            try statement.bind(number, at: 1)
            try publicKey.withUnsafeBytes { try statement.bind($0, at: 2) }
        } != nil
    }

    func setSignature(_ signature: RecordedSignature, of number: Int64) throws {
        let statement = try connection.cached(
            "UPDATE \(SealTables.seal) SET public_key = ?, signature = ? WHERE number = ?")
        try signature.publicKey.withUnsafeBytes { try statement.bind($0, at: 1) }
        try signature.signature.withUnsafeBytes { try statement.bind($0, at: 2) }
        try statement.bind(number, at: 3)
        try statement.run()
    }

    // MARK: Commitments of an interrupted run

    func hasCommitments(after position: Int64) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM \(SealTables.commitment) WHERE position > ? LIMIT 1") {
            try $0.bind(position, at: 1)
        } != nil
    }

    func deleteUnsealedCommitments(after position: Int64, limit: Int) throws {
        let statement = try connection.cached(
            """
            DELETE FROM \(SealTables.commitment) WHERE position IN (SELECT position FROM \(SealTables.commitment) \
            WHERE position > ? ORDER BY position LIMIT ?)
            """)
        try statement.bind(position, at: 1)
        try statement.bind(limit, at: 2)
        try statement.run()
    }
}

extension Statement {
    func digest(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> HistoryDigest {
        guard case .blob = storageClass(column), let digest = withBlob(column, { HistoryDigest($0) }) else {
            throw SwiftDataError.damagedRow(row(), "the value of \"\(columnName(column))\" is not a hash")
        }
        return digest
    }
}
