import Foundation

package typealias SealerRecord = HistoryConsumerRecord<DefaultHistoryToken>

/// Seals the history of a store. See `Documentation/Design/0050-sealed-history.md` for the steps.
///
/// Transactions are read without the lock of writers. Each commit checks under the lock that nothing has happened since that the
/// transactions depend on: an erasure, a deletion, a change of names, or another seal. Otherwise, what was read is discarded, so no
/// key is ever written for a value that was erased meanwhile.
///
/// A store implements the transactions and the access to its tables.
package protocol StoreSealer {
    /// A connection in a transaction.
    associatedtype Session
    associatedtype Seals: SealRows
    associatedtype Events: EventRows
    associatedtype Batch: SealBatching where Batch.Session == Session

    var sealer: HistorySealer { get }
    var storeIdentifier: String { get }

    func withReadTransaction<Result>(_ body: (Session) throws -> Result) throws -> Result

    /// Calls a closure while no other program writes the history. The commit of the last step makes all seals durable.
    func withWriteTransaction<Result>(
        _ step: HistorySealer.Step, _ body: (Session) throws -> Result
    ) throws -> Result

    func seals(_ session: Session) -> Seals

    func events(_ session: Session) -> Events

    /// The bytes of the present names.
    func catalog(_ session: Session) throws -> [UInt8]

    func makeBatch(after position: Int64, _ session: Session) throws -> Batch

    /// The record of the consumer that seals.
    func record(_ session: Session) throws -> SealerRecord?

    func changeRecord(_ session: Session, _ change: (inout SealerRecord?) throws -> Void) throws
}

/// What the sealer depends on has changed.
private struct Changed: Error {}

/// What must not change until a seal is committed.
private struct SealerState: Equatable {
    let seal: RecordedSeal?
    /// The newest event. Purges concern no transaction that is not sealed.
    let event: SealedEvent.State?

    static func == (lhs: SealerState, rhs: SealerState) -> Bool {
        guard lhs.event == rhs.event else { return false }
        guard let seal = lhs.seal, let other = rhs.seal else { return lhs.seal == nil && rhs.seal == nil }
        return (seal.number, seal.last, seal.lastCheck, seal.time)
            == (other.number, other.last, other.lastCheck, other.time)
            && (seal.previous, seal.catalogHash, seal.hash) == (other.previous, other.catalogHash, other.hash)
    }
}

extension StoreSealer {
    /// Seals the transactions up to a position while the consumer is locked, and returns the head.
    ///
    /// - Parameter isLast: Whether a last seal says that the history is not sealed any more.
    package func run(through newest: Int64, isLast: Bool) throws -> HistorySeal {
        try withWriteTransaction(.begin) { session in try updateRecord(session) { $0.fence = sealer.fence } }
        try read(requireIntactSeal)
        while try sealNext(through: newest) {}
        if isLast { while try !addLastSeal() {} }
        return try end()
    }

    /// Creates the record if there is none, which another process may have removed.
    package func updateRecord(_ session: Session, _ update: (inout SealerRecord) -> Void) throws {
        try changeRecord(session) { known in
            var record = try known ?? newRecord(session)
            update(&record)
            known = record
        }
    }

    private func newRecord(_ session: Session) throws -> SealerRecord {
        var record = try SealerRecord.sealer(at: token(seals(session).newest()))
        record.fence = sealer.fence
        return record
    }

    /// The position of a seal, or that before the first transaction.
    private func token(_ seal: RecordedSeal?) -> DefaultHistoryToken {
        DefaultHistoryToken(
            storeIdentifier: storeIdentifier, position: seal?.last ?? 0, checkValue: seal?.lastCheck)
    }

    private var store: [UInt8] { Array(storeIdentifier.utf8) }

    // MARK: Intact seals

    /// An editor could have changed the newest seal, and the next one must not confirm this.
    private func requireIntactSeal(_ session: Session) throws {
        let newest = try seals(session).newest()
        guard try !events(session).hasSealed(after: newest?.number ?? 0) else {
            throw SwiftDataError.damagedFile.with(
                detail: "seals that contain events are missing, which another program deleted; restore a backup")
        }
        if let newest { try requireIntact(newest, session) }
    }

    /// Throws ``SwiftDataError/damagedFile`` if the hash of a seal is not that of its content.
    private func requireIntact(_ seal: RecordedSeal, _ session: Session) throws {
        var seal = seal
        seal.entries = try seals(session).entries(of: seal.number)
        var content = SealContent(seal, store: store)
        content.events = try events(session).events(ofSeal: seal.number).map {
            ($0.number, try $0.hash(sealer.hashing))
        }
        guard try content.hash(sealer.hashing) != seal.hash else { return }
        throw Seals.damaged(
            seal.number, "another program changed the seal or its events; verify the history, and restore a backup")
    }

    // MARK: Transactions of the database

    /// Throws ``SwiftDataError/historyConsumerInUse`` if another run has begun.
    private func currentState(_ session: Session) throws -> SealerState {
        guard try record(session).map({ $0.fence == sealer.fence }) ?? true else {
            throw SwiftDataError.sealerIsInUse(storeIdentifier: storeIdentifier)
        }
        return SealerState(seal: try seals(session).newest(), event: try events(session).state())
    }

    private func commit(
        _ step: HistorySealer.Step, _ expected: SealerState, _ body: (Session) throws -> Void
    ) throws {
        try sealer.observe(step)
        try withWriteTransaction(step) { session in
            guard try currentState(session) == expected else { throw Changed() }
            try body(session)
        }
    }

    private func read<Result>(_ body: (Session) throws -> Result) throws -> Result {
        try sealer.observe(.read)
        return try withReadTransaction(body)
    }

    /// Reads a part of a batch. What belongs to parts that were read before, such as the source of a transaction, may have been
    /// deleted since, so an error does not mean that the history is damaged.
    private func read<Result>(_ expected: SealerState, _ body: (Session) throws -> Result) throws -> Result {
        try read { session in
            do { return try body(session) } catch let error as SwiftDataError {
                guard try currentState(session) == expected else { throw Changed() }
                throw error
            }
        }
    }

    // MARK: Seals

    /// Adds a seal, if there are transactions or events that none contains. Returns whether there can be more.
    private func sealNext(through newest: Int64) throws -> Bool {
        let state = try read(currentState)
        let end = state.seal?.last ?? 0
        do {
            try tidy(state)
            var batch = try read(state) { try makeBatch(after: end, $0) }
            var isLast: Bool?
            while isLast == nil {
                switch try read(state, { try batch.read(through: newest, $0) }) {
                case .more: break
                case .page: try commit(.prepare, state) { try batch.writeCommitments($0) }
                case .complete(let last): isLast = last
                }
            }
            // The first seal of a history whose transactions were all deleted has none, and no event: that waits. Without any event,
            // another program has deleted the seals.
            guard
                try !batch.entries.isEmpty || state.seal == nil && state.event != nil
                    || read({ try !events($0).unsealed(through: end).isEmpty })
            else { return false }
            try commit(.seal, state) { session in
                try batch.writeCommitments(session)
                try write(batch, after: state.seal, session)
            }
            // Events since then wait for the next run: a purge writes one in each step.
            return isLast == false
        } catch is Changed {
            return true
        }
    }

    /// Returns `false` if something has changed meanwhile.
    private func addLastSeal() throws -> Bool {
        let state = try read(currentState)
        if try read({ try events($0).contains(.ended, inSeal: state.seal?.number ?? 0) }) { return true }
        do {
            let batch = try read(state) { try makeBatch(after: state.seal?.last ?? 0, $0) }
            try commit(.seal, state) { session in
                try events(session).add(.ended, NoDetail())
                try write(batch, after: state.seal, session)
            }
            return true
        } catch is Changed {
            return false
        }
    }

    /// Deletes the commitments of an interrupted run, which have no meaning.
    private func tidy(_ state: SealerState) throws {
        let end = state.seal?.last ?? 0
        while try read({ try seals($0).hasCommitments(after: end) }) {
            try commit(.tidy, state) {
                try seals($0).deleteUnsealedCommitments(after: end, limit: HistorySealer.limits.page)
            }
        }
    }

    private func write(_ batch: Batch, after previous: RecordedSeal?, _ session: Session) throws {
        guard try catalog(session) == batch.catalog else { throw Changed() }
        let (hashing, last) = (sealer.hashing, batch.entries.last)
        var content = SealContent(
            store: store, number: (previous?.number ?? 0) + 1, previous: previous?.hash ?? .zero,
            last: last?.position ?? previous?.last ?? 0, lastCheck: last?.checkValue ?? previous?.lastCheck ?? 0,
            time: Date().timeIntervalSinceReferenceDate, catalog: try SealedCatalog.hash(batch.catalog, hashing))
        for entry in batch.entries { content.append(position: entry.position, hash: entry.hash) }
        content.events = try events(session).seal(in: content.number, through: content.last, hashing)
        let isRenamed = content.catalog != previous?.catalogHash
        let hash = try content.hash(hashing)
        let signature = try sealer.signer?.signature(
            of: SealContent.signedBytes(store: store, number: content.number, last: content.last, hash: hash))
        try seals(session).insert(
            content, hash: hash, catalog: isRenamed ? batch.catalog : nil, signature: signature)
        let newest = try token(seals(session).newest())
        try updateRecord(session) { record in
            record.place = HistoryConsumerPlace(position: newest)
            record.acknowledged = Date()
        }
    }

    // MARK: The end

    /// Makes all seals durable, and returns the head.
    private func end() throws -> HistorySeal {
        try sealer.observe(.end)
        return try withWriteTransaction(.end) { session in
            // Writes a row in any case, because a transaction that writes none makes nothing durable.
            try updateRecord(session) { $0.seen = Date() }
            guard let newest = try seals(session).newest(), let head = newest.head else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the newest seal is missing, which another program deleted; restore a backup")
            }
            try sign(newest, session)
            return head
        }
    }

    /// Signs a seal of an earlier run or of another process, unless it has a signature by the key.
    private func sign(_ seal: RecordedSeal, _ session: Session) throws {
        let seals = seals(session)
        guard let signer = sealer.signer, try !seals.isSigned(seal.number, by: signer.publicKeyBytes()) else { return }
        try requireIntact(seal, session)
        try seals.setSignature(signer.signature(of: seal.signedBytes(store: store)), of: seal.number)
    }
}
