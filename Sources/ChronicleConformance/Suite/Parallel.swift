import Dispatch
import Foundation
import Synchronization

enum Parallel {
    /// Runs `body` with the index of each new thread, waits for all of them and throws the first error. A thread pool
    /// without idle threads would run the bodies one after the other.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let failure = FirstFailure()
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                do { try body(index) } catch { failure.record(error) }
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

    func record(_ error: any Error) {
        state.withLock { $0 = $0 ?? error }
    }
}
