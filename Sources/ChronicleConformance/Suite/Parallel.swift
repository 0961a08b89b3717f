import Dispatch
import Foundation
import Synchronization

/// Runs code on several threads at once.
enum Parallel {
    /// Runs `body` on `count` new threads at the same time and throws the first error.
    ///
    /// Uses dedicated threads because a thread pool without idle threads would run the bodies one after the other.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = FirstFailure()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(index) } catch { failure.note(error) }
                group.leave()
            }
        }
        group.wait()
        if let error = failure.error { throw error }
    }
}

private final class FirstFailure: Sendable {
    private let state = Mutex<(any Error)?>(nil)

    var error: (any Error)? { state.withLock { $0 } }

    func note(_ error: any Error) {
        state.withLock { $0 = $0 ?? error }
    }
}
