public import ChronicleCore
import Foundation
import Synchronization

/// The automatic purges of a store.
struct AutomaticPurge {
    /// When the next purge may start; `nil` before the first one.
    private var next: ContinuousClock.Instant?
    private var isRunning = false
    /// The result of the last purge that ended.
    private(set) var outcome: Result<HistoryPurgeResult, any Error>?

    /// Returns whether a purge should start now.
    mutating func start(_ interval: Duration) -> Bool {
        let now = ContinuousClock.now
        guard !isRunning, next.map({ $0 <= now }) ?? true else { return false }
        isRunning = true
        next = now + interval
        return true
    }

    mutating func end(_ outcome: Result<HistoryPurgeResult, any Error>) {
        isRunning = false
        self.outcome = outcome
    }
}

extension DefaultStore {
    /// The result of the last automatic purge of the history, or `nil` if none has ended yet.
    ///
    /// An automatic purge that fails, for example because the file stays locked, is repeated after
    /// ``HistoryRetention/purgeInterval``. Its error is not thrown by any method, but reported to the
    /// ``ModelConfiguration/logger``.
    public var automaticPurgeOutcome: Result<HistoryPurgeResult, any Error>? {
        automaticPurge.withLock(\.outcome)
    }

    /// Starts a purge in the background if the configuration has a limit and the last purge was long enough ago.
    @inline(__always)
    func startAutomaticPurge() {
        guard configuration.historyRetention.hasLimit, configuration.recordsHistory else { return }
        startPurgeIfDue()
    }

    private func startPurgeIfDue() {
        guard let interval = configuration.historyRetention.purgeInterval,
            automaticPurge.withLock({ $0.start(interval) })
        else { return }
        // The task does not keep the store open during pauses: what remains is deleted by the next purge.
        Task.detached(priority: .utility) { [weak self] in
            guard let plan = self?.automaticPlan() else { return }
            var result = HistoryPurgeResult(plan.storeIdentifier, plan.plan)
            do {
                try await HistoryPurgeStep.run { [weak self] in
                    guard let self else { return nil }
                    let step = try self.purgeHistory(plan.plan)
                    result.add(step)
                    return step
                }
                self?.logEvictions(result)
                self?.endPurge(.success(result))
            } catch {
                self?.logEvictions(result)
                self?.endPurge(.failure(error))
            }
        }
    }

    private func automaticPlan() -> (storeIdentifier: String, plan: HistoryPurgePlan<DefaultHistoryToken>)? {
        do { return (identifier, try planHistoryPurge(historyRetention, at: .now)) } catch {
            endPurge(.failure(error))
            return nil
        }
    }

    private func endPurge(_ outcome: Result<HistoryPurgeResult, any Error>) {
        // Logged first, so that the messages are complete when the outcome is visible.
        switch outcome {
        case .success(let result):
            log(
                .debug, event: "purged",
                "deleted \(result.changes) changes in \(result.transactions) transactions from the history, and returned "
                    + "\(result.returnedBytes) bytes to the file system",
                metadata: [
                    "transactions": String(result.transactions), "changes": String(result.changes),
                    "returnedBytes": String(result.returnedBytes),
                ])
        case .failure(let error):
            log(
                .notice, event: "purgeFailed",
                "the history could not be purged in the background, which is repeated later: \(error)",
                metadata: ["error": String(describing: error)])
        }
        automaticPurge.withLock { $0.end(outcome) }
    }
}
