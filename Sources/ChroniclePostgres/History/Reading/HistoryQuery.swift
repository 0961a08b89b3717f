#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// A descriptor as SQL for one snapshot of the database, in which the numbers of its entities are valid.
    struct HistoryQuery {
        let sql: HistorySQL
        private let limit: SQLQuery
        private let isInCommitOrder: Bool
        private let dialect: PostgreSQLDialect

        init(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ store: PostgresStore, _ connection: Connection
        ) throws {
            dialect = store.layout.dialect
            // Read once, and only for descriptors that name entities or models.
            var catalog: HistoryCatalog?
            let columns = PostgresHistoryColumns(dialect: dialect) { name, isRoot in
                let current = try catalog ?? HistoryCatalog(store, connection)
                catalog = current
                return current.numbers(ofEntity: name, isRoot: isRoot)
            }
            sql = try HistorySQL(descriptor, HistorySource(columns, storeIdentifier: store.identifier))
            isInCommitOrder = descriptor.sortBy.isEmpty
            let hasLimit = ![0, .max].contains(descriptor.fetchLimit)
            limit = dialect.limit(
                hasLimit ? Int64(clamping: descriptor.fetchLimit) : nil,
                offset: descriptor.fetchOffset > 0 ? Int64(clamping: descriptor.fetchOffset) : nil)
        }

        struct Start {
            /// The position after which transactions can match.
            var position: Int64
            /// The highest deleted position, or 0.
            let floor: Int64
        }

        /// Checks the tokens.
        func start(_ positions: HistoryPositions) throws -> Start {
            var start = Start(position: 0, floor: positions.state.floor)
            let skipped = sql.skipped { try isTrue($0, ofAuthor: $1, positions.connection) }
            for bound in sql.lowerBounds {
                let position = try positions.checkedPosition(
                    bound.token, isInclusive: bound.isInclusive, storeIdentifier: positions.storeIdentifier,
                    skipping: skipped)
                if bound.isRequired {
                    start.position = max(start.position, bound.isInclusive ? position - 1 : position)
                }
            }
            return start
        }

        private func isTrue(_ condition: SQLQuery, ofAuthor author: String?, _ connection: Connection) throws -> Bool {
            let name = author.map(PropertyValue.text) ?? .null
            let query: SQLQuery = """
                SELECT (\(condition)) IS TRUE FROM (SELECT CAST(\(value: name) AS text) COLLATE "C" AS author) AS h
                """
            return try connection.run(query.sql(for: dialect), Parameters(query.bindings)).bool(0, 0)
        }

        /// Returns the positions of those headers that follow deleted transactions; see
        /// `DefaultHistoryTransaction.followsDeletion`.
        func followers(of headers: [HistoryHeader], after start: Start, _ connection: Connection) throws -> Set<Int64> {
            guard start.floor > start.position else { return [] }
            // The positions before each header that could have been deleted.
            var candidates: [(header: Int64, first: Int64, last: Int64)] = []
            var previous = isInCommitOrder ? start.position : nil
            for position in headers.map(\.position).sorted() {
                let first = max(previous.map { $0 + 1 } ?? position - 1, start.position + 1)
                let last = min(position - 1, start.floor)
                if first <= last { candidates.append((position, first, last)) }
                previous = position
            }
            guard let first = candidates.first?.first, let last = candidates.last?.last else { return [] }
            let found = try connection.run(
                """
                SELECT before + 1, position - 1 FROM (\
                SELECT position, lag(position, 1, $1 - 1) OVER (ORDER BY position) AS before FROM (\
                SELECT position FROM \(connection.schema).chronicle_transaction WHERE position BETWEEN $1 AND $2 \
                UNION ALL SELECT $2 + 1) AS remaining) AS runs WHERE position > before + 1 ORDER BY position
                """, Parameters(.int64(first), .int64(last)))
            var deleted = (0..<found.count).map { (first: found.int64($0, 0), last: found.int64($0, 1)) }[...]
            var followers: Set<Int64> = []
            for candidate in candidates {
                while let range = deleted.first, range.last < candidate.first { deleted.removeFirst() }
                if let range = deleted.first, range.first <= candidate.last { followers.insert(candidate.header) }
            }
            return followers
        }

        func statement(_ selection: String, after start: Int64) -> (sql: String, Parameters) {
            let filter: SQLQuery = sql.condition.map { " AND (\($0))" } ?? ""
            let query: SQLQuery = """
                SELECT \(raw: selection) FROM \(raw: dialect.table("chronicle_transaction")) AS h WHERE h.position > \(value: .integer(start))\
                \(filter) ORDER BY \(sql.order.joined(", "))\(limit)
                """
            return (query.sql(for: dialect), Parameters(query.bindings))
        }

        func headers(_ connection: Connection, after start: Int64) throws -> [HistoryHeader] {
            let (sql, parameters) = statement(HistoryHeader.columns, after: start)
            let result = try connection.run(sql, parameters)
            return try (0..<result.count).map { try HistoryHeader(result, $0) }
        }
    }
#endif
