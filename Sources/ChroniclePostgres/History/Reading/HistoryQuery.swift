#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// A descriptor as SQL for one snapshot of the database, in which the numbers of its entities are valid.
    struct HistoryQuery {
        let sql: HistorySQL
        private let limit: SQLQuery
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
            let hasLimit = ![0, .max].contains(descriptor.fetchLimit)
            limit = dialect.limit(
                hasLimit ? Int64(clamping: descriptor.fetchLimit) : nil,
                offset: descriptor.fetchOffset > 0 ? Int64(clamping: descriptor.fetchOffset) : nil)
        }

        /// The position after which transactions can match, after checking the tokens.
        func start(_ positions: HistoryPositions) throws -> Int64 {
            var start: Int64 = 0
            for bound in sql.lowerBounds {
                let position = try positions.checkedPosition(
                    bound.token, isInclusive: bound.isInclusive, storeIdentifier: positions.storeIdentifier)
                if bound.isRequired { start = max(start, bound.isInclusive ? position - 1 : position) }
            }
            return start
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
