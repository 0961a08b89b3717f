public import Foundation

extension ModelContainer {
    /// Writes the history of a store to a file as JSON Lines, from which a replica can be made.
    ///
    /// The export contains each transaction with its author, time, metadata and changes, and the changes with their values. It
    /// begins with a snapshot of all models if you request it, or if you request the beginning and the history is not complete from
    /// there, for example after a purge. Other contexts and programs can save meanwhile.
    ///
    /// ```swift
    /// let token = try container.exportHistory(to: file)
    /// // Later, what happened since.
    /// try container.exportHistory(startingAt: .token(token), to: next)
    /// ```
    ///
    /// Make a replica with ``replayHistory(from:storeName:)-(URL,_)``. The article <doc:ExportFormat> describes the lines.
    ///
    /// - Parameters:
    ///   - start: Where the export begins.
    ///   - end: The position at which it ends, or `nil` for the newest transaction.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several with a history.
    ///   - file: The file, to which the lines are appended at its current offset.
    /// - Returns: The position that the export reached.
    /// - Throws: One of the following errors. The file is then incomplete, and a replay detects it.
    ///   - ``SwiftDataError/historyValueMissing`` if the history does not preserve the value of a change after the token. Begin
    ///     with ``HistoryStart/snapshot``.
    ///   - ``SwiftDataError/historyTokenExpired``, or an error of its family, if the history after the token is incomplete, or if a
    ///     snapshot would be later than the end. Begin with a snapshot.
    ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if several stores have a history. Pass the name of one.
    ///   - ``SwiftDataError/unsupportedFeature`` if the store does not conform to ``DataStoreExporting``.
    ///   - ``SwiftDataError/historyDisabled`` if the store does not record its history.
    ///   - ``SwiftDataError/storeFailure`` if the file cannot be written, for example because its disk is full; see
    ///     ``SwiftDataError/underlying``.
    ///   - Another error of the store, such as ``SwiftDataError/storeBusy``.
    /// - Complexity: Proportional to the exported models and changes. From the beginning, the changes are read twice. The memory
    ///   does not depend on their number.
    @discardableResult
    public func exportHistory(
        startingAt start: HistoryStart<DefaultHistoryToken> = .beginning, through end: DefaultHistoryToken? = nil,
        storeName: String? = nil, to file: FileHandle
    ) throws -> DefaultHistoryToken {
        try ExportFile.write(to: file) { write in
            try exportHistory(startingAt: start, through: end, storeName: storeName, to: write)
        }
    }

    /// Writes the history of a store to a file at a URL, which is replaced when the export is complete; see
    /// ``exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``.
    ///
    /// - Parameters:
    ///   - start: Where the export begins.
    ///   - end: The position at which it ends, or `nil` for the newest transaction.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several with a history.
    ///   - url: The URL of the file, in an existing directory.
    /// - Returns: The position that the export reached.
    /// - Throws: The errors of ``exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``, such as
    ///   ``SwiftDataError/storeFailure`` if the file cannot be written. The file at the URL is not changed then.
    @discardableResult
    public func exportHistory(
        startingAt start: HistoryStart<DefaultHistoryToken> = .beginning, through end: DefaultHistoryToken? = nil,
        storeName: String? = nil, to url: URL
    ) throws -> DefaultHistoryToken {
        try ExportFile.replace(url) { write in
            try exportHistory(startingAt: start, through: end, storeName: storeName, to: write)
        }
    }

    /// Calls a closure with each line of an export, for example to send it to another device; see
    /// ``exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``.
    ///
    /// - Parameters:
    ///   - start: Where the export begins.
    ///   - end: The position at which it ends, or `nil` for the newest transaction.
    ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several with a history.
    ///   - write: A closure that receives a line with its line break. It does not use the store.
    /// - Returns: The position that the export reached.
    /// - Throws: The error that `write` throws, ``SwiftDataError/historyValueMissing``, or another error of
    ///   ``exportHistory(startingAt:through:storeName:to:)-(_,_,_,FileHandle)``.
    @discardableResult
    public func exportHistory(
        startingAt start: HistoryStart<DefaultHistoryToken> = .beginning, through end: DefaultHistoryToken? = nil,
        storeName: String? = nil, to write: (Data) throws -> Void
    ) throws -> DefaultHistoryToken {
        let provider = try coordinator.historyStore(
            of: DefaultHistoryTransaction.self, filter: HistoryFilter(), storeName: storeName)
        guard let store = provider as? any DataStoreExporting else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the store cannot be exported, because it does not conform to DataStoreExporting",
                storeIdentifier: provider.identifier, storeName: provider.configuration.name)
        }
        func run<Store: DataStoreExporting>(_ store: Store) throws -> DefaultHistoryToken {
            try withoutActuallyEscaping(write) { write in
                var exporter = HistoryExporter(store, through: end, write)
                return try exporter.run(startingAt: start)
            }
        }
        return try attributingErrors(to: store) { try run(store) }
    }
}
