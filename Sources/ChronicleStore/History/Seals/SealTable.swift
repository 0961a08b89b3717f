import ChronicleCore
import ChronicleSQLite
import Foundation

/// The rows of seals. Must be used in a transaction.
struct SealTable {
    struct Seal: Equatable {
        let number: Int64
        let last: Int64
        let lastCheck: Int64
        let time: Double
        let previous: HistoryDigest
        let catalogHash: HistoryDigest
        let hash: HistoryDigest

        static let columns = "number, last, last_check, sealed, previous, catalog_hash, hash"

        /// The statement selects ``columns`` first.
        init(_ statement: Statement) throws {
            let row = FileRow.seal(statement.int64(0))
            number = try statement.integer(0, in: HistoryPosition.valid, of: row)
            last = try statement.integer(1, in: 0...HistoryPosition.valid.upperBound, of: row)
            lastCheck = try statement.integer(2, of: row)
            time = try statement.time(3, of: row).timeIntervalSinceReferenceDate
            previous = try statement.digest(4, of: row)
            catalogHash = try statement.digest(5, of: row)
            hash = try statement.digest(6, of: row)
        }
    }

    /// The number and the last position of a seal.
    typealias End = (number: Int64, last: Int64)

    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    // MARK: Reading

    func newest() throws -> Seal? {
        let statement = try connection.cached(
            "SELECT \(Seal.columns) FROM \(SealTables.seal) ORDER BY number DESC LIMIT 1")
        defer { statement.reset() }
        return try statement.step() ? Seal(statement) : nil
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

    /// Throws ``SwiftDataError/damagedFile`` if the hash of a seal is not that of its content.
    func requireIntact(_ seal: Seal, storeIdentifier: String, _ hashing: any HistoryHashing) throws {
        var content = SealContent(
            store: Array(storeIdentifier.utf8), number: seal.number, previous: seal.previous, last: seal.last,
            lastCheck: seal.lastCheck, time: seal.time, catalog: seal.catalogHash)
        for entry in try entries(of: seal.number) { content.append(position: entry.position, hash: entry.hash) }
        content.events = try EventTable(connection).events(ofSeal: seal.number).map {
            ($0.number, try $0.hash(hashing))
        }
        guard try content.hash(hashing) != seal.hash else { return }
        throw SwiftDataError.damagedRow(
            .seal(seal.number),
            "another program changed the seal or its events; verify the history, and restore a backup")
    }

    func entries(of number: Int64) throws -> [(position: Int64, hash: HistoryDigest)] {
        let statement = try connection.cached("SELECT transactions FROM \(SealTables.seal) WHERE number = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        guard try statement.step() else { return [] }
        return try statement.withBlob(0) { try SealTables.entries($0, ofSeal: number) }
    }

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

extension SealTables {
    /// The list of a seal.
    static func entries(
        _ bytes: UnsafeRawBufferPointer, ofSeal number: Int64
    ) throws -> [(position: Int64, hash: HistoryDigest)] {
        let size = MemoryLayout<Int64>.size + HistoryDigest.count
        return try stride(from: 0, to: bytes.count, by: size).map { offset in
            let slice = UnsafeRawBufferPointer(
                rebasing: bytes[min(offset + 8, bytes.count)..<min(offset + size, bytes.count)])
            guard let hash = HistoryDigest(slice) else {
                throw SwiftDataError.damagedRow(.seal(number), "the list of transactions is incomplete")
            }
            return (Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)), hash)
        }
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
