package import Foundation

/// A run of the sealer; see ``StoreSealer``.
package struct HistorySealer {
    package enum Step: Sendable {
        /// Before each transaction that reads.
        case read
        /// Before each commit.
        case begin, tidy, prepare, seal, end
    }

    package struct Limits: Sendable {
        /// The numbers of transactions and rows of a seal. A transaction with more rows is a seal alone.
        package var transactions: Int
        package var rows: Int
        /// The commitments of a commit. A file also reads this number of rows at once.
        package var page: Int

        package init(transactions: Int = 1_024, rows: Int = 50_000, page: Int = 2_000) {
            (self.transactions, self.rows, self.page) = (transactions, rows, page)
        }
    }

    /// Tests use lower limits.
    @TaskLocal package static var limits = Limits()

    package let hashing: any HistoryHashing
    package let signer: (any SealSigning)?
    package let observe: (Step) throws -> Void
    /// The number of the run. A later one replaces it in the record of the consumer, which ends this one: the lock of a consumer
    /// does not exclude a run that began after another program removed the record.
    let fence = Int64.random(in: 0..<1 << 60)

    package init(
        hashing: any HistoryHashing, signer: (any SealSigning)?, observe: @escaping (Step) throws -> Void
    ) {
        (self.hashing, self.signer, self.observe) = (hashing, signer, observe)
    }
}

// MARK: The tables

/// The rows of seals. Must be used in a transaction.
package protocol SealRows {
    /// The newest seal, without its lists.
    func newest() throws -> RecordedSeal?

    /// The seal that contains the transaction to which a position belongs.
    func first(endingFrom position: Int64) throws -> (number: Int64, last: Int64)?

    /// The last seal that ends up to a position.
    func last(through position: Int64) throws -> (number: Int64, last: Int64)?

    func entries(of number: Int64) throws -> [RecordedSeal.Entry]

    /// - Parameter catalog: `nil` if it is that of the previous seal.
    func insert(
        _ content: SealContent, hash: HistoryDigest, catalog: [UInt8]?, signature: RecordedSignature?) throws

    func isSigned(_ number: Int64, by publicKey: [UInt8]) throws -> Bool

    func setSignature(_ signature: RecordedSignature, of number: Int64) throws

    /// Whether an interrupted run left commitments.
    func hasCommitments(after position: Int64) throws -> Bool

    func deleteUnsealedCommitments(after position: Int64, limit: Int) throws

    /// Returns the error for a row of a seal.
    static func damaged(_ number: Int64, _ detail: String) -> SwiftDataError
}

/// The rows of events. Must be used in a transaction.
package protocol EventRows {
    /// Adds an event of the author of the current task, and returns its number.
    @discardableResult
    func add(_ kind: SealedEvent.Kind, _ detail: some Encodable) throws -> Int64

    /// Adds what an event concerns in a seal, if it is not known yet.
    ///
    /// - Parameter content: `nil` if the seal that contains the event computes it.
    func addPart(_ content: [UInt8]?, ofEvent event: Int64, seal: Int64) throws

    /// The newest event other than a purge.
    func state() throws -> SealedEvent.State?

    /// The time of the newest event of a kind.
    func time(ofNewest kind: SealedEvent.Kind) throws -> Date?

    /// Whether a seal contains an event of a kind.
    func contains(_ kind: SealedEvent.Kind, inSeal number: Int64) throws -> Bool

    /// Whether a seal after a number contains events.
    func hasSealed(after number: Int64) throws -> Bool

    func events(ofSeal number: Int64) throws -> [SealedEvent]

    /// The events that no seal contains, in their order.
    func unsealed() throws -> [SealedEvent]

    /// Computes what the events of erasures removed from each seal, so that no other value can be erased later as a part of them.
    func addErasedValues(_ hashing: any HistoryHashing) throws

    func setSeal(_ number: Int64, ofEvents events: [Int64]) throws
}

extension EventRows {
    /// The events that a seal contains which ends at a position.
    func unsealed(through last: Int64) throws -> [SealedEvent] { try unsealed().filter { $0.lastMissing <= last } }

    /// Adds the events to a seal that is about to be inserted, and returns their hashes.
    ///
    /// - Parameter last: The last position of the seal.
    func seal(
        in number: Int64, through last: Int64, _ hashing: any HistoryHashing
    ) throws -> [(number: Int64, hash: HistoryDigest)] {
        try addErasedValues(hashing)
        let events = try unsealed(through: last)
        try setSeal(number, ofEvents: events.map(\.number))
        return try events.map { ($0.number, try $0.hash(hashing)) }
    }
}

extension SealedEvent {
    /// The last position that is missing because of what the event says, or 0. A purge deletes an event together with its seal, so
    /// the seal must not end before the position: the event would be missing for later seals.
    fileprivate var lastMissing: Int64 {
        // What this version did not write says of no position that it is missing. Verification reports it.
        switch knownKind {
        case .begun: decoded(as: BegunDetail.self)?.newest ?? 0
        case .unproven: decoded(as: UnprovenDetail.self)?.ranges.compactMap(\.last).max() ?? 0
        case .purge, .deletion, .erasure, .emptied, .names, .ended, nil: 0
        }
    }
}

// MARK: Batches

/// The transactions of the next seal, whose commitments and hashes are computed while their rows are read.
package protocol SealBatching {
    associatedtype Session

    /// The bytes of the names.
    var catalog: [UInt8] { get }
    var entries: [SealBatchEntry] { get }

    /// Reads the next rows.
    ///
    /// - Parameter newest: The last position to seal.
    mutating func read(through newest: Int64, _ session: Session) throws -> SealBatchProgress

    /// Writes the commitments of what was read since the last call.
    mutating func writeCommitments(_ session: Session) throws
}

package struct SealBatchEntry {
    let position: Int64
    let checkValue: Int64
    let hash: HistoryDigest

    package init(position: Int64, checkValue: Int64, hash: HistoryDigest) {
        (self.position, self.checkValue, self.hash) = (position, checkValue, hash)
    }
}

package enum SealBatchProgress {
    /// There is more to read.
    case more
    /// There are commitments to write, and more to read.
    case page
    /// - Parameter isLast: Whether there are no more transactions.
    case complete(isLast: Bool)
}
