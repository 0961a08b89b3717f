import Synchronization

/// The observation of a store's commits, which ends when it is cancelled or released.
public final class CommitObservation: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates an observation.
    ///
    /// - Parameter onCancel: A closure that ends the observation. It is called once.
    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit { cancel() }

    /// Ends the observation. Further calls have no effect.
    ///
    /// Commits after the method has returned are not reported. A call for an earlier commit may still be running.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
