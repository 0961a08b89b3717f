import ChronicleCore
import ChronicleSQLite
import Foundation

/// Seals the history of a file. See `Documentation/Design/0050-sealed-history.md` for the steps.
///
/// Transactions are read without the write lock. Each commit checks under the lock that nothing has happened since that the
/// transactions depend on: an erasure, a deletion, a change of names, or another seal. Otherwise, what was read is discarded, so no
/// key is ever written for a value that was erased meanwhile.
struct HistorySealer {
    enum Step: Sendable {
        /// Before each transaction that reads.
        case read
        /// Before each commit.
        case begin, tidy, prepare, seal, end
    }

    /// What the sealer depends on has changed.
    private struct Changed: Error {}

    struct Limits: Sendable {
        /// The numbers of transactions and rows of a seal. A transaction with more rows is a seal alone.
        var transactions = 1_024
        var rows = 50_000
        /// The rows that are read at once, and the commitments of a commit.
        var page = 2_000
    }

    /// Tests use lower limits.
    @TaskLocal static var limits = Limits()

    let store: DefaultStore
    let hashing: any HistoryHashing
    let signer: (any SealSigning)?
    let connection: Connection
    let observe: (Step) throws -> Void
    /// The number of the run. A later one replaces it in the record of the consumer, which ends this one: the lock of a consumer
    /// does not exclude a run that began after another program removed the record.
    private let fence = Int64.random(in: 0..<1 << 60)

    /// Seals the transactions up to a position while the consumer is locked, and returns the head.
    ///
    /// - Parameter isLast: Whether a last seal says that the history is not sealed any more.
    func run(through newest: Int64, isLast: Bool) throws -> HistorySeal {
        try connection.immediate { try updateRecord { $0.fence = fence } }
        try requireIntactSeal()
        while try sealNext(through: newest) {}
        if isLast { while try !addLastSeal() {} }
        let head = try end()
        store.copyLog(of: connection, isLast: true)
        return head
    }

    /// Groups changes of other programs, and creates the tables and the record of the consumer. Returns the newest position.
    func begin() throws -> Int64 {
        try observe(.begin)
        return try connection.immediate {
            // The program may have given tables other keys, which the history numbers then.
            if store.isTracked { try SchemaFollowing(connection).run() }
            try store.recorder.groupExternalChanges(connection, resolvesConflicts: true)
            if try !SealTables.exist(connection) { try SealTables.create(connection) }
            if try !ConsumerTable.exists(connection) { try ConsumerTable.create(connection) }
            try updateRecord { _ in }
            if store.isTracked { try SchemaFollowing(connection).finish() }
            // Throws if another program disabled the history.
            return try HistoryPositions(connection).newest()?.position ?? 0
        }
    }

    /// Creates the record if there is none, which another process may have removed.
    private func updateRecord(_ update: (inout ConsumerTable.Record) -> Void) throws {
        try consumers.update(named: HistorySeal.consumerName) { known in
            if known == nil {
                known = try ConsumerTable.Record.sealer(at: token(SealTable(connection).newest()))
                known?.fence = fence
            }
            if var record = known {
                update(&record)
                known = record
            }
        }
    }

    /// The position of a seal, or that before the first transaction.
    private func token(_ seal: SealTable.Seal?) -> DefaultHistoryToken {
        DefaultHistoryToken(
            storeIdentifier: store.identifier, position: seal?.last ?? 0, checkValue: seal?.lastCheck)
    }

    private var consumers: ConsumerTable { ConsumerTable(connection, storeIdentifier: store.identifier) }

    /// An editor could have changed the newest seal, and the next one must not confirm this.
    private func requireIntactSeal() throws {
        try connection.deferredRead {
            let newest = try SealTable(connection).newest()
            guard try !EventTable(connection).hasSealed(after: newest?.number ?? 0) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "seals that contain events are missing, which another program deleted; restore a backup")
            }
            guard let newest else { return }
            try SealTable(connection).requireIntact(newest, storeIdentifier: store.identifier, hashing)
        }
    }

    // MARK: Seals

    /// What must not change until a seal is committed.
    private struct State: Equatable {
        let seal: SealTable.Seal?
        /// The newest event. Purges concern no transaction that is not sealed.
        let event: EventTable.State?
    }

    /// Throws ``SwiftDataError/historyConsumerInUse`` if another run has begun.
    private func currentState() throws -> State {
        let record = try consumers.record(named: HistorySeal.consumerName)?.record
        guard record.map({ $0.fence == fence }) ?? true else { throw store.sealerIsInUse }
        return State(seal: try SealTable(connection).newest(), event: try EventTable(connection).state())
    }

    private func commit<Result>(_ step: Step, _ expected: State, _ body: () throws -> Result) throws -> Result {
        try observe(step)
        let result = try connection.immediate {
            guard try currentState() == expected else { throw Changed() }
            return try body()
        }
        store.copyLog(of: connection, isLast: false)
        return result
    }

    /// Reads a part of a batch. What belongs to parts that were read before, such as the source of a transaction, may have been
    /// deleted since, so an error does not mean that the file is damaged.
    private func read<Result>(_ expected: State, _ body: () throws -> Result) throws -> Result {
        try observe(.read)
        return try connection.deferredRead {
            do { return try body() } catch {
                guard try currentState() == expected else { throw Changed() }
                throw error
            }
        }
    }

    /// Adds a seal, if there are transactions or events that none contains. Returns whether there can be more.
    private func sealNext(through newest: Int64) throws -> Bool {
        let state = try connection.deferredRead { try currentState() }
        do {
            try tidy(state)
            var batch = try read(state) { try SealBatch(after: state.seal?.last ?? 0, hashing, connection) }
            var isLast = false
            while batch.entries.count < Self.limits.transactions {
                guard let header = try read(state, { try batch.nextHeader(through: newest) }) else {
                    isLast = true
                    break
                }
                guard batch.entries.isEmpty || batch.rowCount + header.rowCount <= Self.limits.rows else { break }
                try hash(header, &batch, state)
            }
            guard try !batch.entries.isEmpty || hasUnsealedEvents(through: state.seal?.last ?? 0) else { return false }
            try commit(.seal, state) {
                try batch.writeCommitments()
                guard try SealedCatalog(connection).bytes == batch.catalog else { throw Changed() }
                try write(batch, after: state.seal)
            }
            // Events since then wait for the next run: a purge writes one in each step.
            return !isLast
        } catch is Changed {
            return true
        }
    }

    /// Returns `false` if something has changed meanwhile.
    private func addLastSeal() throws -> Bool {
        let state = try connection.deferredRead { try currentState() }
        let isLast = try connection.deferredRead {
            try EventTable(connection).contains(.ended, inSeal: state.seal?.number ?? 0)
        }
        if isLast { return true }
        do {
            let batch = try read(state) { try SealBatch(after: state.seal?.last ?? 0, hashing, connection) }
            try commit(.seal, state) {
                guard try SealedCatalog(connection).bytes == batch.catalog else { throw Changed() }
                try EventTable(connection).add(.ended, NoDetail())
                try write(batch, after: state.seal)
            }
            return true
        } catch is Changed {
            return false
        }
    }

    private func hasUnsealedEvents(through last: Int64) throws -> Bool {
        try connection.deferredRead { try !EventTable(connection).unsealed(through: last).isEmpty }
    }

    /// Deletes the commitments of an interrupted run, which have no meaning.
    private func tidy(_ state: State) throws {
        let end = state.seal?.last ?? 0
        while try connection.deferredRead({ try SealTable(connection).hasCommitments(after: end) }) {
            try commit(.tidy, state) {
                try SealTable(connection).deleteUnsealedCommitments(after: end, limit: Self.limits.page)
            }
        }
    }

    private func hash(_ header: SealedHeader, _ batch: inout SealBatch, _ state: State) throws {
        try read(state) { try batch.begin(header) }
        var hasMore = true
        while hasMore {
            hasMore = try read(state) { try batch.hashPage(of: header) }
            if batch.isFull { try commit(.prepare, state) { try batch.writeCommitments() } }
        }
    }

    private func write(_ batch: SealBatch, after previous: SealTable.Seal?) throws {
        let number = (previous?.number ?? 0) + 1
        let last =
            batch.entries.last.map { ($0.position, $0.checkValue) } ?? (previous?.last ?? 0, previous?.lastCheck ?? 0)
        var content = SealContent(
            store: Array(store.identifier.utf8), number: number, previous: previous?.hash ?? .zero, last: last.0,
            lastCheck: last.1, time: Date().timeIntervalSinceReferenceDate,
            catalog: try SealedCatalog.hash(batch.catalog, hashing))
        for entry in batch.entries { content.append(position: entry.position, hash: entry.hash) }
        content.events = try EventTable(connection).seal(in: number, through: last.0, hashing)
        let isRenamed = content.catalog != previous?.catalogHash
        let hash = try content.hash(hashing)
        let signature = try signer?.signature(
            of: SealContent.signedBytes(store: content.store, number: number, last: content.last, hash: hash))
        try SealTable(connection).insert(
            content, hash: hash, catalog: isRenamed ? batch.catalog : nil, signature: signature)
        let newest = try token(SealTable(connection).newest())
        try updateRecord { record in
            record.place = HistoryConsumerPlace(position: newest)
            record.acknowledged = Date()
        }
    }

    // MARK: The end

    /// Makes all seals durable, and returns the head.
    private func end() throws -> HistorySeal {
        try observe(.end)
        return try store.commitDurably(connection) {
            // Writes a row in any case, because a transaction that writes none makes nothing durable.
            try updateRecord { $0.seen = Date() }
            guard let newest = try SealTable(connection).newest(),
                let seal = HistorySeal(position: newest.last, hash: newest.hash.data)
            else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the newest seal is missing, which another program deleted; restore a backup")
            }
            try sign(newest)
            return seal
        }
    }

    /// Signs a seal of an earlier run or of another process, unless it has a signature by the key.
    private func sign(_ seal: SealTable.Seal) throws {
        let table = SealTable(connection)
        guard let signer, try !table.isSigned(seal.number, by: signer.publicKeyBytes()) else { return }
        try table.requireIntact(seal, storeIdentifier: store.identifier, hashing)
        let bytes = SealContent.signedBytes(
            store: Array(store.identifier.utf8), number: seal.number, last: seal.last, hash: seal.hash)
        try table.setSignature(signer.signature(of: bytes), of: seal.number)
    }
}
