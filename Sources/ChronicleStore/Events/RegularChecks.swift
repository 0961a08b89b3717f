import Dispatch
import Synchronization

/// A source without events, for a watcher that only checks regularly.
final class RegularChecks: FileEventSource {
    private let isCancelled = Atomic(false)
    private let cancellation = DispatchSemaphore(value: 0)

    func wait(until deadline: ContinuousClock.Instant) -> FileEvents {
        if isCancelled.load(ordering: .acquiring) { return .cancelled }
        let nanoseconds = (deadline - .now) / .nanoseconds(1)
        let result = cancellation.wait(timeout: .now() + .nanoseconds(Int(max(nanoseconds, 0))))
        return result == .success ? .cancelled : []
    }

    func attach() {}

    func detach() {}

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        cancellation.signal()
    }
}
