/// The commits of a container's stores, by any writer, as an asynchronous sequence.
///
/// An element means that something may have been committed since the previous one. Elements that no task waits for are merged into
/// one. To miss nothing, subscribe, read, and then wait:
///
/// ```swift
/// let events = try container.commitEvents()   // Every commit from here on is an event.
/// repeat {
///     // Read what was committed, for example after a token.
/// } while await events.next() != nil
/// ```
///
/// The subscription begins when the sequence is created, and ends when it is cancelled or released or when the waiting task is
/// cancelled. One task at a time may wait.
final class CommitEvents: AsyncSequence, Sendable {
    /// The signal that each commit raises, for a task that waits without retaining the stores. It ends with the
    /// subscription.
    let signal = CommitSignal()
    private let coordinator: StoreCoordinator

    init(_ coordinator: StoreCoordinator) throws {
        self.coordinator = coordinator
        try coordinator.commits.add(signal)
    }

    deinit { cancel() }

    /// Returns `nil` if the subscription has ended.
    func next() async -> Void? { await signal.wait() ? () : nil }

    /// Ends the subscription. A task that waits receives `nil`.
    func cancel() {
        signal.end()
        coordinator.commits.remove(signal)
    }

    var isCancelled: Bool { signal.isEnded }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let events: CommitEvents

        mutating func next() async -> Void? { await events.next() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(events: self) }
}

extension ModelContainer {
    func commitEvents() throws -> CommitEvents { try CommitEvents(coordinator) }
}
