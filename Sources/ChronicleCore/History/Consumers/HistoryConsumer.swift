import Foundation
import Synchronization

/// A reader of a store's history whose position is part of the store.
///
/// A consumer receives the changes that match its filter in commit order, and acknowledges each batch after processing it. After a
/// restart, or in another process, it continues after the last acknowledged batch.
///
/// ```swift
/// let consumer = try container.historyConsumer(named: "search", startingNewAt: .snapshot)
/// while let batch = try consumer.nextBatch() {
///     switch batch.content {
///     case .changes, .largeTransaction:
///         var reader = batch.changeReader()
///         while let changes = try reader.nextChanges() { try index.apply(changes) }
///     case .reset: try index.removeAll()
///     case .snapshot(let identifiers): try index.addModels(identifiers)
///     }
///     try consumer.acknowledge(batch)
/// }
/// ```
///
/// ## Exactly once and at least once
///
/// Work in the consumer's own store is done exactly once if it commits together with the acknowledgement; use
/// ``ModelContext/save(acknowledging:)``. All other work is done at least once: if the process ends before ``acknowledge(_:)``, the
/// batch is delivered again, with a higher ``HistoryBatch/attempt``.
///
/// If the store is replaced by a backup, its consumers return to their earlier positions, but work outside of the store does not.
/// Keep ``HistoryBatch/token`` together with such work, and move the consumer there with ``seek(to:)`` when the program starts: if
/// the token is not part of the restored history, the consumer receives a reset.
///
/// ## Several instances
///
/// One instance of a consumer can read at a time, in all processes that use the store. ``nextBatch(limit:)`` acquires a lock, which
/// the operating system releases if the process ends in any way. Other instances receive ``SwiftDataError/historyConsumerInUse``
/// meanwhile. If an instance lost its lock without noticing, for example because the file of the locks was deleted, its
/// acknowledgements throw ``SwiftDataError/historyConsumerEvicted``.
///
/// The methods may be called from any thread, one after the other. An instance keeps its store open.
public final class HistoryConsumer<Transaction: HistoryTransaction>: Sendable {
    /// The type of the positions in the history.
    public typealias Token = Transaction.TokenType
    typealias Place = HistoryConsumerPlace<Token>
    typealias Record = HistoryConsumerRecord<Token>

    /// The name of the consumer, which is unique in its store.
    public let name: String
    /// The changes that the consumer receives.
    public let filter: HistoryFilter

    let store: any DataStoreConsuming<Transaction>
    let entities: [Schema.Entity]
    let coordinator: StoreCoordinator
    private let state = Mutex(State())

    struct State: Sendable {
        var lease: Lease?
        /// When the time of the visit, or a position after which nothing matched, was stored last.
        var lastVisit: ContinuousClock.Instant?
        /// How far nothing matches after a stored place, if the store does not have this position yet.
        var skipped: (stored: Place, end: Token?)?
    }

    struct Lease: Sendable {
        let lock: any AnyObject & Sendable
        let fence: Int64
        let progress: HistoryConsumerProgress<Token>
    }

    init(
        name: String, filter: HistoryFilter, store: any DataStoreConsuming<Transaction>, coordinator: StoreCoordinator
    ) {
        self.name = name
        self.filter = filter
        self.store = store
        self.coordinator = coordinator
        entities = store.schema.entities
            .filter { filter.entityNames?.contains($0.name) != false }
            .sorted { $0.name < $1.name }
    }

    // MARK: Reading

    /// Returns the next changes, or `nil` if there are none that match the filter.
    ///
    /// The batch contains whole transactions, from the acknowledged position on. Without an acknowledgement, the next call returns
    /// the same changes again. If reading cannot continue from the position, for example because history was deleted, the batch is
    /// a reset; see ``HistoryBatch/Content``. The position moves past transactions that do not match.
    ///
    /// - Parameter limit: The number of changes, or of models of a snapshot, after which the batch ends. A transaction is never
    ///   divided, so a batch may contain more changes. A much larger one is delivered as a
    ///   ``HistoryBatch/Content/largeTransaction(_:)``.
    /// - Returns: The batch, or `nil` if the consumer has read everything.
    /// - Throws: One of the following errors.
    ///   - ``SwiftDataError/historyConsumerInUse`` if another instance is reading. Try again later.
    ///   - ``SwiftDataError/historyConsumerEvicted`` if the consumer was reset during the call. Call the method again.
    ///   - ``SwiftDataError/historyConsumerNotFound`` if the consumer was removed or renamed. Create it again.
    ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving, because the store keeps the position.
    ///   - ``SwiftDataError/historyDisabled`` if the store does not record its history.
    ///   - ``SwiftDataError/storeBusy`` or ``SwiftDataError/storeFull``. Try again.
    ///   - `CancellationError` if the task was canceled. The next call continues.
    /// - Complexity: O(*n*), where *n* is the number of changes in the batch and before it that do not match.
    public func nextBatch(limit: Int = 1_000) throws -> HistoryBatch<Transaction>? {
        try attributing {
            try DeferredCallbacks.deferring {
                let batch = try state.withLock { state in
                    let lease = try acquire(&state)
                    return try nextBatch(limit: max(limit, 1), lease, &state)
                }
                if case .reset(let reason)? = batch?.content { logReset(reason) }
                return batch
            }
        }
    }

    /// Releases the lock of the consumer, so that another instance can read. So does the end of its last reference.
    ///
    /// Batches that were delivered can still be acknowledged until another instance reads.
    public func release() {
        // Before another thread can use this instance, which would find its own lock otherwise.
        state.withLock { $0.lease = nil }
    }

    /// Raises the fence with a new lease.
    private func acquire(_ state: inout State) throws -> Lease {
        // Read before the record, because another thread may acknowledge a batch meanwhile.
        let knownPlace = state.lease?.progress.place
        guard let record = try store.consumerRecord(named: name) else {
            state.lease = nil
            throw SwiftDataError.consumerNotFound(name)
        }
        let knownFence = state.lease?.fence ?? 0
        let isReverted = knownPlace.map { Self.isReverted(record, fence: knownFence, $0) } ?? false
        if let lease = state.lease, lease.fence == record.fence, !isReverted { return lease }
        // Another instance may have the lock by now, if the file of the locks was replaced.
        state.lease = nil
        guard let lock = try store.lockConsumer(named: name) else {
            throw SwiftDataError.historyConsumerInUse.with(
                detail: "another instance of the consumer \"\(name)\" is reading; try again when it has ended")
        }
        let acquired = try store.updateConsumer(named: name, isDurable: true) { record in
            guard var current = record else { throw SwiftDataError.consumerNotFound(name) }
            current.fence = max(current.fence, knownFence) + 1
            current.seen = Date()
            if isReverted { current.move(to: Place(position: current.place.position, rebuild: .requested(.forked))) }
            record = current
            return Lease(
                lock: lock, fence: current.fence, progress: HistoryConsumerProgress(current.place))
        }
        (state.lease, state.skipped) = (acquired, nil)
        return acquired
    }

    private static func isReverted(_ record: Record, fence: Int64, _ place: Place) -> Bool {
        // A fence that is far away is that of a consumer that was removed and created again.
        if record.fence != fence { return (1..<1 << 32).contains(fence &- record.fence) }
        return record.place.isBefore(place)
    }

    // MARK: Acknowledging

    /// Moves the position past a batch, after its work was done outside of the store.
    ///
    /// If the process ends before this call, the batch is delivered again. For work in the consumer's own store, use
    /// ``ModelContext/save(acknowledging:)``, which does it exactly once.
    ///
    /// - Parameter batch: The batch that ``nextBatch(limit:)`` returned last, or a prefix of it.
    /// - Throws: One of the following errors; the position has not moved.
    ///   - ``SwiftDataError/invalidHistoryAcknowledgement`` if the batch was acknowledged before, or belongs to another consumer or
    ///     store. Request the next batch.
    ///   - ``SwiftDataError/historyConsumerEvicted`` if another instance took over, or if the consumer was reset. Request the next
    ///     batch.
    ///   - ``SwiftDataError/historyConsumerNotFound`` if the consumer was removed or renamed.
    ///   - ``SwiftDataError/storeBusy`` or ``SwiftDataError/storeFull``. Acknowledge the batch again.
    public func acknowledge(_ batch: HistoryBatch<Transaction>) throws {
        try apply(batch.acknowledgement, batch)
    }

    /// Sets a batch aside that cannot be processed, and moves the position past it.
    ///
    /// The store keeps the positions before and after the batch, the reason, and the number of attempts of the 100 most recent
    /// ones. Read them with ``ModelContainer/historyConsumers(of:)``.
    ///
    /// ```swift
    /// do { try process(batch) } catch where batch.attempt >= 5 {
    ///     try consumer.skip(batch, reason: "\(error)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - batch: The batch that ``nextBatch(limit:)`` returned last, or a prefix of it.
    ///   - reason: Why the batch cannot be processed.
    /// - Throws: The errors of ``acknowledge(_:)``, such as ``SwiftDataError/historyConsumerEvicted``.
    public func skip(_ batch: HistoryBatch<Transaction>, reason: String) throws {
        try apply(batch.acknowledgement.skipping(reason), batch)
    }

    private func apply(_ acknowledgement: HistoryAcknowledgement, _ batch: HistoryBatch<Transaction>) throws {
        try attributing {
            guard batch.consumerName.hasSameBytes(as: name), acknowledgement.storeIdentifier == store.identifier else {
                throw SwiftDataError.invalidHistoryAcknowledgement.with(
                    detail: "the batch belongs to the consumer \"\(batch.consumerName)\" of another name or store")
            }
            try store.acknowledge(acknowledgement)
            batch.didAcknowledge()
        }
    }

    // MARK: Moving

    /// Moves the consumer to another position, forward or backward. Batches that were delivered before can no longer be
    /// acknowledged.
    ///
    /// - Parameter start: Where the consumer continues to read.
    /// - Throws: ``SwiftDataError/historyConsumerInUse`` if another instance is reading; try again later.
    ///   ``SwiftDataError/historyConsumerNotFound`` if the consumer was removed or renamed; create it again.
    ///   ``SwiftDataError/storeBusy`` or another error of the store.
    public func seek(to start: HistoryStart<Token>) throws {
        try attributing {
            try DeferredCallbacks.deferring {
                try state.withLock { state in
                    _ = try acquire(&state)
                    try store.moveConsumer(named: name, to: start)
                    state.lease = nil
                }
            }
        }
    }

    private func attributing<Result>(_ body: () throws -> Result) throws -> Result {
        try attributingErrors(to: store, body)
    }
}
