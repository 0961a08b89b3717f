#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    extension PostgresStore {
        /// Returns a part of the history of one model.
        ///
        /// With ``setHistoryIndexedByModel(_:)``, the server looks up the changes of the model. Without the index, it scans
        /// the changes of all models for each page, which is still faster than returning them.
        ///
        /// - Complexity: O(*k* log *n* + *t*) with the index, where *k* is the number of changes of the model, *n* the
        ///   length of the history, and *t* the number of transactions. Without the index, proportional to the length of
        ///   the history.
        public func fetchModelHistory(
            _ request: ModelHistoryRequest<DefaultHistoryTransaction>
        ) throws -> ModelHistoryPage<DefaultHistoryTransaction> {
            try readingHistory { positions in
                let completeAfter = positions.state.completeAfter(identifier)
                if let continuation = request.continuation {
                    try positions.requireContinuation(continuation, isForward: request.order == .forward)
                }
                let catalog = try HistoryCatalog(self, positions.connection)
                // Another program may have changed the class of the model to another one of its hierarchy.
                let entities = Set(catalog.numbers(ofEntity: request.model.entityName, isRoot: false))
                    .union(catalog.numbers(ofEntity: request.model.rootEntityName, isRoot: true))
                guard let key = request.model.integerPrimaryKey, request.model.storeIdentifier == identifier,
                    !entities.isEmpty
                else { return ModelHistoryPage(entries: [], continuation: nil, completeAfter: nil, visitedCount: 0) }
                var reader = ChangeReader(positions.connection, catalog)
                // One more than requested, which shows whether there are more.
                let found = try reader.changes(
                    ofModel: key, entities.sorted(), beyond: request.continuation?.change,
                    isReverse: request.order == .reverse, limit: request.limit + 1)
                let entries = found.prefix(request.limit).map { header, change in
                    ModelHistoryEntry(
                        transaction: header.transaction([], storeIdentifier: identifier), change: change)
                }
                var continuation: ModelHistoryContinuation<DefaultHistoryToken>?
                if found.count > request.limit, let last = entries.last {
                    continuation = ModelHistoryContinuation(
                        token: last.transaction.token, change: last.change.integerChangeIdentifier ?? 0,
                        completeAfter: completeAfter)
                }
                return ModelHistoryPage(
                    entries: entries, continuation: continuation, completeAfter: completeAfter,
                    visitedCount: entries.count)
            }
        }

        // MARK: The index

        private static var index: String { "chronicle_change_model" }

        /// A Boolean value that indicates whether the history has an index by model.
        ///
        /// - Throws: `SwiftDataError.storeUnavailable` if the server cannot be reached; try again.
        public var isHistoryIndexedByModel: Bool {
            get throws {
                try attributingErrors {
                    try pool.read { connection in
                        try connection.run(
                            "SELECT to_regclass($1) IS NOT NULL", Parameters(.text(connection.table(Self.index)))
                        ).bool(0, 0)
                    }
                }
            }
        }

        /// Creates or drops the index of the history by model.
        ///
        /// Create the index if the program often shows the history of models and the history is long. Each save then takes
        /// longer, and each change more space. The index belongs to the database: all programs use and maintain it.
        ///
        /// - Parameter isIndexed: Whether the history has the index.
        /// - Throws: One of the following errors. Nothing was changed in that case.
        ///   - `SwiftDataError.storeReadOnly` if the configuration does not allow saving, or the role does not own the
        ///     tables; `SwiftDataError.historyDisabled` if the configuration disables the history.
        ///   - `SwiftDataError.storeBusy` or `SwiftDataError.storeUnavailable`. Try again.
        ///   - `SwiftDataError.storeFull` if the disk of the server is full.
        /// - Complexity: O(*n* log *n*) in the length of the history to create the index. Saves wait until it is complete.
        public func setHistoryIndexedByModel(_ isIndexed: Bool) throws {
            try requireHistory()
            try requireWriteAccess()
            try attributingErrors {
                try pool.use { connection in
                    let sql =
                        isIndexed
                        ? "CREATE INDEX IF NOT EXISTS \(Self.index) ON \(connection.schema).chronicle_change"
                            + "(primary_key, entity)"
                        : "DROP INDEX IF EXISTS \(connection.table(Self.index))"
                    _ = try connection.transaction { try $0.run(sql, isPrepared: false) }
                }
            }
        }
    }

    extension HistoryState {
        /// `nil` if no changes ever were missing.
        func completeAfter(_ storeIdentifier: String) -> DefaultHistoryToken? {
            let start = max(floor, gap)
            guard start > 0 else { return nil }
            return DefaultHistoryToken(
                storeIdentifier: storeIdentifier, position: start, checkValue: start == floor ? floorCheck : gapCheck)
        }
    }

    extension HistoryPositions {
        /// No changes after the continuation may have been deleted, and the history not replaced by a backup.
        func requireContinuation(
            _ continuation: ModelHistoryContinuation<DefaultHistoryToken>, isForward: Bool
        ) throws {
            guard let token = continuation.token, let position = token.position(in: storeIdentifier) else {
                throw error(.ofAnotherStore, position: nil)
            }
            let failure = try failure(token, storeIdentifier: storeIdentifier)
            // Changes that were already missing when the previous page was read are not missing from the result. In
            // descending order, the history ends earlier, which the page reports.
            let known = continuation.completeAfter?.position(in: storeIdentifier) ?? 0
            switch failure {
            case nil: return
            case .expired? where !isForward || state.floor <= known: return
            case .gap? where !isForward || state.gap <= known: return
            case let failure?: throw error(failure, position: position)
            }
        }
    }
#endif
