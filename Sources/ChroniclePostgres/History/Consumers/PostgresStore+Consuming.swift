#if Postgres
    public import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore
    import Foundation

    extension PostgresStore: DataStoreConsuming {
        public var initialHistoryToken: DefaultHistoryToken? {
            DefaultHistoryToken(storeIdentifier: identifier, position: 0)
        }

        // MARK: Records

        public func consumerRecords() throws -> [HistoryConsumerRecord<DefaultHistoryToken>] {
            try attributingErrors {
                try pool.read { try ConsumerTable($0, storeIdentifier: identifier).records() }
            }
        }

        public func consumerRecord(named name: String) throws -> HistoryConsumerRecord<DefaultHistoryToken>? {
            if name.utf8.contains(0) { return nil }
            return try attributingErrors {
                try pool.read { try ConsumerTable($0, storeIdentifier: identifier).record(named: name)?.record }
            }
        }

        /// Changes the record of a consumer in one transaction.
        ///
        /// - Throws: The errors of the protocol's requirement, `SwiftDataError.valueOutOfRange` if the name contains a NUL
        ///   character, and `SwiftDataError.saveOutcomeUnknown` if the connection was lost during the commit, and it cannot
        ///   be found out whether it succeeded. Request the next batch, which begins at the position of the consumer.
        public func updateConsumer<Result: Sendable>(
            named name: String, isDurable: Bool,
            _ update: (inout HistoryConsumerRecord<DefaultHistoryToken>?) throws -> Result
        ) throws -> Result {
            try requireWriteAccess()
            try requireHistory()
            try SwiftDataError.requireStorable(name, "name of the consumer", storeIdentifier: identifier)
            return try attributingErrors {
                do { return try self.update(name, isDurable, update) } catch is ConsumerTable.InsertedMeanwhile {
                    return try self.update(name, isDurable, update)
                }
            }
        }

        private func update<Result>(
            _ name: String, _ isDurable: Bool,
            _ update: (inout HistoryConsumerRecord<DefaultHistoryToken>?) throws -> Result
        ) throws -> Result {
            typealias Record = HistoryConsumerRecord<DefaultHistoryToken>
            var change: (before: Record?, after: Record?, result: Result)?
            // The record that remains after a lost connection shows whether it was changed.
            let resolution = CommitResolution<Result>(self) { connection in
                let table = ConsumerTable(connection, storeIdentifier: self.identifier)
                if let change, try table.record(named: change.after?.name ?? name)?.record == change.after {
                    return .committed(change.result)
                }
                return try table.record(named: name)?.record == change?.before
                    ? .rolledBack : .unknown("the consumer was changed since")
            }
            return try resolution.run { connection in
                try connection.transaction { connection in
                    // The server writes it to the disk later.
                    if !isDurable { try connection.run("SET LOCAL synchronous_commit = off") }
                    return try ConsumerTable(connection, storeIdentifier: identifier).update(named: name) { record in
                        let before = record
                        let result = try update(&record)
                        change = (before, record, result)
                        return result
                    }
                }
            }
        }

        /// Locks a consumer until its process ends or the returned object is released.
        ///
        /// The lock belongs to a separate connection, in addition to those of the configuration's limit. A proxy that
        /// assigns sessions to transactions has to assign a session to it for as long.
        ///
        /// - Throws: `SwiftDataError.historyConsumerNotFound`, or `SwiftDataError.storeUnavailable` if the server or the
        ///   proxy accepts no further connection.
        public func lockConsumer(named name: String) throws -> (any AnyObject & Sendable)? {
            try attributingErrors {
                let number =
                    try name.utf8.contains(0)
                    ? nil : pool.read { try ConsumerTable($0, storeIdentifier: identifier).record(named: name)?.id }
                guard let number else {
                    throw SwiftDataError.historyConsumerNotFound.with(
                        detail: "the store has no consumer \"\(name)\"", storeIdentifier: identifier)
                }
                return try ConsumerLock(number: number, of: identifier, pool)
            }
        }

        /// Applies it in the transaction of a save, before the changes are written.
        func apply(_ acknowledgement: HistoryAcknowledgement, _ connection: Connection) throws {
            do {
                try ConsumerTable(connection, storeIdentifier: identifier)
                    .update(named: acknowledgement.consumerName) { try acknowledgement.apply(to: &$0) }
            } catch is ConsumerTable.InsertedMeanwhile {
                // An acknowledgement does not insert consumers.
                throw SwiftDataError.storeBusy.with(detail: "another session inserted the consumer; try again")
            }
        }

        // MARK: Reading

        /// Returns the next transactions of a fetch, or one large transaction without its changes.
        ///
        /// - Complexity: Proportional to the returned changes, and to the transactions before and between them.
        public func fetchHistoryPage(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, changeCount: Int
        ) throws -> HistoryPage<DefaultHistoryTransaction> {
            let wanted = max(changeCount, 1)
            let largest = HistoryPage<DefaultHistoryTransaction>.largestTransaction(inPageOf: wanted)
            var descriptor = descriptor
            // Every transaction has at least one change.
            let isLimited = descriptor.fetchLimit > 0 && descriptor.fetchLimit <= UInt64(wanted)
            if !isLimited { descriptor.fetchLimit = UInt64(wanted) }
            return try readingHistory { positions in
                let query = try HistoryQuery(descriptor, self, positions.connection)
                let start = try query.start(positions)
                let found = try query.headers(positions.connection, after: start.position)
                let followers = try query.followers(of: found, after: start, positions.connection)
                if let first = found.first, first.changeCount > largest {
                    let followsDeletion = followers.contains(first.position)
                    return HistoryPage(
                        largeTransaction: first.transaction(
                            [], followsDeletion: followsDeletion, storeIdentifier: identifier))
                }
                var count: Int64 = 0
                var page: [HistoryHeader] = []
                for header in found {
                    guard count < wanted, header.changeCount <= largest else { break }
                    page.append(header)
                    count += header.changeCount
                }
                var reader = ChangeReader(positions.connection, HistoryCatalog(self))
                return HistoryPage(
                    transactions: try reader.transactions(page, followers: followers, storeIdentifier: identifier),
                    hasMore: page.count < found.count || !isLimited && found.count == wanted)
            }
        }

        /// Returns an upper bound of the number of changes after a token: concurrent transactions can count twice.
        ///
        /// - Complexity: O(log *n*) in the length of the history.
        public func estimatedChangeCount(after token: DefaultHistoryToken?) throws -> Int {
            try readingHistory { positions in
                let start = try token.map { try positions.checkedPosition($0, storeIdentifier: identifier) } ?? 0
                let result = try positions.connection.run(
                    """
                    SELECT next_change - coalesce((SELECT first_number FROM \(positions.connection.schema).chronicle_transaction WHERE position > $1 \
                    ORDER BY position LIMIT 1), next_change) FROM \(positions.connection.schema).chronicle_history
                    """, Parameters(.int64(start)))
                return Int(result.int64(0, 0))
            }
        }

        /// Returns the identifiers of the models of an entity in the order of their primary keys.
        ///
        /// - Complexity: O(*n* + log *m*), where *n* is the number of returned identifiers and *m* that of the models.
        public func identifiers(
            of entity: Schema.Entity, after identifier: PersistentIdentifier?, limit: Int
        ) throws -> [PersistentIdentifier] {
            let table = try layout.table(named: entity.name)
            let parameters = Parameters(.int64(identifier?.integerPrimaryKey ?? .min), .int64(Int64(limit)))
            let kind =
                FetchSQL.kind(of: entity, in: schema, isExact: true, dialect: layout.dialect).map { " AND \($0.sql)" }
                ?? ""
            return try attributingErrors {
                try pool.read { connection in
                    let result = try connection.run(
                        """
                        SELECT \(FetchSQL.table).\(EntityTable.primaryKey) \
                        FROM \(connection.table(table.name)) AS \(FetchSQL.table) \
                        WHERE \(FetchSQL.table).\(EntityTable.primaryKey) > $1\(kind) ORDER BY 1 LIMIT $2
                        """, parameters)
                    return (0..<result.count).map { table.origin.identifier(result.int64($0, 0)) }
                }
            }
        }
    }
#endif
