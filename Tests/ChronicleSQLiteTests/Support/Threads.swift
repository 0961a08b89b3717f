import Foundation
import Synchronization

/// Runs `body` on `count` threads of their own at the same time, waits for all, and throws the first error there was.
///
/// Not tasks: these would share a few threads, and what waits for a lock must not keep the one it waits for from running.
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

/// A place where `count` threads meet: none goes on before all are there.
final class Barrier: Sendable {
    private let missing: Mutex<Int>
    private let count: Int
    private let gate = DispatchSemaphore(value: 0)

    init(count: Int) {
        self.count = count
        missing = Mutex(count)
    }

    /// - Returns: false when the others did not come: then they cannot, and the test has its answer.
    func meet() -> Bool {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { for _ in 0..<count { gate.signal() } }
        return gate.wait(timeout: .now() + 20) == .success
    }
}
