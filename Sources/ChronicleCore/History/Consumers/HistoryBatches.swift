/// The batches of a ``HistoryConsumer`` as an asynchronous sequence; see ``HistoryConsumer/batches(limit:)``.
public struct HistoryBatches<Transaction: HistoryTransaction>: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = HistoryBatch<Transaction>

    let consumer: HistoryConsumer<Transaction>
    let limit: Int

    /// Requests one batch after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let consumer: HistoryConsumer<Transaction>
        let limit: Int
        private var events: CommitEvents?

        init(_ consumer: HistoryConsumer<Transaction>, limit: Int) {
            self.consumer = consumer
            self.limit = limit
        }

        /// How often to check whether the instance that reads has ended, which no commit reports.
        private static var standbyInterval: Duration { .seconds(1) }
        /// How often a waiting consumer reads without a commit, to update its time of last use, and its position if nothing matched
        /// since.
        private static var visitInterval: Duration { .seconds(20) }

        /// Returns the next batch, and waits for a commit if there is none.
        ///
        /// - Returns: The batch, or `nil` if the task was cancelled.
        /// - Throws: The errors of ``HistoryConsumer/nextBatch(limit:)`` except ``SwiftDataError/historyConsumerInUse``. The
        ///   iterator can be used again after an error.
        public mutating func next() async throws -> HistoryBatch<Transaction>? {
            // Subscribed before reading, so that no commit is missed.
            let events = try events ?? consumer.commitEvents()
            self.events = events
            while !Task.isCancelled {
                do {
                    if let batch = try consumer.nextBatch(limit: limit) { return batch }
                    guard await events.signal.wait(atMost: Self.visitInterval) else { break }
                } catch SwiftDataError.historyConsumerInUse {
                    // Sleeps, because no commit reports that the other instance has ended.
                    do { try await Task.sleep(for: Self.standbyInterval) } catch { break }
                } catch is CancellationError where Task.isCancelled {
                    break
                }
            }
            self.events = nil
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(consumer, limit: limit) }
}

extension HistoryConsumer {
    /// Returns the batches as an asynchronous sequence, which waits for commits of any process when there is none.
    ///
    /// ```swift
    /// for try await batch in consumer.batches() {
    ///     // Process the batch.
    ///     try consumer.acknowledge(batch)
    /// }
    /// ```
    ///
    /// The sequence reads a batch when the loop requests one, so a slow loop receives larger batches up to the limit, and nothing
    /// is buffered. A batch that was not acknowledged is delivered again at once, with a higher ``HistoryBatch/attempt``. To give
    /// up on a batch, call ``skip(_:reason:)``.
    ///
    /// While another instance of the consumer is reading, in this or another process, the sequence waits. When that instance or its
    /// process ends, the sequence takes over within a second.
    ///
    /// The sequence ends when its task is cancelled, and throws the errors of ``nextBatch(limit:)``. Start another loop to continue
    /// after an error, for example after ``SwiftDataError/storeBusy``.
    ///
    /// - Parameter limit: The number of changes, or of models of a snapshot, after which a batch ends.
    /// - Returns: The sequence.
    public func batches(limit: Int = 1_000) -> HistoryBatches<Transaction> {
        HistoryBatches(consumer: self, limit: limit)
    }

    func commitEvents() throws -> CommitEvents { try CommitEvents(coordinator) }
}
