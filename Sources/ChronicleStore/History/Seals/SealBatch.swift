import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The transactions of the next seal, whose commitments and hashes are computed while their rows are read.
struct SealBatch: SealBatching {
    private struct Commitment {
        let position: Int64
        /// `nil` for a description.
        let attribute: Int64?
        let key: HistoryDigest
        let commitment: HistoryDigest
    }

    private static let maximumKeys = 10_000

    let catalog: [UInt8]
    private(set) var entries: [SealBatchEntry] = []
    private var rowCount = 0
    private let connection: Connection
    private let hashing: any HistoryHashing
    /// `nil` for a tracked database, whose texts are never rewritten.
    private let classes: SealedClasses?
    private let numberedEntities: Set<Int64>
    private var position: Int64
    private var commitments: [Commitment] = []
    /// The commitments to numbered keys, and those of them that are not written yet.
    private var keys: [SealedKey: HistoryDigest] = [:]
    private var newKeys: [(key: SealedKey, commitment: SealedKeyCommitment)] = []
    /// The transaction whose rows are read.
    private var header: SealedHeader?
    private var transaction: SealedTransaction?
    private var order = SealedRowOrder()
    private var attributes: [Int64] = []
    /// The rows of the transaction that were read.
    private var changeRows = 0

    init(after position: Int64, _ hashing: any HistoryHashing, _ connection: Connection) throws {
        let names = try SealedCatalog(connection)
        catalog = names.bytes
        classes = try FileFormat.isTracked(connection) ? nil : SealedClasses(names)
        numberedEntities = names.numberedEntities
        (self.position, self.hashing, self.connection) = (position, hashing, connection)
    }

    /// Reads the next header or some rows of a transaction.
    mutating func read(through newest: Int64, _: Connection) throws -> SealBatchProgress {
        let limits = HistorySealer.limits
        if let header {
            if try !hashPage(of: header) { self.header = nil }
            return commitments.count + newKeys.count >= limits.page ? .page : .more
        }
        guard entries.count < limits.transactions else { return .complete(isLast: false) }
        guard let next = try nextHeader(through: newest) else { return .complete(isLast: true) }
        guard entries.isEmpty || rowCount + next.rowCount <= limits.rows else { return .complete(isLast: false) }
        try begin(next)
        return .more
    }

    /// The next transaction or void header up to a position.
    func nextHeader(through newest: Int64) throws -> SealedHeader? {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id > ? AND id <= ? \
            AND \(ChangeTable.endsTransaction()) ORDER BY id LIMIT 1
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(newest, at: 2)
        guard try statement.step() else { return nil }
        let header = try SealedHeader(statement)
        try header.requireBeginning(after: position)
        try requireNoChanges(before: header.first)
        return header
    }

    /// What precedes a transaction was deleted, or is a part of the previous one.
    private func requireNoChanges(before first: Int64) throws {
        guard first > position + 1 else { return }
        let change = try connection.scalarInt64("SELECT id FROM \(ChangeTable.name) WHERE id > ? AND id < ? LIMIT 1") {
            try $0.bind(position, at: 1)
            try $0.bind(first, at: 2)
        }
        guard let change else { return }
        throw SwiftDataError.damagedRow(.change(change), "the change belongs to no transaction")
    }

    // MARK: Transactions

    /// Begins a transaction with its description.
    private mutating func begin(_ header: SealedHeader) throws {
        guard let kind = header.kind, let content = try description(of: header) else {
            return append(
                header, try SealedTransaction.void(position: header.position, checkValue: header.checkValue, hashing))
        }
        let key = HistoryDigest.randomKey()
        let description = try content.commitment(key: key, hashing)
        commitments.append(
            Commitment(position: header.position, attribute: nil, key: key, commitment: description))
        transaction = SealedTransaction(
            position: header.position, checkValue: header.checkValue, kind: kind, description: description,
            first: header.first, hashing)
        (position, self.header) = (header.first - 1, header)
        (order, changeRows) = (SealedRowOrder(), 0)
    }

    private func description(of header: SealedHeader) throws -> SealedDescription? {
        let metadata = try connection.cached(SealedDescriptions.selectMetadata)
        defer { metadata.reset() }
        var descriptions = SealedDescriptions(from: header.position, metadata: metadata, connection)
        return try descriptions.description(of: header)
    }

    /// Reads some rows of a transaction. Returns whether there are more.
    private mutating func hashPage(of header: SealedHeader) throws -> Bool {
        let statement = try connection.cached(
            """
            SELECT \(ChangeTable.columns) FROM \(ChangeTable.name) WHERE id > ? AND id < ? ORDER BY id LIMIT ?
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(header.position, at: 2)
        try statement.bind(HistorySealer.limits.page, at: 3)
        var count = 0
        while try statement.step() {
            try hash(statement, header)
            count += 1
        }
        changeRows += count
        guard count < HistorySealer.limits.page else { return true }
        // Readers do not see a transaction that a purge has deleted in part. What remains is sealed.
        guard try changeRows == header.rowCount || Self.isPurged(header, connection) else {
            throw SwiftDataError.damagedRow(.change(header.position), "changes of the transaction are missing")
        }
        if let hash = try transaction?.finish() { append(header, hash) }
        return false
    }

    private static func isPurged(_ header: SealedHeader, _ connection: Connection) throws -> Bool {
        try HistoryPositions(connection).purged() ?? 0 >= header.position
    }

    private mutating func append(_ header: SealedHeader, _ hash: HistoryDigest) {
        entries.append(SealBatchEntry(position: header.position, checkValue: header.checkValue, hash: hash))
        rowCount += header.rowCount
        position = header.position
        transaction = nil
    }

    private mutating func hash(_ statement: Statement, _ header: SealedHeader) throws {
        let row = try SealedRow(statement)
        position = row.position
        let connection = connection
        guard try order.add(row, isPurged: Self.isPurged(header, connection)) else { return }
        if let change = row.change {
            attributes.removeAll(keepingCapacity: true)
            try row.appendAttributes(statement, to: &attributes)
            let key = try key(row.primaryKey, of: row.entity)
            transaction?.append(change, at: position, entity: row.entity, key: key, attributes: attributes)
        }
        guard row.isSlot else { return }
        guard let attribute = try row.attribute(statement) else {
            transaction?.appendSlotWithoutValue()
            return
        }
        let key = HistoryDigest.randomKey()
        let classes = classes?.isClass(attribute, of: row.entity) == true ? classes : nil
        let commitment = try hashing.commitment(
            toAttribute: attribute, before: statement.sealedValue(ChangeTable.Column.oldValue, classes),
            after: statement.sealedValue(ChangeTable.Column.newValue, classes), key: key)
        transaction?.append(attribute: attribute, commitment: commitment)
        commitments.append(Commitment(position: position, attribute: attribute, key: key, commitment: commitment))
    }

    // MARK: Numbered keys

    private mutating func key(_ number: Int64, of entity: Int64) throws -> SealedTransaction.Key {
        guard numberedEntities.contains(entity) else { return .integer(number) }
        let key = SealedKey(entity: entity, number: number)
        if let commitment = keys[key] { return .numbered(number, commitment) }
        let table = SealedKeys(connection)
        let known = try table.commitment(to: key)
        let secret = known?.key ?? .randomKey()
        let commitment = try table.commitment(to: key, with: secret, hashing)
        if let known, known.commitment != commitment {
            // An editor could have written a commitment for which the key is changed later.
            throw SwiftDataError.damagedRow(
                key.row, "another program changed the commitment or the key; verify the history, and restore a backup")
        }
        if known == nil { newKeys.append((key, SealedKeyCommitment(key: secret, commitment: commitment))) }
        // A transaction can have any number of known keys, which are read again.
        if known == nil || keys.count < Self.maximumKeys { keys[key] = commitment }
        return .numbered(number, commitment)
    }

    // MARK: Commitments

    /// Writes the commitments of the rows that were read since the last call.
    mutating func writeCommitments(_: Connection) throws {
        let statement = try connection.cached(
            "INSERT INTO \(SealTables.commitment)(position, attribute, key, commitment) VALUES (?, ?, ?, ?)")
        for commitment in commitments {
            try statement.bind(commitment.position, at: 1)
            if let attribute = commitment.attribute {
                try statement.bind(attribute, at: 2)
            } else {
                try statement.bindNull(2)
            }
            try commitment.key.withUnsafeBytes { try statement.bind($0, at: 3) }
            try commitment.commitment.withUnsafeBytes { try statement.bind($0, at: 4) }
            try statement.run()
        }
        commitments = []
        for (key, commitment) in newKeys { try SealedKeys(connection).insert(commitment, to: key) }
        newKeys = []
        // Known keys are read again.
        if keys.count > Self.maximumKeys { keys = [:] }
    }
}
