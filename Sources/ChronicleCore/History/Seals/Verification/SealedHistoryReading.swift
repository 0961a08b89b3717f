/// A sealed history as it is stored, before anything of it is verified.
///
/// Files, databases and exports implement it, so that there is one verification and one export. A reader reads in order: a seal,
/// its transactions, and the changes of each. It reads in one transaction, with the memory of a page, and throws
/// ``SwiftDataError/damagedFile`` for a row that the format does not allow.
package protocol SealedHistoryReading {
    /// The UTF-8 of the store's identifier.
    var store: [UInt8] { get }

    /// `false` for an export without values, keys and descriptions, which are then missing without an event.
    var includesValues: Bool { get }

    /// Returns the next seal, from the first one that remains on; `nil` after the newest one. Skips the transactions of the
    /// previous seal that were not read.
    mutating func nextSeal() throws -> RecordedSeal?

    /// Returns the next transaction or void header with a position up to that of a seal.
    mutating func nextTransaction(through last: Int64) throws -> RecordedTransaction?

    /// Reads the next change of the transaction. Returns `false` after the last one.
    ///
    /// - Parameter change: Receives the change. Its arrays keep their capacity.
    mutating func nextChange(into change: inout RecordedChange) throws -> Bool

    /// Returns the rows of the commitments that were passed since the last call and belong to erased values of deleted changes,
    /// with the events of the erasures, whose hashes of the rows (P) contain them. After the last transaction of a seal, these are
    /// all of the seal.
    mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)]

    /// Returns the next key that the history numbers, after the seals; `nil` after the last one, and if the history numbers none.
    mutating func nextKey() throws -> RecordedKey?

    /// The present names, which are also those of classes in values. A migration that renames a class rewrites its name in values.
    func catalog() throws -> SealedCatalog

    /// The events that no seal contains, in their order.
    func unsealedEvents() throws -> [SealedEvent]

    /// The number of transactions after a position.
    func transactionCount(after position: Int64) throws -> Int

    /// What the store says about its history; `nil` in an export, which says nothing.
    func bounds() throws -> RecordedHistoryBounds?
}

extension SealedHistoryReading {
    package var includesValues: Bool { true }

    /// None. An export without them cannot contain a deleted transaction with erased values.
    package mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)] { [] }
}

/// A seal and what it says.
package struct RecordedSeal: Sendable {
    package typealias Entry = (position: Int64, hash: HistoryDigest)

    package var number: Int64
    package var last: Int64
    package var lastCheck: Int64
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package var time: Double
    package var previous: HistoryDigest
    package var catalogHash: HistoryDigest
    package var hash: HistoryDigest
    /// The positions and hashes (T) of its transactions, in the order of the list.
    package var entries: [Entry] = []
    /// The bytes of the catalog; `nil` if they are those of the previous seal.
    package var catalog: [UInt8]?
    /// The events that it contains.
    package var events: [SealedEvent] = []
    /// The public key and the signature with Ed25519.
    package var signature: RecordedSignature?

    package init(
        number: Int64, last: Int64, lastCheck: Int64, time: Double, previous: HistoryDigest, catalogHash: HistoryDigest,
        hash: HistoryDigest
    ) {
        (self.number, self.last, self.lastCheck, self.time) = (number, last, lastCheck, time)
        (self.previous, self.catalogHash, self.hash) = (previous, catalogHash, hash)
    }

    /// `nil` if the position is negative.
    package var head: HistorySeal? { HistorySeal(position: last, hash: hash.data) }
}

package struct RecordedSignature: Hashable, Sendable {
    /// 32 bytes.
    package var publicKey: [UInt8]
    /// 64 bytes.
    package var signature: [UInt8]

    package init(publicKey: [UInt8], signature: [UInt8]) {
        (self.publicKey, self.signature) = (publicKey, signature)
    }

    /// Creates a signature from what is stored; `nil` for other bytes, which are no signature.
    package init?(storedKey publicKey: [UInt8]?, _ signature: [UInt8]?) {
        guard let publicKey, let signature, publicKey.count == 32, signature.count == 64 else { return nil }
        self.init(publicKey: publicKey, signature: signature)
    }
}

/// A header, or a void one.
package struct RecordedTransaction: Sendable {
    package var position: Int64
    package var checkValue: Int64
    /// `nil` for a void header.
    package var kind: SealedTransaction.Kind?
    /// The position of its first change; its own for a void header.
    package var first: Int64
    /// `nil` for a void header, and in an export without values.
    package var description: SealedDescription?
    /// What the store has in place of the commitment to the description.
    package var commitment: RecordedCommitment?
    /// A row before the transaction and after the previous one that belongs to neither.
    package var strayPosition: Int64?
    /// Whether positions count transactions, as in PostgreSQL, and not rows.
    package var countsTransactions = false

    package init(position: Int64, checkValue: Int64, kind: SealedTransaction.Kind?, first: Int64) {
        (self.position, self.checkValue, self.kind, self.first) = (position, checkValue, kind, first)
    }
}

/// A change with its preserved values.
package struct RecordedChange: Sendable {
    package var position: Int64 = 0
    package var change = SealedTransaction.Change.insert
    package var entity: Int64 = 0
    package var key = SealedTransaction.Key.integer(0)
    /// The numbers of the attributes of an update, ascending.
    package var attributes: [Int64] = []
    package var slots: [RecordedSlot] = []

    package init() {}
}

/// A row that can have a preserved value.
package struct RecordedSlot: Sendable {
    /// The primary key of the row of its commitment: one integer in SQLite, three in PostgreSQL.
    package var row: RecordedRow
    /// The attribute; `nil` if the row has no value.
    package var attribute: Int64?
    /// `nil` if the row has no value, or if the reader does not read values.
    package var value: (before: RecordedValue, after: RecordedValue)?
    package var commitment: RecordedCommitment?

    package init(row: RecordedRow, attribute: Int64? = nil) {
        (self.row, self.attribute) = (row, attribute)
    }
}

package enum RecordedRow: Hashable, Sendable {
    case position(Int64)
    case place(transaction: Int64, change: Int64, place: Int64)

    /// The integers that the hash of erased values (P) contains.
    package var integers: [Int64] {
        switch self {
        case .position(let position): [position]
        case .place(let transaction, let change, let place): [transaction, change, place]
        }
    }
}

/// A row of a commitment.
package struct RecordedCommitment: Sendable {
    /// `nil` for a description.
    package var attribute: Int64?
    /// `nil` if the value was erased, and in an export without values.
    package var key: HistoryDigest?
    /// `nil` if the transaction was deleted.
    package var commitment: HistoryDigest?
    /// The event of the erasure.
    package var event: Int64?

    package init(attribute: Int64?, key: HistoryDigest?, commitment: HistoryDigest?, event: Int64? = nil) {
        (self.attribute, self.key, self.commitment, self.event) = (attribute, key, commitment, event)
    }
}

/// A key that a tracked database numbers.
package struct RecordedKey: Sendable {
    package var entity: Int64
    package var number: Int64
    /// The values of its columns; `nil` if the history does not have them, and in an export without values.
    package var columns: [RecordedValue]?
    package var commitment: RecordedCommitment

    package init(entity: Int64, number: Int64, columns: [RecordedValue]?, commitment: RecordedCommitment) {
        (self.entity, self.number, self.columns, self.commitment) = (entity, number, columns, commitment)
    }
}

/// A value with its storage class that owns its bytes; see ``SealedValue``.
package enum RecordedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// The UTF-8 of a text as it is stored.
    case text([UInt8])
    case binary([UInt8])

    /// Calls a closure with the value for a hash.
    ///
    /// - Parameter classes: The numbers of classes by their names, if the value is the class of a model of a store.
    package func withSealed<Result>(
        classes: [[UInt8]: Int64]? = nil, _ body: (SealedValue) throws -> Result
    ) rethrows -> Result {
        switch self {
        case .null: return try body(.null)
        case .integer(let integer): return try body(.integer(integer))
        case .real(let real): return try body(.real(real))
        case .text(let bytes):
            if let number = classes?[bytes] { return try body(.entity(number)) }
            return try bytes.withUnsafeBytes { try body(.text($0)) }
        case .binary(let bytes): return try bytes.withUnsafeBytes { try body(.binary($0)) }
        }
    }
}

/// Facts of a store that hide parts of the history from readers, and must follow from the sealed events.
package struct RecordedHistoryBounds: Sendable {
    /// The highest deleted position, or 0.
    package var floor: Int64
    /// The header of a transaction that a purge has deleted in part.
    package var purged: Int64?
    /// The position at which recording resumed, or 0.
    package var gap: Int64

    package init(floor: Int64, purged: Int64?, gap: Int64) {
        (self.floor, self.purged, self.gap) = (floor, purged, gap)
    }
}
