#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// Reads the sealed history of a database in pages. One of a verification is used in one transaction with one snapshot; that of
    /// the sealer in several, whose commits check that nothing has changed since.
    struct SealedHistoryReader: SealedHistoryReading {
        let store: [UInt8]
        var connection: Connection
        private let readsValues: Bool
        /// Whether the sealer reads, which needs no commitments, and seals nothing that is not as readers need it.
        private let isSealing: Bool
        private var seal = Int64.min
        /// The last position of the seal, and the number of its entries that were not returned as transactions.
        private var end = Int64.min
        private var missingCount = 0
        /// The last position up to which ``nextErasuresOfDeletedRows()`` looked for commitments.
        private var erasuresEnd = Int64.min
        /// The position of the last header of the page.
        private var position: Int64
        private var headers: [Header] = []
        /// The index of the next header.
        private var next = 0
        private var changes: SealedChangePage?
        private var isComplete = true
        /// The positions before which changes belong to no transaction; `nil` if they were not looked for yet.
        private var strays: Set<Int64>?
        /// Those of the newest seal that was read.
        private var numberedEntities: Set<Int64> = []
        /// The commitments to keys that were read, and the next one.
        private var keys: [RecordedKey] = []
        private var nextKeyIndex = 0
        /// The first key that was not read; `nil` before the first one.
        private var firstKey: SealedKey?
        private var hasAllKeys = false

        /// The number of headers of a page.
        private static let pageSize: Int64 = 500
        private static let keyPageSize: Int64 = 1_000

        struct Header {
            var transaction: RecordedTransaction
            /// The identifier that the server assigned.
            let identifier: Int64
            let firstChange: Int64
            let lastChange: Int64
            let changeCount: Int64

            /// The identifier of a change that readers see.
            func number(_ change: Int64) -> Int64 { transaction.first &+ (change &- firstChange) }
        }

        init(_ connection: Connection, storeIdentifier: String, includesValues: Bool) {
            store = Array(storeIdentifier.utf8)
            (self.connection, readsValues) = (connection, includesValues)
            (position, isSealing) = (.min, false)
        }

        /// A reader of transactions that are not sealed.
        init(_ connection: Connection, storeIdentifier: String, sealingAfter position: Int64) {
            store = Array(storeIdentifier.utf8)
            (self.connection, self.position) = (connection, position)
            (readsValues, isSealing) = (true, true)
        }

        // MARK: Seals

        mutating func nextSeal() throws -> RecordedSeal? {
            skipTransactions(through: end)
            let result = try connection.run(
                """
                SELECT \(SealTable.columns), transactions, catalog, public_key, signature \
                FROM \(connection.schema).\(SealTables.seal) WHERE number > $1 ORDER BY number LIMIT 1
                """, Parameters(.int64(seal)))
            guard result.count == 1 else {
                guard try !EventTable(connection).hasSealed(after: seal) else {
                    throw SwiftDataError.damagedFile.with(
                        detail: "seals that contain events are missing, which another program deleted")
                }
                return nil
            }
            seal = result.int64(0, 0)
            var recorded = try SealTable.seal(result)
            recorded.entries = try SealTable.entries(result, 7, ofSeal: seal)
            (erasuresEnd, end, missingCount) = (max(erasuresEnd, end), recorded.last, recorded.entries.count)
            recorded.catalog = result.optionalBytes(0, 8)
            if let bytes = recorded.catalog {
                // Other bytes do not have the hash.
                let entities = SealedCatalog(bytes: bytes)?.numberedEntities ?? []
                if entities != numberedEntities { (numberedEntities, changes) = (entities, nil) }
            }
            recorded.events = try EventTable(connection).events(ofSeal: seal)
            // The hash of the seal contains none.
            recorded.signature = RecordedSignature(
                storedKey: result.optionalBytes(0, 9), result.optionalBytes(0, 10))
            return recorded
        }

        /// Those of the previous seal that were not read.
        private mutating func skipTransactions(through last: Int64) {
            isComplete = true
            while next < headers.count, headers[next].transaction.position <= last { next += 1 }
            if next == headers.count { (headers, next, changes, position) = ([], 0, nil, max(position, last)) }
        }

        func unsealedEvents() throws -> [SealedEvent] { try EventTable(connection).unsealed() }

        func catalog() throws -> SealedCatalog { try SealedCatalog(connection) }

        /// The keys of a store are integers, which have no commitments.
        mutating func nextKey() throws -> RecordedKey? {
            if nextKeyIndex == keys.count, !hasAllKeys { try loadKeys() }
            guard nextKeyIndex < keys.count else { return nil }
            defer { nextKeyIndex += 1 }
            return keys[nextKeyIndex]
        }

        private mutating func loadKeys() throws {
            let table = SealedKeys(connection)
            var found = try table.commitments(from: firstKey, limit: Self.keyPageSize)
            // The next page begins with it.
            hasAllKeys = found.count <= Self.keyPageSize
            firstKey = found.last?.key
            if !hasAllKeys { found.removeLast() }
            let values = readsValues ? try table.values(of: found.map(\.key)) : [:]
            keys = found.map { key, commitment in
                RecordedKey(
                    entity: key.entity, number: key.number, columns: readsValues ? values[key] ?? [] : nil,
                    commitment: RecordedCommitment(
                        attribute: nil, key: commitment.key, commitment: commitment.commitment))
            }
            nextKeyIndex = 0
        }

        /// The keys of some entities in the changes that were loaded, from the last one that was read on.
        func loadedKeys(of entities: Set<Int64>) -> Set<SealedKey> { changes?.keys(of: entities) ?? [] }

        func transactionCount(after position: Int64) throws -> Int {
            let result = try connection.run(
                "SELECT count(*) FROM \(connection.schema).chronicle_transaction WHERE position > $1",
                Parameters(.int64(position)))
            return Int(result.int64(0, 0))
        }

        func bounds() throws -> RecordedHistoryBounds? {
            let result = try connection.run("SELECT floor, gap FROM \(connection.schema).chronicle_history")
            guard result.count == 1 else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the row of chronicle_history is missing; restore it from a backup")
            }
            return RecordedHistoryBounds(floor: result.int64(0, 0), purged: nil, gap: result.int64(0, 1))
        }

        // MARK: Transactions

        /// The number of changes of the current transaction.
        var changeCount: Int { headers.indices.contains(next - 1) ? Int(clamping: headers[next - 1].changeCount) : 0 }

        mutating func nextTransaction(through last: Int64) throws -> RecordedTransaction? {
            if next == headers.count {
                headers = try page(through: last)
                (next, changes) = (0, nil)
                position = headers.last?.transaction.position ?? position
            }
            isComplete = true
            guard next < headers.count, headers[next].transaction.position <= last else { return nil }
            isComplete = false
            next += 1
            missingCount -= 1
            var transaction = headers[next - 1].transaction
            if try !isSealing && isAfterStray(transaction.position) { transaction.strayPosition = transaction.position }
            return transaction
        }

        private func page(through last: Int64) throws -> [Header] {
            let schema = connection.schema
            var (commitment, join) = ("FALSE, NULL::bytea, NULL::bytea, NULL::bigint", "")
            if !isSealing {
                commitment = "k.transaction IS NOT NULL, k.key, k.commitment, k.event"
                join = """
                    LEFT JOIN \(schema).\(SealTables.commitment) AS k ON k.transaction = h.position AND k.change = 0 \
                    AND k.place = 0
                    """
            }
            let result = try connection.run(
                """
                SELECT h.position, h.transaction, h.first_change, h.last_change, h.change_count, h.first_number, h.check_value, \
                h.timestamp, h.recorded, h.author, h.context, h.bundle, h.process, \
                CASE jsonb_typeof(h.metadata) WHEN 'object' THEN EXISTS (SELECT FROM jsonb_each(h.metadata) AS m \
                WHERE jsonb_typeof(m.value) <> 'string') ELSE h.metadata IS NOT NULL END, \
                CASE jsonb_typeof(h.metadata) WHEN 'object' THEN (SELECT array_agg(m.key ORDER BY m.key COLLATE "C") \
                FROM jsonb_each_text(h.metadata) AS m) END, \
                CASE jsonb_typeof(h.metadata) WHEN 'object' THEN (SELECT array_agg(m.value ORDER BY m.key COLLATE "C") \
                FROM jsonb_each_text(h.metadata) AS m) END, \
                \(commitment) FROM \(schema).chronicle_transaction AS h \(join) \
                WHERE h.position > $1 AND h.position <= $2 ORDER BY h.position LIMIT $3
                """, Parameters(.int64(position), .int64(last), .int64(Self.pageSize)))
            return try (0..<result.count).map { try header(result, $0) }
        }

        private func header(_ result: QueryResult, _ row: Int) throws -> Header {
            func integer(_ column: Int) -> Int64 { result.int64(row, column) }
            let process = result.optionalBytes(row, 12)
            let position = integer(0)
            let (firstChange, lastChange, changeCount, first) = (integer(2), integer(3), integer(4), integer(5))
            // Readers throw an error, too.
            guard firstChange >= 0, lastChange >= firstChange, changeCount > 0,
                changeCount - 1 <= lastChange - firstChange,
                first >= 0, !first.addingReportingOverflow(lastChange - firstChange).overflow
            else {
                throw SwiftDataError.damagedFile.with(
                    detail: "the numbers of the changes of transaction \(position) are invalid; restore "
                        + "chronicle_transaction from a backup")
            }
            guard !result.bool(row, 13) else {
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "the metadata of transaction \(position) is invalid; restore chronicle_transaction from a backup"
                )
            }
            var transaction = RecordedTransaction(
                position: position, checkValue: integer(6), kind: process?.isEmpty ?? true ? .external : .ordinary,
                first: first)
            var description = SealedDescription(time: result.double(row, 7))
            description.serverTime = result.isNull(row, 8) ? nil : result.double(row, 8)
            description.author = result.optionalBytes(row, 9)
            description.context = result.optionalBytes(row, 10)
            description.program = result.optionalBytes(row, 11)
            description.process = process
            var (names, values) = (try ArrayElements(result.bytes(row, 14)), try ArrayElements(result.bytes(row, 15)))
            while names.count > 0, values.count > 0 {
                description.metadata.append((Array(try names.next() ?? .empty), Array(try values.next() ?? .empty)))
            }
            transaction.description = description
            transaction.countsTransactions = true
            if result.bool(row, 16) {
                transaction.commitment = RecordedCommitment(
                    attribute: nil, key: try result.optionalDigest(row, 17),
                    commitment: try result.optionalDigest(row, 18), event: result.optionalInt64(row, 19))
            }
            return Header(
                transaction: transaction, identifier: integer(1), firstChange: firstChange, lastChange: lastChange,
                changeCount: changeCount)
        }

        /// Whether a change precedes the transaction that belongs to none, numbered or pending.
        private mutating func isAfterStray(_ position: Int64) throws -> Bool {
            if let strays { return strays.contains(position) }
            let schema = connection.schema
            // The transactions have the order of their last changes.
            let result = try connection.run(
                """
                SELECT DISTINCT (SELECT min(h.position) FROM \(schema).chronicle_transaction AS h WHERE h.last_change >= s.id) \
                FROM (SELECT c.id FROM \(schema).chronicle_change AS c WHERE NOT EXISTS (SELECT \
                FROM \(schema).chronicle_transaction AS h WHERE h.transaction = c.transaction \
                AND c.id BETWEEN h.first_change AND h.last_change) AND NOT EXISTS (SELECT \
                FROM \(schema).chronicle_pending AS p WHERE p.transaction = c.transaction AND c.id > p.after) \
                ORDER BY c.id LIMIT 100) AS s
                """)
            // None if the change is newer than all transactions.
            let found = Set((0..<result.count).compactMap { result.optionalInt64($0, 0) })
            strays = found
            return found.contains(position)
        }

        mutating func nextErasuresOfDeletedRows() throws -> [(row: RecordedRow, event: Int64)] {
            let last = isComplete ? end : headers[next - 1].transaction.position
            defer { erasuresEnd = max(erasuresEnd, last) }
            // An entry without a transaction was deleted.
            guard missingCount > 0, last > erasuresEnd else { return [] }
            let schema = connection.schema
            let result = try connection.run(
                """
                SELECT k.transaction, k.change, k.place, k.event FROM \(schema).\(SealTables.commitment) AS k \
                WHERE k.transaction > $1 AND k.transaction <= $2 AND k.event IS NOT NULL AND NOT EXISTS (SELECT \
                FROM \(schema).chronicle_transaction AS h WHERE h.position = k.transaction) \
                ORDER BY k.transaction, k.change, k.place
                """, Parameters(.int64(erasuresEnd), .int64(last)))
            return (0..<result.count).map { row in
                let place = RecordedRow.place(
                    transaction: result.int64(row, 0), change: result.int64(row, 1), place: result.int64(row, 2))
                return (place, result.int64(row, 3))
            }
        }

        // MARK: Changes

        mutating func nextChange(into change: inout ChronicleCore.RecordedChange) throws -> Bool {
            guard !isComplete else { return false }
            let index = next - 1
            let header = headers[index]
            if changes == nil || changes?.headers.contains(index) == false {
                changes = SealedChangePage(
                    headers[index...], includesValues: readsValues, includesCommitments: !isSealing,
                    numberedEntities: numberedEntities)
            }
            if try changes?.next(of: index, header, into: &change, connection) == true { return true }
            isComplete = true
            guard changes?.isExact(header) == false else { return false }
            guard !isSealing else {
                throw SwiftDataError.damagedFile.with(
                    detail:
                        "the changes of transaction \(header.transaction.position) are not those that its row states; "
                        + "restore chronicle_transaction and chronicle_change from a backup")
            }
            // Readers use the number of the changes and the last one, which the hash does not contain. A difference must not remain
            // unnoticed, so the content is another one than that of the hash.
            change.position = header.number(header.lastChange)
            (change.change, change.entity, change.key) = (.delete, 0, .integer(0))
            change.attributes.removeAll(keepingCapacity: true)
            change.slots.removeAll(keepingCapacity: true)
            return true
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate static var empty: Self { Self(start: nil, count: 0) }
    }
#endif
