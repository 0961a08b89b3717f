import Foundation
import Synchronization

/// The purges that a store starts in the background, so that its history stays within the limits of its configuration.
///
/// Keep an instance in the store, and call ``start(_:)`` after each save:
///
/// ```swift
/// private let automaticPurge = AutomaticHistoryPurge()
///
/// func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
///     defer { automaticPurge.start(self) }
/// ```
public final class AutomaticHistoryPurge: Sendable {
    private struct State {
        /// When the next purge may start; `nil` before the first one.
        var next: ContinuousClock.Instant?
        var isRunning = false
        var outcome: Result<HistoryPurgeResult, any Error>?
        var abandoned: Set<String> = []

        mutating func start(_ interval: Duration) -> Bool {
            let now = ContinuousClock.now
            guard !isRunning, next.map({ $0 <= now }) ?? true else { return false }
            isRunning = true
            next = now + interval
            return true
        }

        mutating func newlyAbandoned(_ names: [String]) -> [String] {
            defer { abandoned = Set(names) }
            return names.filter { !abandoned.contains($0) }
        }
    }

    private let state = Mutex(State())

    /// Creates the state of a store that was just opened, whose first purge may start at once.
    public init() {}

    /// The result of the last purge that ended, or `nil` if none has ended yet. A purge that fails is repeated after
    /// ``HistoryRetention/purgeInterval``.
    public var outcome: Result<HistoryPurgeResult, any Error>? { state.withLock(\.outcome) }

    /// Starts a purge of a store in the background if its configuration has a limit and the last purge was long enough ago.
    ///
    /// The purge is a task with the priority *utility*, which pauses between its steps and does not keep the store open: the next
    /// purge deletes what remains. Its result or error is the ``outcome``, and is passed to the logger of the configuration.
    ///
    /// - Parameter store: The store.
    public func start<Store: HistoryRetaining>(_ store: Store) {
        let retention = store.historyRetention
        guard retention.hasLimit, let interval = retention.purgeInterval, state.withLock({ $0.start(interval) }) else {
            return
        }
        Task.detached(priority: .utility) { [weak store] in
            guard let planned = self.plan(store) else { return }
            var result = HistoryPurgeResult(planned.storeIdentifier, planned.plan)
            var failure: (any Error)?
            do {
                try await HistoryPurgeStep.run { [weak store] in
                    guard let store else { return nil }
                    let step = try store.purgeHistory(planned.plan)
                    result.add(step)
                    return step
                }
            } catch { failure = error }
            store?.logEvictions(result)
            store?.logAbandoned(self.state.withLock { $0.newlyAbandoned(result.abandoned) })
            self.end(failure.map { .failure($0) } ?? .success(result), store)
        }
    }

    private func plan<Store: HistoryRetaining>(
        _ store: Store?
    ) -> (storeIdentifier: String, plan: HistoryPurgePlan<Store.HistoryType.TokenType>)? {
        guard let store else { return nil }
        do {
            try store.requireValueRetention(store.historyRetention)
            return (store.identifier, try store.planHistoryPurge(store.historyRetention, at: .now))
        } catch {
            end(.failure(error), store)
            return nil
        }
    }

    private func end(_ outcome: Result<HistoryPurgeResult, any Error>, _ store: (some HistoryRetaining)?) {
        // Logged first, so that the messages are complete when the outcome is visible.
        switch outcome {
        case .success(let result):
            store?.log(
                .debug, event: "purged",
                "deleted \(result.changes) changes in \(result.transactions) transactions from the history, erased "
                    + "\(result.values) preserved values, and returned \(result.returnedBytes) bytes to the file system",
                metadata: [
                    "transactions": String(result.transactions), "changes": String(result.changes),
                    "values": String(result.values), "returnedBytes": String(result.returnedBytes),
                ])
        case .failure(let error):
            store?.log(
                .notice, event: "purgeFailed",
                "the history could not be purged in the background, which is repeated later: \(error)",
                metadata: ["error": String(describing: error)])
        }
        state.withLock { state in
            state.isRunning = false
            state.outcome = outcome
        }
    }
}
