package import Foundation

/// A store whose history can be sealed.
package protocol HistorySealing: DataStore {
    /// Seals what is committed, and returns the newest head after a durable commit.
    ///
    /// - Parameters:
    ///   - signer: Signs each new seal, and the newest one if it has no signature by this key. The signature of another key is
    ///     replaced.
    ///   - isLast: Whether a last seal is added, after which purges keep nothing for the chain.
    ///   - observe: Is called before each commit and read, so that tests can change the history between any two steps.
    func sealHistory(
        _ hashing: any HistoryHashing, signedBy signer: (any SealSigning)?, isLast: Bool,
        observing observe: (HistorySealer.Step) throws -> Void
    ) throws -> HistorySeal

    /// Returns the heads of the seals after the one with a head, in the order of the chain. Reads rows of seals only.
    ///
    /// - Parameter head: `nil` for all seals that remain. If the chain does not contain it, throws
    ///   ``SwiftDataError/missingHead(_:first:newest:)``.
    /// - Returns: Heads that no power failure undoes, unless the store is read-only.
    func historySeals(after head: HistorySeal?) throws -> [HistorySeal]

    /// When the newest seal was made; `nil` if there is none.
    func newestSealTime() throws -> Date?

    /// Calls a closure with a reader of the sealed history, in one read transaction. Returns `nil` if the history is not sealed.
    ///
    /// - Parameter includesValues: Whether the reader reads the preserved values.
    func readSealedHistory<Result>(
        includesValues: Bool, _ body: (any SealedHistoryReading) throws -> Result
    ) throws -> Result?
}

extension HistorySealing {
    package func sealHistory(
        _ hashing: any HistoryHashing, signedBy signer: (any SealSigning)? = nil
    ) throws -> HistorySeal {
        try sealHistory(hashing, signedBy: signer, isLast: false, observing: { _ in })
    }

    package func endSealing(
        _ hashing: any HistoryHashing, signedBy signer: (any SealSigning)?
    ) throws -> HistorySeal {
        try sealHistory(hashing, signedBy: signer, isLast: true, observing: { _ in })
    }
}

extension HistorySealing where Self: DataStoreConsuming {
    /// Locks the consumer that seals. Another process may seal meanwhile.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for another process.
    ///   - interval: The time between two attempts in seconds.
    ///   - begin: Creates the record of the consumer again, if another process has removed it.
    package func lockSealer(
        timeout: Duration, interval: TimeInterval, _ begin: () throws -> Void
    ) throws -> any AnyObject & Sendable {
        let deadline = ContinuousClock.now + timeout
        while true {
            do {
                if let lock = try lockConsumer(named: HistorySeal.consumerName) { return lock }
            } catch SwiftDataError.historyConsumerNotFound {
                try begin()
            }
            guard ContinuousClock.now < deadline else {
                throw SwiftDataError.sealerIsInUse(storeIdentifier: identifier)
            }
            // Neither a file nor a server tells when a lock is released without blocking the thread until then.
            Thread.sleep(forTimeInterval: interval)
        }
    }
}

extension SwiftDataError {
    package static func sealerIsInUse(storeIdentifier: String) -> SwiftDataError {
        historyConsumerInUse.with(
            detail: "another process seals the history; try again later", storeIdentifier: storeIdentifier)
    }

    /// The error for a head that the chain does not contain.
    ///
    /// - Parameters:
    ///   - first: The number and the last position of the first seal that remains; `nil` if the history is not sealed.
    ///   - newest: The last position of the newest seal.
    package static func missingHead(
        _ head: HistorySeal, first: (number: Int64, last: Int64)?, newest: Int64?
    ) -> SwiftDataError {
        guard let first, let newest else {
            return historyTokenAhead.with(
                detail: "the head \(head) is not in the chain, because the history is not sealed; check the store")
        }
        if first.number > 1, head.position <= first.last {
            return historyTokenExpired.with(
                detail: "the head \(head) is not in the chain, which begins with position \(first.last) after a "
                    + "purge; pass no head to fetch those that remain")
        }
        guard head.position <= newest else {
            return historyTokenAhead.with(
                detail: "the head \(head) is not in the chain, which ends at position \(newest); the store was "
                    + "restored from an older copy, or is another one: verify the head")
        }
        return historyTokenForked.with(
            detail: "the head \(head) is not in the chain, which has no seal with its hash there; the store was "
                + "restored from a backup, is another one, or was changed: verify the head")
    }
}

extension HistorySeal {
    /// The name of the consumer that seals a history.
    package static let consumerName = "chronicle.seals"
}

extension HistoryConsumerRecord {
    /// A record of the consumer that seals a history.
    package static func sealer(at position: Token) -> Self {
        HistoryConsumerRecord(name: HistorySeal.consumerName, place: HistoryConsumerPlace(position: position))
    }
}
