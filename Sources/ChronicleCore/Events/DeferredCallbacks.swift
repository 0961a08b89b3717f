import Synchronization

/// Runs code of the program after the operation that caused it, in a store that calls handlers of
/// ``DataStoreNotifying/observeCommits(_:)``.
///
/// Such code may use the same stores, contexts and consumers, from any thread. It therefore must not run while an operation holds a
/// lock or has changed only a part of its state. Such an operation defers callbacks:
///
/// ```swift
/// try DeferredCallbacks.deferring { try state.withLock { … } }
/// ```
public enum DeferredCallbacks {
    private final class Waiting: Sendable {
        /// `nil` after the end of the operation, of which a task that it created may still have a reference.
        private let callbacks = Mutex<[@Sendable () -> Void]?>([])

        var isEnded: Bool { callbacks.withLock { $0 == nil } }

        func add(_ callback: @escaping @Sendable () -> Void) -> Bool {
            callbacks.withLock { callbacks in
                guard callbacks != nil else { return false }
                callbacks?.append(callback)
                return true
            }
        }

        func end() -> [@Sendable () -> Void] {
            callbacks.withLock { callbacks in
                defer { callbacks = nil }
                return callbacks ?? []
            }
        }
    }

    @TaskLocal private static var waiting: Waiting?

    /// Runs an operation, and then the callbacks that it caused, also if it throws an error.
    ///
    /// Callbacks of a nested operation run after the outermost one. Contexts and consumers defer the callbacks of their
    /// operations, so a store needs this method only for calls that do not come from them.
    ///
    /// - Parameter operation: The operation, which may hold locks.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public static func deferring<Result>(_ operation: () throws -> Result) rethrows -> Result {
        if let waiting, !waiting.isEnded { return try operation() }
        let waiting = Waiting()
        defer { for callback in waiting.end() { callback() } }
        return try $waiting.withValue(waiting, operation: operation)
    }

    /// Runs a callback: after the current operation that defers callbacks, or immediately if there is none.
    ///
    /// - Parameter callback: The code of the program. Call this method without holding a lock that the code may need.
    public static func run(_ callback: @escaping @Sendable () -> Void) {
        if let waiting, waiting.add(callback) { return }
        callback()
    }
}
