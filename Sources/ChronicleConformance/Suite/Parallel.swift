import Dispatch
import Foundation
import Synchronization

/// Runs code on several threads at the same time.
enum Parallel {
    /// Runs `body` on `count` new threads at the same time, waits for all of them and throws the first error.
    ///
    /// The threads are dedicated, because a thread pool without idle threads would run the bodies one after the other.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - body: The code to run, which receives the index of its thread.
    /// - Throws: The first error that `body` throws.
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
