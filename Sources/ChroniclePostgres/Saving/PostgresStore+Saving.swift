#if Postgres
    public import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    extension PostgresStore {
        /// Saves the changes of a context in one transaction, with the history.
        ///
        /// A save whose rows do not reference each other takes one round trip. Inserted snapshots with permanent
        /// identifiers of this store become rows with these keys. If another writer changed the other side of a one-to-one
        /// relationship since the context read it, the save also updates that side, which takes further round trips.
        ///
        /// - Throws: One of the following errors. Nothing was saved, except that `SwiftDataError.saveOutcomeUnknown` means
        ///   that the changes may have been saved.
        ///   - `SwiftDataError.uniquenessViolation` if another model has the same unique value, or the same permanent
        ///     identifier as an inserted one. Change the value and save again.
        ///   - `SwiftDataError.modelNotFound` if an updated model was deleted. Roll back or insert it again.
        ///   - `SwiftDataError.modelValidationFailure` if a relationship references a deleted model, or if a model would
        ///     lose the destination of a required one-to-one relationship. Assign another model and save again.
        ///   - `SwiftDataError.historyReplayConflict` if the request replays a transaction of another store, and this store
        ///     was changed since.
        ///   - `SwiftDataError.valueOutOfRange` if a text contains a NUL character, which PostgreSQL cannot store. Remove
        ///     it.
        ///   - `SwiftDataError.deleteDenied` if a required reference to a deleted model exists. Delete the referencing
        ///     model first.
        ///   - `SwiftDataError.storeReadOnly` if the configuration or the privileges of the role do not allow saving.
        ///   - `SwiftDataError.storeBusy` if a deadlock, a lock or a time limit prevented the save, or if all connections
        ///     stayed in use. Try again.
        ///   - `SwiftDataError.storeFull` if the disk of the server is full. Free space and save again.
        ///   - `SwiftDataError.storeUnavailable` if the server cannot be reached. Try again.
        ///   - `SwiftDataError.saveOutcomeUnknown` if the connection was lost during the commit, and the server cannot be
        ///     reached to find out whether it succeeded. Fetch the models to find out.
        /// - Complexity: Proportional to the number of changed rows.
        public func save(
            _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
        ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
            try requireWriteAccess()
            try requireModels()
            try requireUnchangedTables()
            return try attributingErrors {
                // A message about the save is logged when its connection is available to others again.
                let saved = try DeferredCallbacks.deferring { try write(request) }
                didCommit()
                return DataStoreSaveChangesResult(
                    for: identifier, inserted: request.inserted, insertedIdentifiers: saved.rows.inserted,
                    snapshotsToReregister: saved.rows.reconciled, historyToken: saved.token,
                    // A delete rule may change rows that the request does not contain.
                    mayHaveOtherChanges: runsOtherTriggers || !request.deleted.isEmpty)
            }
        }

        private func write(
            _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
        ) throws -> SaveTransaction.Saved {
            var reconciles = false
            while true {
                do {
                    return try SaveTransaction(self, request).run(reconciles: reconciles)
                } catch is SaveTransaction.NeedsReconciliation {
                    reconciles = true
                } catch is SaveTransaction.NeedsOrder {
                    // Another order of the statements may avoid the conflict. It needs a round trip for each of them.
                    return try SaveTransaction(self, request).runInOrder()
                }
            }
        }
    }

    struct SaveTransaction {
        let store: PostgresStore
        let request: DataStoreSaveChangesRequest<DefaultSnapshot>
        let pending: PendingTransaction

        struct Saved {
            var rows: Rows
            var token: DefaultHistoryToken?
        }

        struct Rows {
            var inserted: [PersistentIdentifier]
            /// Rows that make both sides of one-to-one relationships agree. Empty if the connection was lost during the
            /// commit.
            var reconciled: [PersistentIdentifier: DefaultSnapshot] = [:]
        }

        /// Both sides of a one-to-one relationship do not agree, so that further rows have to be updated.
        struct NeedsReconciliation: Error {}

        /// Unique values were not available when they were needed, and may be in another order.
        struct NeedsOrder: Error {}

        init(_ store: PostgresStore, _ request: DataStoreSaveChangesRequest<DefaultSnapshot>) {
            (self.store, self.request) = (store, request)
            pending = PendingTransaction(editingState: request.editingState)
        }

        /// Writes in as few round trips as possible. Without `reconciles`, throws ``NeedsReconciliation`` if both sides of
        /// one-to-one relationships do not agree.
        func run(reconciles: Bool) throws -> Saved {
            var writer = try RowWriter(request, store.layout)
            var checks = 0..<0
            return try commit { connection in
                do {
                    let isReplay = request.replay != nil
                    guard writer.bindsKeys || request.acknowledgement != nil || reconciles || isReplay else {
                        var pipeline = Pipeline()
                        checks = try write(&writer, &pipeline)
                        let results = try connection.run(pipeline, asTransaction: true)
                        writer.readKeys(results)
                        return Rows(inserted: writer.inserted)
                    }
                    return try connection.transaction { connection in
                        if writer.bindsKeys { try writer.chooseKeys(connection) }
                        if let acknowledgement = request.acknowledgement {
                            try store.apply(acknowledgement, connection)
                        }
                        if let replay = request.replay { try store.apply(replay, connection) }
                        var pipeline = Pipeline()
                        // A replayed transaction contains the changes of both sides that were recorded.
                        checks = try write(&writer, &pipeline, checksOneToOnes: !reconciles && !isReplay)
                        pipeline.commits = !reconciles && !isReplay
                        writer.readKeys(try connection.run(pipeline))
                        if isReplay { try store.requireListedDeletes(request, connection) }
                        guard reconciles else { return Rows(inserted: writer.inserted) }
                        return try reconcile(writer.inserted, connection)
                    }
                } catch let error as PostgresError where !error.endsSession {
                    // A check divides by zero if the sides do not agree.
                    if error.sqlState == "22012", let index = error.statementIndex, checks.contains(index) {
                        throw NeedsReconciliation()
                    }
                    throw try SaveFailure(store.layout, request, writer.steps).error(for: error, connection)
                }
            }
        }

        /// Returns the statements that check one-to-one relationships.
        private func write(
            _ writer: inout RowWriter, _ pipeline: inout Pipeline, checksOneToOnes: Bool = true
        ) throws -> Range<Int> {
            try pending.begin(&pipeline, recordsHistory: store.configuration.recordsHistory)
            try writer.write(to: &pipeline)
            // A delete can remove several links and references of another model.
            let mayRepeatChanges = !request.linked.isEmpty || !request.unlinked.isEmpty || !request.deleted.isEmpty
            if mayRepeatChanges, store.configuration.recordsHistory {
                pipeline.add(HistoryTables.mergeChanges(quoted(store.layout.schemaName)))
            }
            let count = pipeline.count
            if checksOneToOnes { try OneToOneWriter(store.layout, request, writer.inserted)?.addChecks(to: &pipeline) }
            return count..<pipeline.count
        }

        private func reconcile(_ inserted: [PersistentIdentifier], _ connection: Connection) throws -> Rows {
            var rows = Rows(inserted: inserted)
            guard let writer = try OneToOneWriter(store.layout, request, inserted) else { return rows }
            rows.reconciled = try writer.reconcile(connection)
            guard !rows.reconciled.isEmpty, store.configuration.recordsHistory else { return rows }
            // Some of the rows may have been updated before, also the same relationship.
            var (entities, keys): ([Int64], [Int64]) = ([], [])
            for identifier in rows.reconciled.keys {
                guard let key = identifier.integerPrimaryKey else { continue }
                entities.append(try store.layout.table(named: identifier.entityName).number)
                keys.append(key)
            }
            try connection.run(
                HistoryTables.mergeReleasedChanges(connection.schema),
                Parameters(.array(ParameterArray(entities)), .array(ParameterArray(keys))))
            return rows
        }

        /// Writes the changes in an order in which unique values are available when they are needed.
        func runInOrder() throws -> Saved {
            var writer = try OrderedWriter(request, store.layout)
            return try commit { connection in
                do {
                    return try connection.transaction { connection in
                        if let acknowledgement = request.acknowledgement {
                            try store.apply(acknowledgement, connection)
                        }
                        if let replay = request.replay { try store.apply(replay, connection) }
                        _ = try connection.pipeline {
                            try pending.begin(&$0, recordsHistory: store.configuration.recordsHistory)
                        }
                        let inserted = try writer.write(connection)
                        if store.configuration.recordsHistory { try writer.mergeChanges(connection) }
                        if request.replay != nil {
                            try store.requireListedDeletes(request, connection)
                            return Rows(inserted: inserted)
                        }
                        return try reconcile(inserted, connection)
                    }
                } catch let error as PostgresError where !error.endsSession {
                    throw try SaveFailure(store.layout, request, []).error(for: error, connection)
                }
            }
        }

        // MARK: Commit

        /// If the connection is lost meanwhile, finds out whether the transaction was committed.
        private func commit(_ body: (Connection) throws -> Rows) throws -> Saved {
            let resolution = CommitResolution<Rows>(store) { connection in
                // The position is not in the history, and can be the only effect of a replay.
                if let replay = request.replay {
                    let reached = try MetaTable(connection).replayedToken()
                    if reached == replay.previous { return .rolledBack }
                    guard reached == replay.token else { return .unknown("another replay has continued") }
                    return .committed(Rows(inserted: try identifiers([:])))
                }
                return try pending.outcome(in: store, connection, acknowledgement: request.acknowledgement) { keys in
                    Rows(inserted: try identifiers(keys))
                }
            }
            let returnsToken = store.configuration.recordsHistory && store.configuration.returnsHistoryTokens
            var token: Result<DefaultHistoryToken?, any Error>?
            let rows = try resolution.run { connection in
                let rows = try body(connection)
                // All other connections may be in use.
                if returnsToken { token = Result { try pending.token(connection, storeIdentifier: store.identifier) } }
                return rows
            }
            return Saved(rows: rows, token: returnsToken ? try self.token(token) : nil)
        }

        /// Returns the token of the committed transaction, or `nil` if it cannot be determined, for example because another
        /// program locks the history, or because the server ends: an error would mean that nothing was saved.
        ///
        /// - Parameter found: What the connection of the transaction found, or `nil` if it was lost during the commit.
        private func token(_ found: Result<DefaultHistoryToken?, any Error>?) throws -> DefaultHistoryToken? {
            do {
                do { if let found { return try found.get() } } catch let error as PostgresError
                    where error.endsSession && !store.pool.isShared
                {
                    // The connection was lost after the commit.
                }
                return try store.pool.read { connection in
                    try connection.withoutCancellation {
                        if try connection.isStandby() { throw PostgresError(message: "the server is a standby server") }
                        return try pending.token(connection, storeIdentifier: store.identifier)
                    }
                }
            } catch {
                // A transaction within another one has not been committed yet.
                if store.pool.isShared { throw error }
                let message = (error as? PostgresError)?.message ?? "\(error)"
                store.log(
                    .notice, event: "tokenNotReturned",
                    "The changes were saved, but the token of their transaction was not determined: \(message)")
                return nil
            }
        }

        /// Finds the identifiers after an unknown commit; `keys` are those of the inserted rows by the numbers of their
        /// entities, in ascending order.
        private func identifiers(_ keys: [Int64: [Int64]]) throws -> [PersistentIdentifier] {
            let tables = try request.inserted.map {
                try store.layout.table(named: $0.persistentIdentifier.entityName)
            }
            var (restored, newCounts) = ([Int64: Set<Int64>](), [Int64: Int]())
            for (snapshot, table) in zip(request.inserted, tables) {
                if snapshot.persistentIdentifier.isTemporary {
                    newCounts[table.number, default: 0] += 1
                } else if let key = snapshot.persistentIdentifier.integerPrimaryKey {
                    restored[table.number, default: []].insert(key)
                }
            }
            var rest = keys.reduce(into: [Int64: ArraySlice<Int64>]()) { rest, keys in
                rest[keys.key] = keys.value.filter { restored[keys.key]?.contains($0) != true }[...]
            }
            // Triggers may have inserted further rows, which cannot be distinguished.
            let ambiguous = Set(newCounts.filter { rest[$0.key]?.count != $0.value }.keys)
            return try zip(request.inserted, tables).map { snapshot, table in
                guard snapshot.persistentIdentifier.isTemporary else { return snapshot.persistentIdentifier }
                guard !ambiguous.contains(table.number), let key = rest[table.number]?.popFirst() else {
                    throw SwiftDataError.saveOutcomeUnknown.with(
                        detail:
                            "the connection was lost; the changes were saved, but the identifiers of new models are "
                            + "not known; roll back and fetch the models again",
                        entityName: table.entity.name)
                }
                return table.origin.identifier(key)
            }
        }
    }
#endif
