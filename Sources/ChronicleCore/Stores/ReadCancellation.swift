/// Whether a read of a store should end early, because the task that runs it was cancelled.
///
/// A store looks at ``isCancelled`` while it reads for long, and throws `CancellationError`. It is `false` while a context
/// saves, or deletes a batch or history: these complete, or fail for another reason.
public enum ReadCancellation {
    @TaskLocal private static var isSuspended = false

    /// Whether the current task was cancelled and has no save to complete. `false` outside of tasks.
    public static var isCancelled: Bool { Task.isCancelled && !isSuspended }

    /// Runs what is a part of a save.
    static func suspended<Result>(_ body: () throws -> Result) rethrows -> Result {
        // Without a task there is nothing to cancel.
        guard withUnsafeCurrentTask(body: { $0 != nil }) else { return try body() }
        return try $isSuspended.withValue(true, operation: body)
    }
}
