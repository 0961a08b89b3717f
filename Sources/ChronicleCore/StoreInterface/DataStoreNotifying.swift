/// A store that reports commits.
///
/// Adopt this protocol if something other than a context of the container can change the store: another store object at the same
/// location, another process, or another program. Without it, the listeners of a container, such as a ``HistoryObserver``, learn of
/// the saves of the container's own contexts only. The container observes a store while it has at least one listener.
public protocol DataStoreNotifying: DataStore {
    /// Calls a closure after each commit until the observation is cancelled.
    ///
    /// A call means that something may have been committed since the previous call. The store must meet these requirements:
    ///
    /// - After every commit that completes after this method has returned, including commits of this store object, call the handler
    ///   at least once, when the commit is visible to a fetch. One call may report any number of commits, and a call without a
    ///   commit is allowed.
    /// - Do not call the handler while it holds a lock that a fetch needs.
    /// - After a cancellation has returned, report no later commit. A call for an earlier one may still be running.
    ///
    /// - Parameter handler: The closure to call, on any thread. It returns quickly.
    /// - Returns: The observation. Releasing it cancels it.
    /// - Throws: The error that prevents the store from observing commits, such as ``SwiftDataError/storeFailure``, for the
    ///   listener that needs the observation. If there is a slower way to observe commits, use it instead.
    func observeCommits(_ handler: @escaping @Sendable () -> Void) throws -> CommitObservation
}
