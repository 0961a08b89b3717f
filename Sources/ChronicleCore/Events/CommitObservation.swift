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

    /// Ends the observation. Commits after the method has returned are not reported; a call for an earlier one may still be
    /// running.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
