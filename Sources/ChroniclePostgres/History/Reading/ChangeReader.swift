#if Postgres
    import ChronicleCore

    /// Reads the changes of transactions.
    struct ChangeReader {
        private let connection: Connection
        private var catalog: HistoryCatalog
        /// Whether preserved values are returned as the store contains them; see
        /// ``HistoryChangesRequest/returnsStoredValues``.
        private let returnsStoredValues: Bool
        /// The names of attributes by the entity and the numbers of the attributes. Many changes share them.
        private var names: [NamesKey: [String]] = [:]
        private var latest: (entity: Int64, history: EntityHistory)?

        private struct NamesKey: Hashable {
            let entity: Int64
            let numbers: [Int64]
        }

        /// The number of changes that are read at a time. The server sorts them in memory.
        private static let pageSize: Int64 = 20_000

        init(_ connection: Connection, _ catalog: HistoryCatalog, returnsStoredValues: Bool = false) {
            (self.connection, self.catalog) = (connection, catalog)
            self.returnsStoredValues = returnsStoredValues
        }

        /// Returns the transactions of headers, in their order.
        mutating func transactions(
            _ headers: [HistoryHeader], storeIdentifier: String
        ) throws -> [DefaultHistoryTransaction] {
            var transactions: [DefaultHistoryTransaction] = []
            transactions.reserveCapacity(headers.count)
            var start = 0
            while start < headers.count {
                var (end, count) = (start, 0 as Int64)
                while end < headers.count, end == start || count + headers[end].changeCount <= Self.pageSize {
                    count += headers[end].changeCount
                    end += 1
                }
                let changes =
                    end == start + 1
                    ? [try changes(of: headers[start], after: nil, limit: .max)]
                    : try changes(of: headers[start..<end])
                for (header, changes) in zip(headers[start..<end], changes) {
                    transactions.append(header.transaction(changes, storeIdentifier: storeIdentifier))
                }
                start = end
            }
            return transactions
        }

        /// Returns changes of one transaction, in the order in which they were made.
        ///
        /// - Parameters:
        ///   - header: The transaction.
        ///   - number: The identifier of the change after which to begin, or `nil` for the first one.
        ///   - limit: The maximum number of changes.
        mutating func changes(of header: HistoryHeader, after number: Int64?, limit: Int) throws -> [HistoryChange] {
            var after = number.map { header.firstChange + ($0 - header.firstNumber) } ?? header.firstChange - 1
            var changes: [HistoryChange] = []
            while changes.count < limit {
                let count = min(Int64(limit - changes.count), Self.pageSize)
                let result = try connection.run(
                    """
                    SELECT \(Self.columns), 1 FROM chronicle_change AS c WHERE c.transaction = $1 \
                    AND c.id > $2 AND c.id <= $3 ORDER BY c.id LIMIT $4
                    """,
                    Parameters(.xid8(header.transaction), .int64(after), .int64(header.lastChange), .int64(count)))
                changes.reserveCapacity(changes.count + result.count)
                for row in 0..<result.count { changes.append(try change(result, row, header)) }
                guard result.count == count else { break }
                after = result.int64(result.count - 1, 0)
            }
            return changes
        }

        private mutating func changes(of headers: ArraySlice<HistoryHeader>) throws -> [[HistoryChange]] {
            var (transactions, first, last) = (ParameterArray(.xid8), ParameterArray(.int8), ParameterArray(.int8))
            for header in headers {
                transactions.append(header.transaction)
                first.append(header.firstChange)
                last.append(header.lastChange)
            }
            let result = try connection.run(
                """
                SELECT \(Self.columns), t.number FROM unnest($1, $2, $3) WITH ORDINALITY \
                AS t(transaction, first, last, number) JOIN chronicle_change AS c \
                ON c.transaction = t.transaction AND c.id BETWEEN t.first AND t.last ORDER BY t.number, c.id
                """, Parameters(.array(transactions), .array(first), .array(last)))
            var changes = [[HistoryChange]](repeating: [], count: headers.count)
            var row = 0
            for (index, header) in headers.enumerated() {
                while row < result.count, result.int64(row, 8) == Int64(index + 1) {
                    changes[index].append(try change(result, row, header))
                    row += 1
                }
            }
            return changes
        }

        /// Returns the changes of one model, with their transactions.
        ///
        /// - Parameters:
        ///   - key: The primary key of the model.
        ///   - entities: The numbers of the entities that the model can have.
        ///   - number: The identifier of the change after which to begin, or before which in reverse order.
        ///   - isReverse: Whether the newest change is the first one.
        ///   - limit: The maximum number of changes.
        mutating func changes(
            ofModel key: Int64, _ entities: [Int64], beyond number: Int64?, isReverse: Bool, limit: Int
        ) throws -> [(header: HistoryHeader, change: HistoryChange)] {
            let (comparison, order) = isReverse ? ("<", " DESC") : (">", "")
            let result = try connection.run(
                """
                SELECT \(Self.columns), \(HistoryHeader.columns) FROM chronicle_change AS c \
                JOIN chronicle_transaction AS h \
                ON h.transaction = c.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                WHERE c.entity = ANY($1) AND c.primary_key = $2 \
                AND h.first_number + c.id - h.first_change \(comparison) $3 \
                ORDER BY h.position\(order), c.id\(order) LIMIT $4
                """,
                Parameters(
                    .array(ParameterArray(entities)), .int64(key), .int64(number ?? (isReverse ? .max : .min)),
                    .int64(Int64(limit))))
            return try (0..<result.count).map { row in
                let header = try HistoryHeader(result, row, at: 8)
                return (header, try change(result, row, header))
            }
        }

        private static let columns =
            "c.id, c.entity, c.kind, c.primary_key, c.attributes, c.preserved, c.old_values, c.new_values"

        // MARK: Decoding

        private mutating func change(_ result: QueryResult, _ row: Int, _ header: HistoryHeader) throws -> HistoryChange
        {
            let number = result.int64(row, 1)
            let preserved = result.isNull(row, 5) ? [] : try result.int64s(row, 5)
            let attributes = result.isNull(row, 4) ? [] : try result.int64s(row, 4)
            let entity = try entity(number, attributes + preserved)
            let change = ChangeRow(
                number: header.firstNumber + (result.int64(row, 0) - header.firstChange), transaction: header.position,
                model: entity.origin.identifier(result.int64(row, 3)))
            switch result.bytes(row, 2).first {
            case UInt8(ascii: "i"):
                return entity.maker.insert(change, try values(result, row, preserved, entity, change))
            case UInt8(ascii: "u"):
                let names = names(of: attributes, entity, number)
                return entity.maker.update(change, names, try values(result, row, preserved, entity, change))
            case UInt8(ascii: "d"):
                let (values, none) = try tombstone(result, row, preserved, entity, change)
                return entity.maker.delete(change, values, nil: none)
            default: throw damaged("its kind is unknown", change)
            }
        }

        private mutating func entity(_ number: Int64, _ attributes: [Int64]) throws -> EntityHistory {
            if let latest, latest.entity == number, attributes.isEmpty { return latest.history }
            let entity = try catalog.entity(number, with: attributes, connection)
            latest = (number, entity)
            return entity
        }

        private mutating func names(of numbers: [Int64], _ entity: EntityHistory, _ number: Int64) -> [String] {
            let key = NamesKey(entity: number, numbers: numbers)
            if let known = names[key] { return known }
            let found = entity.names(numbers)
            names[key] = found
            return found
        }

        private func values(
            _ result: QueryResult, _ row: Int, _ numbers: [Int64], _ entity: EntityHistory, _ change: ChangeRow
        ) throws -> [PreservedValue] {
            guard !numbers.isEmpty else { return [] }
            let old = try stored(result, row, 6, numbers.count, change)
            let new = try stored(result, row, 7, numbers.count, change)
            return zip(numbers, zip(old, new)).sorted { $0.0 < $1.0 }.compactMap { number, values in
                guard let attribute = entity.attribute(number), !attribute.isOfOtherEntity else { return nil }
                let isStored = returnsStoredValues
                return PreservedValue(
                    name: attribute.name,
                    previousValue: attribute.value(values.0, of: change.model, isStored: isStored),
                    value: attribute.value(values.1, of: change.model, isStored: isStored))
            }
        }

        private func tombstone(
            _ result: QueryResult, _ row: Int, _ numbers: [Int64], _ entity: EntityHistory, _ change: ChangeRow
        ) throws -> ([(name: String, value: any Sendable)], nil: [String]) {
            guard !numbers.isEmpty else { return ([], []) }
            var values: [(name: String, value: any Sendable)] = []
            var none: [String] = []
            let old = try stored(result, row, 6, numbers.count, change)
            for (number, value) in zip(numbers, old).sorted(by: { $0.0 < $1.0 }) {
                guard let attribute = entity.attribute(number), !attribute.isOfOtherEntity else { continue }
                if let decoded = attribute.value(value, of: change.model, isStored: returnsStoredValues) {
                    values.append((attribute.name, decoded))
                } else {
                    none.append(attribute.name)
                }
            }
            return (values, none)
        }

        /// Returns the values of an array, which is NULL if the change has no values of this kind.
        private func stored(
            _ result: QueryResult, _ row: Int, _ column: Int, _ count: Int, _ change: ChangeRow
        ) throws -> [PropertyValue] {
            if result.isNull(row, column) { return Array(repeating: .null, count: count) }
            let texts = try result.texts(row, column)
            guard texts.count == count else { throw damaged("the numbers of its preserved values differ", change) }
            return try texts.map { text in
                guard let text else { return .null }
                guard let value = PreservedText.value(text) else {
                    throw damaged("a preserved value is invalid", change)
                }
                return value
            }
        }

        private func damaged(_ detail: String, _ change: ChangeRow) -> SwiftDataError {
            .damagedFile.with(
                detail:
                    "change \(change.number) of the history is damaged: \(detail); restore the tables from a backup",
                persistentIdentifier: change.model)
        }
    }
#endif
