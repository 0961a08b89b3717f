/// The cancellation state of the task that reads from a store.
///
/// A store checks ``isCancelled`` during long reads and throws `CancellationError` if it is `true`. Saves, and deletes of a batch
/// or of history, must not be interrupted.
public enum ReadCancellation {
    @TaskLocal private static var isSuspended = false

    /// Whether the current task is cancelled and a read should stop. Always `false` during a save and outside of tasks.
    public static var isCancelled: Bool { Task.isCancelled && !isSuspended }

    /// Runs a part of a save. Handlers of commits and loggers are called afterwards, because they may use the context that saves.
    static func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        // Outside of a task there is no cancellation to suspend.
        let isInTask = withUnsafeCurrentTask { task in
            // A comparison with `nil` would copy the task.
            switch task {
            case .some: true
            case .none: false
            }
        }
        return try DeferredCallbacks.deferring {
            isInTask ? try $isSuspended.withValue(true, operation: body) : try body()
        }
    }
}
