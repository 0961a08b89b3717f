#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import Foundation

    /// A descriptor, translated to SQL without reading the history.
    struct HistoryQuery {
        /// The condition on `h`, or `nil` if there is none. It omits required lower bounds.
        private let condition: SQLQuery?
        /// The terms of ORDER BY.
        private let order: [SQLQuery]
        /// The tokens that are lower or upper bounds anywhere in the predicate.
        let lowerBounds: [HistoryTokenBound<DefaultHistoryToken>]
        let upperBounds: [HistoryTokenBound<DefaultHistoryToken>]
        private let limit: SQLQuery
        private let dialect: PostgreSQLDialect

        /// Translates a descriptor.
        ///
        /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor``.
        init(
            _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, storeIdentifier: String, catalog: HistoryCatalog
        ) throws {
            dialect = catalog.dialect
            order = try Self.order(descriptor.sortBy, storeIdentifier, catalog)
            let hasLimit = ![0, .max].contains(descriptor.fetchLimit)
            limit = dialect.limit(
                hasLimit ? Int64(clamping: descriptor.fetchLimit) : nil,
                offset: descriptor.fetchOffset > 0 ? Int64(clamping: descriptor.fetchOffset) : nil)
            guard let predicate = descriptor.predicate else {
                (condition, lowerBounds, upperBounds) = (nil, [], [])
                return
            }
            let tree = try PredicateTree(predicate)
            let bounds = HistoryTokenBounds<DefaultHistoryToken>(tree)
            (lowerBounds, upperBounds) = (bounds.lower, bounds.upper)
            var translator = PredicateSQL(source: HistorySource(storeIdentifier: storeIdentifier, catalog: catalog))
            condition = try translator.whereCondition(tree) { $0.isTokenLowerBound }
        }

        private static func order(
            _ descriptors: [SortDescriptor<DefaultHistoryTransaction>], _ storeIdentifier: String,
            _ catalog: HistoryCatalog
        ) throws -> [SQLQuery] {
            var terms: [SQLQuery] = []
            for descriptor in descriptors {
                let property = descriptor.keyPath.flatMap { HistoryProperty($0) }
                guard let property, property.isOrdered, descriptor.isLexical else {
                    throw SwiftDataError.unsupportedSortDescriptor.with(
                        detail: "the history cannot be sorted by \(property?.name ?? "this key path"); sort the result "
                            + "instead")
                }
                let isDescending = descriptor.order == .reverse
                switch property {
                case .storeIdentifier: continue
                // Positions are unique, so further terms have no effect.
                case .token, .transactionIdentifier: return terms + [isDescending ? "h.position DESC" : "h.position"]
                default:
                    var source = HistorySource(storeIdentifier: storeIdentifier, catalog: catalog)
                    let path = PredicateTree.Path(variable: .subject, properties: [property])
                    terms.append(catalog.dialect.order(try source.operand(path), isDescending: isDescending))
                }
            }
            return terms + ["h.position"]
        }

        /// Returns the position after which transactions can match, after checking the tokens.
        ///
        /// - Throws: ``SwiftDataError/historyTokenExpired``, or an error of its family.
        func start(_ positions: HistoryPositions) throws -> Int64 {
            var start: Int64 = 0
            for bound in lowerBounds {
                let position = try positions.lowerBound(bound.token, isInclusive: bound.isInclusive)
                if bound.isRequired { start = max(start, bound.isInclusive ? position - 1 : position) }
            }
            return start
        }

        /// Returns the statement for the matching transactions.
        ///
        /// - Parameters:
        ///   - selection: The selected columns.
        ///   - start: The position after which transactions match.
        func statement(_ selection: String, after start: Int64) -> (sql: String, Parameters) {
            let filter: SQLQuery = condition.map { " AND (\($0))" } ?? ""
            let query: SQLQuery = """
                SELECT \(raw: selection) FROM \(raw: dialect.table("chronicle_transaction")) AS h WHERE h.position > \(value: .integer(start))\
                \(filter) ORDER BY \(order.joined(", "))\(limit)
                """
            return (query.sql(for: dialect), Parameters(query.bindings))
        }

        func headers(_ connection: Connection, after start: Int64) throws -> [HistoryHeader] {
            let (sql, parameters) = statement(HistoryHeader.columns, after: start)
            let result = try connection.run(sql, parameters)
            return try (0..<result.count).map { try HistoryHeader(result, $0) }
        }
    }

    extension PredicateTree<HistoryProperty> {
        /// Whether the expression only requires transactions after a token.
        fileprivate var isTokenLowerBound: Bool {
            guard let (order, _) = comparison(with: DefaultHistoryToken.self) else { return false }
            return order == .greater || order == .greaterOrEqual
        }
    }
#endif
