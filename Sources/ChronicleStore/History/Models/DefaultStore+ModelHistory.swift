public import ChronicleCore
import ChronicleSQLite

extension DefaultStore {
    /// Returns a part of the history of one model.
    ///
    /// With ``setHistoryIndexedByModel(_:)``, reads only the changes of the model; otherwise, visits at most 100,000 rows
    /// for a page.
    ///
    /// - Complexity: O(*k* log *n*) with the index, where *k* is the number of returned changes and *n* the length of the
    ///   history. Without the index, proportional to the visited rows.
    public func fetchModelHistory(
        _ request: ModelHistoryRequest<DefaultHistoryTransaction>
    ) throws -> ModelHistoryPage<DefaultHistoryTransaction> {
        try readingHistory { connection in
            // Another program may have changed the class of the model to another one of its hierarchy.
            let entities = try Set(
                historyCatalog.numbers(ofEntity: request.model.entityName, isRoot: false, connection)
            ).union(historyCatalog.numbers(ofEntity: request.model.rootEntityName, isRoot: true, connection))
            var reader = try ModelHistoryReader(request, entities.sorted(), connection, historyCatalog)
            return try reader.page()
        }
    }
}

extension DefaultStore {
    /// A Boolean value that indicates whether the history has an index by model.
    ///
    /// - Throws: ``SwiftDataError/storeBusy`` if the file stays locked; try again.
    public var isHistoryIndexedByModel: Bool {
        get throws {
            try attributingErrors { try database.read { try ModelIndex.exists($0) } }
        }
    }

    /// Creates or drops the index of the history by model.
    ///
    /// With the index, ``ModelContext/history(of:attribute:order:for:)-(Model,_,_,_)`` and ``ModelContext/blame(_:for:)``
    /// read only the changes of the model instead of the history, but saves take longer and the file grows;
    /// `Documentation/Design/0031-model-history.md` has the figures. Create it if the program often shows the history of
    /// models and the history is long.
    ///
    /// The index belongs to the file: all programs that use the file maintain it, also without Chronicle, and read-only
    /// stores use it. Dropping it loses no history.
    ///
    /// - Parameter isIndexed: Whether the history has the index.
    /// - Throws: One of the following errors. Nothing was changed in that case.
    ///   - ``SwiftDataError/storeReadOnly`` or ``SwiftDataError/historyDisabled`` if the configuration requires it.
    ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
    ///   - ``SwiftDataError/storeFull`` if the disk is full. Free space and try again.
    /// - Complexity: O(*n* log *n*) in the length of the history to create the index, and O(*n*) to drop it. Saves wait
    ///   meanwhile.
    public func setHistoryIndexedByModel(_ isIndexed: Bool) throws {
        try requireHistory()
        try requireWriteAccess()
        try attributingErrors {
            try database.write { connection in
                try connection.immediate {
                    if try ModelIndex.exists(connection) != isIndexed { try ModelIndex.set(isIndexed, connection) }
                }
            }
        }
    }
}
