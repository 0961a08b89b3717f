import Chronicle

extension JournalStore: DataStoreNotifying {
    /// Calls a closure after each save of any process.
    ///
    /// The system reports that the file was written before the writer releases its lock. A fetch waits for the lock, so it
    /// returns the saved models.
    ///
    /// - Throws: `SwiftDataError.storeFailure` if the system does not allow another watch.
    public func observeCommits(_ handler: @escaping @Sendable () -> Void) throws -> CommitObservation {
        let watcher = try JournalWatcher(path: withJournal(\.path), handler)
        return CommitObservation { watcher.cancel() }
    }
}
