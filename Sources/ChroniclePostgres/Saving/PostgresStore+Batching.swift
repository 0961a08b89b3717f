#if Postgres
    public import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    extension PostgresStore: DataStoreBatching {
        /// Deletes the rows that match a request with one statement, without loading them. Foreign keys apply the delete
        /// rules, and triggers record the changes.
        ///
        /// - Throws: The errors of the protocol's requirement and
        ///   - `DataStoreError.preferInMemoryFilter` if the predicate has no SQL equivalent, or a delete cascades or is
        ///     denied through a relationship without a foreign key, or cascades deeper than the server supports. Contexts
        ///     handle this error.
        ///   - `SwiftDataError.deleteDenied` if a required reference to a row exists. Delete the referencing models first.
        ///   - `SwiftDataError.storeReadOnly` if the configuration does not allow saving.
        ///   - `SwiftDataError.storeUnavailable` or `SwiftDataError.storeBusy`. Try again.
        ///   - `SwiftDataError.saveOutcomeUnknown` if the connection was lost during the commit, and the server cannot be
        ///     reached to find out whether it succeeded. Fetch the models to find out.
        /// - Complexity: Proportional to the visited rows and the deleted rows.
        public func delete<Model>(_ request: DataStoreBatchDeleteRequest<Model>) throws {
            try requireWriteAccess()
            try requireModels()
            try requireUnchangedTables()
            let entity = try layout.table(for: Model.self).entity
            let query = try translating {
                try FetchSQL(
                    FetchDescriptor(predicate: request.predicate), includeSubclasses: request.includeSubclasses,
                    schema: schema, storeIdentifier: identifier, dialect: layout.dialect
                ).delete
            }
            let cascade = DeleteCascade(from: entity, schema, linksCascade: false)
            guard cascade.isByDatabase else { throw DataStoreError.preferInMemoryFilter }
            try attributingErrors {
                do { _ = try write(query, request.editingState) } catch let error as PostgresError
                    where cascade.isRecursive && error.sqlState == "54001"
                {
                    // The stack of the server is too small for the depth of the cascade.
                    throw DataStoreError.preferInMemoryFilter
                } catch let error as PostgresError where error.isForeignKeyViolation {
                    throw SwiftDataError.deleteDenied.with(
                        detail: "a row of \(error.table ?? "another table") references a model to delete; change the "
                            + "relationship or delete its model first",
                        entityName: entity.name, underlying: error)
                }
            }
        }

        /// Changes the rows that match a request with one statement, without loading them.
        ///
        /// - Throws: The errors of `delete(_:)` except `SwiftDataError.deleteDenied`.
        ///   `DataStoreError.preferInMemoryFilter` if an expression has no SQL equivalent or reads another row, or unique
        ///   values conflict. `SwiftDataError.valueOutOfRange` if a calculation overflows or divides by zero; exclude the
        ///   row with the predicate.
        /// - Complexity: Proportional to the visited rows and the updated rows. If the rows exchange unique values, each of
        ///   them takes a round trip, and their new values are in memory at once.
        public func update<Model>(_ request: DataStoreBatchUpdateRequest<Model>) throws -> Int {
            try requireWriteAccess()
            try requireModels()
            try requireUnchangedTables()
            let table = try layout.table(for: Model.self)
            let (rows, values, query) = try translating {
                let values = try request.values(in: schema)
                let rows = try FetchSQL(
                    FetchDescriptor(predicate: request.predicate), schema: schema, storeIdentifier: identifier,
                    dialect: layout.dialect)
                return (rows, values, try rows.update(values))
            }
            return try attributingErrors {
                do {
                    do { return try write(query, request.editingState) } catch let error as PostgresError
                        where error.isUniqueViolation
                    {
                        let (newValues, unchanged) = try rows.newValues(values) { expression, property in
                            "(\(expression))::\(raw: table.columns[property.slot].type.rawValue)"
                        }
                        return try exchange(
                            "\(newValues) FOR UPDATE OF \(raw: FetchSQL.table)",
                            (values.map(\.property) + unchanged).map(\.slot), changed: values.map(\.property.slot),
                            table,
                            request.editingState)
                    }
                } catch SwiftDataError.uniquenessViolation {
                    throw DataStoreError.preferInMemoryFilter
                } catch let error as PostgresError where error.isOutOfRange {
                    throw SwiftDataError.valueOutOfRange.with(
                        detail: "the new value of a row cannot be calculated; exclude the row with the predicate",
                        entityName: table.entity.name, underlying: error)
                }
            }
        }

        /// Commits in a second round trip: if the connection is lost then, the number of changed rows is known.
        private func write(_ query: SQLQuery, _ state: EditingState) throws -> Int {
            try write(state) { connection, pending in
                var pipeline = Pipeline()
                try pending.begin(&pipeline, recordsHistory: configuration.recordsHistory)
                let statement = pipeline.add(query.sql(for: PostgreSQLDialect()), Parameters(query.bindings))
                return try connection.run(pipeline)[statement].affectedRows
            }
        }

        /// Updates rows one by one in a transaction, because unique values of some are needed by others. The query locks
        /// the rows. Throws `SwiftDataError.uniquenessViolation` if another row has one of the values, or if two get the
        /// same.
        private func exchange(
            _ query: SQLQuery, _ slots: [Int], changed: [Int], _ table: EntityTable, _ state: EditingState
        ) throws -> Int {
            let changed = changed.reduce(into: PropertySet()) { $0.insert($1) }
            return try write(state) { connection, pending in
                _ = try connection.pipeline { try pending.begin(&$0, recordsHistory: configuration.recordsHistory) }
                let result = try connection.run(query)
                let rows = (0..<result.count).map { row in
                    var values = [PropertyValue](repeating: .null, count: table.columns.count)
                    for (index, slot) in slots.enumerated() {
                        values[slot] = RowReader.value(result, row, index + 1, table.columns[slot])
                    }
                    return DefaultSnapshot(
                        persistentIdentifier: table.origin.identifier(result.int64(row, 0)), values: values,
                        changed: changed)
                }
                var writer = try OrderedWriter(
                    DataStoreSaveChangesRequest(editingState: state, inserted: [], updated: rows, deleted: []), layout)
                _ = try writer.write(connection)
                if configuration.recordsHistory { try writer.mergeChanges(connection) }
                return rows.count
            }
        }

        /// The outcome is found out if the connection is lost. `body` returns the number of changed rows.
        private func write(
            _ state: EditingState, _ body: (Connection, PendingTransaction) throws -> Int
        ) throws -> Int {
            let pending = PendingTransaction(editingState: state)
            var count = 0
            let resolution = CommitResolution(self) { connection in
                try pending.outcome(in: self, connection) { _ in }
            }
            try resolution.run { connection in
                try connection.transaction { count = try body($0, pending) }
            }
            didCommit()
            return count
        }
    }

    extension PostgresError {
        /// Class 22: a number is out of range, or a division by zero.
        fileprivate var isOutOfRange: Bool { sqlState == "22003" || sqlState == "22012" }
    }
#endif
