/// What happened to the files of a store.
struct FileEvents: OptionSet {
    let rawValue: Int

    /// A writer raised an event after a commit.
    static let raised = FileEvents(rawValue: 1)
    /// The file or its log was written. The commit may not be visible yet.
    static let written = FileEvents(rawValue: 2)
    /// A file was created, replaced or deleted.
    static let replaced = FileEvents(rawValue: 4)
    /// Something else happened in the directory.
    static let unrelated = FileEvents(rawValue: 8)
    /// The source was cancelled.
    static let cancelled = FileEvents(rawValue: 16)
}

/// A source of events of a store's files, for one thread that waits.
protocol FileEventSource: AnyObject, Sendable {
    /// Waits for events.
    ///
    /// - Parameter deadline: When to return if nothing happens, to the millisecond.
    /// - Returns: The events since the last wait, or an empty set at the deadline.
    func wait(until deadline: ContinuousClock.Instant) -> FileEvents

    /// Watches the files that exist: those that were created or replaced, and all after ``detach()``.
    ///
    /// - Throws: ``WatchError`` if the system does not allow it.
    func attach() throws

    /// Stops watching what every commit changes, until ``attach()`` is called.
    func detach()

    /// Ends the current wait and all later ones. May be called by any thread.
    func cancel()
}

/// The reason why files cannot be watched.
struct WatchError: Error {
    /// The value of `errno`.
    let code: Int32
}
