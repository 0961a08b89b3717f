import Foundation
import Synchronization

/// Runs `body` on `count` separate threads at the same time, waits for all of them, and throws the first error.
///
/// Tasks would share a few threads, so that a task waiting for a lock could block the one that holds it.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let errors = FirstError()
    let running = DispatchGroup()
    for index in 0..<count {
        running.enter()
        Thread.detachNewThread {
            do {
                try body(index)
            } catch {
                errors.note(error)
            }
            running.leave()
        }
    }
    running.wait()
    try errors.rethrow()
}

private final class FirstError: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func note(_ new: any Error) { error.withLock { $0 = $0 ?? new } }

    func rethrow() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}

/// A barrier: `count` threads wait until all of them have arrived.
final class Barrier: Sendable {
    private let missing: Mutex<Int>
    private let count: Int
    private let gate = DispatchSemaphore(value: 0)

    init(count: Int) {
        self.count = count
        missing = Mutex(count)
    }

    /// - Returns: `false` if the others did not arrive in time.
    func meet() -> Bool {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { for _ in 0..<count { gate.signal() } }
        return gate.wait(timeout: .now() + 20) == .success
    }
}
