public import Foundation

extension ModelContainer {
    /// Replays an export to a store, which becomes a replica of the exported one, with the same identifiers.
    ///
    /// Each transaction of the source is one transaction of the replica, with the same author, context name and metadata, and with
    /// the keys of ``HistoryReplayStep/MetadataKey`` in addition. The position in the history of the source is saved with each of
    /// them, so that a replay can be interrupted at any time: replay the same export again to continue. Transactions that the
    /// replica contains are skipped.
    ///
    /// ```swift
    /// let replica = try ModelContainer(for: Trip.self, configurations: ModelConfiguration("replica"))
    /// try replica.replayHistory(from: FileHandle(forReadingFrom: url))
    /// ```
    ///
    /// The replica can have other changes. A transaction that changes the same models throws an error. A store can be the replica
    /// of one other store.
    ///
    /// - Parameters:
    ///   - file: The file with the export, or with several exports one after the other.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the replica, if the container has several stores.
    /// - Returns: The number of transactions that were replayed, without a snapshot and those that were skipped.
    /// - Throws: One of the following errors. All transactions before it were replayed.
    ///   - ``SwiftDataError/invalidHistoryExport`` if the file cannot be read, is truncated or damaged, contains a value that is
    ///     not valid for its attribute, or has a later format. Replay a complete copy, or update Chronicle.
    ///   - ``SwiftDataError/unknownSchema`` if the replica has other models than the source. Use the same models.
    ///   - ``SwiftDataError/historyTokenStoreMismatch`` if the store is the replica of another store.
    ///   - ``SwiftDataError/historyTokenGap`` if the export begins after the position of the replica. Export the changes after
    ///     ``replayedHistoryToken(storeName:)``.
    ///   - ``SwiftDataError/historyTokenForked`` if a backup of the source was restored. Use a new replica.
    ///   - ``SwiftDataError/historyReplayConflict``, ``SwiftDataError/uniquenessViolation`` or
    ///     ``SwiftDataError/modelValidationFailure`` if changes of the replica conflict with those of the source. Undo them, or use
    ///     a new replica.
    ///   - ``SwiftDataError/unsupportedFeature`` if the store does not have the capability ``DataStoreCapabilities/replay``.
    ///   - An error of the store, such as ``SwiftDataError/storeBusy``.
    /// - Complexity: Proportional to the size of the export. The memory is proportional to the largest transaction, or to the
    ///   snapshot.
    @discardableResult
    public func replayHistory(from file: FileHandle, storeName: String? = nil) throws -> Int {
        try replayHistory(storeName: storeName) {
            do {
                let data = try file.read(upToCount: 1 << 16)
                return data?.isEmpty == false ? data : nil
            } catch {
                throw SwiftDataError.invalidHistoryExport.with(
                    detail: "the file with the export cannot be read; replay a complete copy", underlying: error)
            }
        }
    }

    /// Replays an export from a file at a URL; see ``replayHistory(from:storeName:)-(FileHandle,_)``.
    ///
    /// - Parameters:
    ///   - url: The URL of the file with the export, or with several exports one after the other.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the replica, if the container has several stores.
    /// - Returns: The number of transactions that were replayed.
    /// - Throws: ``SwiftDataError/invalidHistoryExport`` if the file cannot be opened, or another error of
    ///   ``replayHistory(from:storeName:)-(FileHandle,_)``.
    @discardableResult
    public func replayHistory(from url: URL, storeName: String? = nil) throws -> Int {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: url) } catch {
            throw SwiftDataError.invalidHistoryExport.with(
                detail: "\(url.path) cannot be opened; check the URL", underlying: error)
        }
        return try replayHistory(from: file, storeName: storeName)
    }

    /// Replays an export that is received in parts, for example from another device; see
    /// ``replayHistory(from:storeName:)-(FileHandle,_)``.
    ///
    /// - Parameters:
    ///   - storeName: The ``DataStoreConfiguration/name`` of the replica, if the container has several stores.
    ///   - nextPart: A closure that returns the next part of any size, or `nil` at the end.
    /// - Returns: The number of transactions that were replayed.
    /// - Throws: The error that `nextPart` throws, ``SwiftDataError/invalidHistoryExport``, or another error of
    ///   ``replayHistory(from:storeName:)-(FileHandle,_)``.
    @discardableResult
    public func replayHistory(storeName: String? = nil, _ nextPart: () throws -> Data?) throws -> Int {
        try replayedCounts(storeName: storeName, nextPart).transactions
    }

    /// Replays an export, and returns also how many models its snapshot had; `nil` if no snapshot was replayed.
    package func replayedCounts(
        storeName: String? = nil, _ nextPart: () throws -> Data?
    ) throws -> (models: Int?, transactions: Int) {
        let commits = coordinator.commits
        func run<Store: DataStore>(_ store: Store) throws -> (Int?, Int) {
            try withoutActuallyEscaping(nextPart) { nextPart in
                var lines = HistoryLineReader(nextPart)
                var replayer = try HistoryReplayer(store) { commits.didSave(to: store) }
                try replayer.run(&lines)
                return (replayer.snapshotCount, replayer.replayedCount)
            }
        }
        let store = try replica(named: storeName)
        return try attributingErrors(to: store) { try run(store) }
    }

    /// Returns the position that a replica has reached in the history of its source, from which to export further changes with
    /// ``exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``.
    ///
    /// - Parameter storeName: The ``DataStoreConfiguration/name`` of the replica, if the container has several stores.
    /// - Returns: A token of the source, or `nil` if nothing was replayed to the store.
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if the store does not have the capability ``DataStoreCapabilities/replay``,
    ///   or if several stores do; pass the name of one. ``SwiftDataError/storeBusy`` or another error of the store.
    public func replayedHistoryToken(storeName: String? = nil) throws -> DefaultHistoryToken? {
        let store = try replica(named: storeName)
        return try attributingErrors(to: store) { try store.replayedHistoryToken() }
    }

    private func replica(named name: String?) throws -> any DataStore {
        let candidates = stores.filter { store in
            (name == nil || store.configuration.name == name) && type(of: store).capabilities.contains(.replay)
        }
        guard let store = candidates.first, candidates.count == 1 else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: candidates.isEmpty
                    ? "no store of this name has the capability replay"
                    : "several stores can be replicas; pass the name of one of them", storeName: name)
        }
        return store
    }
}
