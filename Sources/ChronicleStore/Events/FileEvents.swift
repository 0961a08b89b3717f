struct FileEvents: OptionSet {
    let rawValue: Int

    static let raised = FileEvents(rawValue: 1)
    /// The file or its log was written; the commit may not be visible yet.
    static let written = FileEvents(rawValue: 2)
    static let replaced = FileEvents(rawValue: 4)
    static let unrelated = FileEvents(rawValue: 8)
    static let cancelled = FileEvents(rawValue: 16)
}

/// A source of events of a store's files, for one thread that waits.
protocol FileEventSource: AnyObject, Sendable {
    /// Returns the events since the last wait, or an empty set at the deadline, which has a precision of milliseconds.
    func wait(until deadline: ContinuousClock.Instant) -> FileEvents

    /// Watches the files that exist: those that were created or replaced, and all after ``detach()``.
    func attach() throws

    /// Stops watching what every commit changes, until ``attach()`` is called.
    func detach()

    /// Ends the current wait and all later ones, from any thread.
    func cancel()
}

/// The reason why files cannot be watched.
struct WatchError: Error {
    let code: Int32
}
