/// Merges the transactions of other authors into contexts, and deletes the history that all consumers have processed.
///
/// The parameters have the names of those of PersistentHistoryTrackingKit. <doc:MigratingFromATrackingKit> lists those that are not
/// needed.
///
/// ```swift
/// let kit = try HistoryTrackingKit(
///     container: container, currentAuthor: "app", allAuthors: ["app", "widget"], contexts: [context],
///     cleanStrategy: .byNotification(times: 10))
/// ```
///
/// The position is that of the consumer with the name of ``currentAuthor``, which is part of the store. Create the kits of
/// all programs before the first one cleans: the store keeps the history only for consumers that exist. Merging keeps unsaved
/// changes, as ``ModelContext/merge(_:)-(Sequence)`` describes. For a context of a ``ModelActor``, iterate over
/// ``HistoryConsumer/batches(limit:)`` in a method of that actor instead.
@MainActor
public final class HistoryTrackingKit {
    /// When the kit deletes history.
    public enum CleanStrategy: Hashable, Sendable {
        /// Only when ``HistoryTrackingKit/clean()`` is called.
        case none
        /// After a merge, at most once in this time.
        case byDuration(seconds: Double)
        /// After each merge whose number is a multiple of this one.
        case byNotification(times: Int)
    }

    /// The author of the program, whose transactions are not merged, and the name of the consumer.
    public let currentAuthor: String
    /// The task that merges. Its value throws the error that ended it, such as ``SwiftDataError/storeBusy``; `nil` before ``start()``
    /// and after ``stop()``. To continue after an error, call ``stop()`` and ``start()``.
    public private(set) var task: Task<Void, any Error>?

    private let container: ModelContainer
    private let consumer: HistoryConsumer<DefaultHistoryTransaction>
    private let contexts: [ModelContext]
    private let retention: HistoryRetention
    private let cleanStrategy: CleanStrategy
    private let logger: (any StoreLogger)?
    private let logLevel: StoreLogLevel
    private var mergeCount = 0
    private var lastClean = ContinuousClock.now

    /// Creates a kit, and the consumer if the store does not have it, which begins with the next transaction.
    ///
    /// - Parameters:
    ///   - container: The container of the models.
    ///   - currentAuthor: The author of the program, which is the name of the consumer. Processes with the same author need kits with
    ///     different names: one kit with a name reads at a time.
    ///   - allAuthors: The authors whose transactions are merged, except the current one. Include the author of a system that
    ///     synchronizes the store to merge its transactions.
    ///   - contexts: The contexts of the main actor to merge into. ``ModelContainer/mainContext`` merges automatically.
    ///   - maximumDuration: For how long the history is kept for a consumer that no program uses; see
    ///     ``HistoryRetention/maximumSilence``.
    ///   - cleanStrategy: When to delete the history that all consumers have processed.
    ///   - logger: The receiver of messages, or `nil` for none.
    ///   - logLevel: The lowest level of the messages; see ``StoreLogger``.
    ///   - autoStart: Whether to begin immediately; otherwise, call ``start()``.
    /// - Throws: The errors of ``ModelContainer/historyConsumer(named:of:filter:startingNewAt:storeName:)``, for example if several
    ///   stores of the container have a history: use a consumer for each.
    public init(
        container: ModelContainer, currentAuthor: String, allAuthors: Set<String>, contexts: [ModelContext] = [],
        maximumDuration: Duration = .seconds(7 * 86_400), cleanStrategy: CleanStrategy = .none,
        logger: (any StoreLogger)? = nil, logLevel: StoreLogLevel = .notice, autoStart: Bool = true
    ) throws {
        let others = HistoryFilter(authors: .only(allAuthors.subtracting([currentAuthor])))
        consumer = try container.historyConsumer(named: currentAuthor, filter: others, startingNewAt: .now)
        (self.container, self.currentAuthor, self.contexts) = (container, currentAuthor, contexts)
        retention = HistoryRetention(maximumAge: .zero, maximumSilence: maximumDuration)
        (self.cleanStrategy, self.logger, self.logLevel) = (cleanStrategy, logger, logLevel)
        if autoStart { start() }
    }

    deinit { task?.cancel() }

    /// Begins to merge, unless the kit has begun already.
    public func start() {
        guard task == nil else { return }
        task = Task { [weak self, consumer] in
            do {
                for try await batch in consumer.batches() { try await self?.process(batch) }
            } catch {
                if !(error is CancellationError) { self?.logFailure(error) }
                throw error
            }
        }
    }

    /// Ends merging. The history from then on is kept for the consumer, and merged after the next ``start()``.
    public func stop() async {
        let stopped = task
        stopped?.cancel()
        _ = await stopped?.result
        // Another call may have stopped the task, and the program may have started the next one.
        guard task == stopped else { return }
        task = nil
        consumer.release()
    }

    /// Deletes the history that all consumers of the container have processed.
    ///
    /// - Throws: The errors of ``ModelContainer/purgeHistory(_:progress:)``.
    public func clean() async throws {
        lastClean = .now
        _ = try await container.purgeHistory(retention)
    }

    private func process(_ batch: HistoryBatch<DefaultHistoryTransaction>) async throws {
        var count = 0
        for (index, context) in contexts.enumerated() {
            if case .reset = batch.content { try context.refreshAllModels() }
            var reader = batch.changeReader()
            while let changes = try reader.nextChanges() {
                try context.merge(changes)
                if index == 0 { count += changes.count }
            }
        }
        try consumer.acknowledge(batch)
        let transactions: [DefaultHistoryTransaction]
        switch batch.content {
        case .changes(let merged): transactions = merged
        case .largeTransaction(let transaction): transactions = [transaction]
        case .reset, .snapshot: return
        }
        if logLevel <= .debug, !contexts.isEmpty {
            let authors = Set(transactions.compactMap(\.author)).sorted().joined(separator: ", ")
            log(
                .debug, "historyMerged", "merged \(transactions.count) transactions of \(authors)",
                ["authors": authors, "transactions": "\(transactions.count)", "changes": "\(count)"])
        }
        mergeCount += 1
        guard isCleanDue else { return }
        do { try await clean() } catch let error as SwiftDataError where error == .storeBusy {
            log(
                .notice, "purgeFailed", "the store is busy; cleaning is repeated when it is due",
                ["error": "\(error)"])
        }
    }

    private var isCleanDue: Bool {
        switch cleanStrategy {
        case .none: false
        case .byDuration(let seconds): lastClean.duration(to: .now) / .seconds(1) >= seconds
        case .byNotification(let times): times > 0 && mergeCount.isMultiple(of: times)
        }
    }

    private func logFailure(_ error: any Error) {
        log(.notice, "historyTrackingFailed", "merging ended with an error", ["error": "\(error)"])
    }

    private func log(_ level: StoreLogLevel, _ event: String, _ message: String, _ metadata: [String: String]) {
        guard let logger, level >= logLevel else { return }
        logger.log(
            level: level, message: message,
            metadata: metadata.merging(["event": event, "consumer": currentAuthor]) { $1 })
    }
}
