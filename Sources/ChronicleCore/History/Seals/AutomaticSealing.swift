import Foundation
import Synchronization

/// The runs of the sealer that a store starts in the background after its commits.
package final class AutomaticSealing: Sendable {
    private struct State {
        var isRunning = false
        /// Whether anything was committed since the last run began.
        var isDue = false
        /// When the next run may begin; `nil` before the first one.
        var next: ContinuousClock.Instant?
        var outcome: Result<HistorySeal, any Error>?
    }

    private let state = Mutex(State())

    package init() {}

    /// The result of the last run.
    package var outcome: Result<HistorySeal, any Error>? { state.withLock(\.outcome) }

    /// Seals what is committed as soon as the schedule allows it.
    package func start(_ store: some HistorySealing, _ schedule: HistorySealingSchedule) {
        let isRunning = state.withLock { state in
            defer { state.isRunning = true }
            state.isDue = true
            return state.isRunning
        }
        guard !isRunning else { return }
        Task.detached(priority: .utility) { [weak store] in
            while true {
                guard let delay = store.map({ self.delay($0, schedule) }) else { return }
                if delay > .zero {
                    // The seal is due then, unless another process seals meanwhile. No event tells it. Nothing cancels the task.
                    try? await Task.sleep(for: delay)
                } else {
                    guard let store, self.seal(store, schedule) else { return }
                }
            }
        }
    }

    private func delay(_ store: some HistorySealing, _ schedule: HistorySealingSchedule) -> Duration {
        // The run reports the error.
        let newest = try? store.newestSealTime()
        // A store can contain any time, also one in the future, which tells nothing. 30 years are a valid duration.
        let seconds = newest.map { -$0.timeIntervalSinceNow } ?? -1
        let age = seconds >= 0 ? Duration.seconds(min(seconds, 1e9)) : schedule.interval
        let next = state.withLock(\.next).map { ContinuousClock.now.duration(to: $0) } ?? .zero
        return max(.zero, schedule.interval - age, next)
    }

    /// Returns whether anything was committed since.
    private func seal(_ store: some HistorySealing, _ schedule: HistorySealingSchedule) -> Bool {
        state.withLock { $0.isDue = false }
        let outcome = Result { try store.sealHistory(schedule.hashing, signedBy: schedule.signer) }
        var isOther = false
        switch outcome {
        case .success(let head):
            store.log(
                .debug, event: "sealed", "sealed the history up to \(head.position)",
                metadata: ["position": String(head.position)])
        case .failure(SwiftDataError.historyConsumerInUse):
            // Another process seals, but may have begun before the last commit of this one.
            isOther = true
        case .failure(let error):
            store.log(
                .notice, event: "sealingFailed",
                "the history could not be sealed in the background, which is repeated after a later commit: \(error)",
                metadata: ["error": String(describing: error)])
        }
        return state.withLock { state in
            state.isDue = state.isDue || isOther
            state.isRunning = state.isDue
            state.next = .now + schedule.interval
            state.outcome = outcome
            return state.isDue
        }
    }
}

extension HistorySealing {
    /// Seals what a deletion removes, if there is a schedule.
    package func sealBeforeDeletion(_ schedule: HistorySealingSchedule?) throws {
        guard let schedule else { return }
        do {
            _ = try sealHistory(schedule.hashing, signedBy: schedule.signer)
        } catch SwiftDataError.historyConsumerInUse {
            // What that process has not sealed yet becomes an unproven range.
        }
    }
}
