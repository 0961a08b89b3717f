#if Postgres
    import ChronicleCore

    struct ChangeReader {
        private let connection: Connection
        private var decoder: ChangeDecoder

        /// About the number of changes that a statement returns. The server executes the next statement while those of the
        /// previous one are decoded, as long as their rows fit into the buffers between the two.
        private static let partSize: Int64 = 2_000
        /// The parts of longer transactions have more changes.
        private static let largestNumberOfParts: Int64 = 10_000
        private static let pipelineLength = 64

        init(_ connection: Connection, _ catalog: HistoryCatalog, returnsStoredValues: Bool = false) {
            self.connection = connection
            decoder = ChangeDecoder(catalog, returnsStoredValues: returnsStoredValues)
        }

        /// Returns the transactions in the order of the headers.
        mutating func transactions(
            _ headers: [HistoryHeader], followers: Set<Int64>, storeIdentifier: String
        ) throws -> [DefaultHistoryTransaction] {
            let changes = try withCatalog { reader in try reader.changes(of: headers) }
            return zip(headers, changes).map {
                $0.transaction(
                    $1, followsDeletion: followers.contains($0.position), storeIdentifier: storeIdentifier)
            }
        }

        /// Returns the changes in the order in which they were made, after the change `number`.
        mutating func changes(of header: HistoryHeader, after number: Int64?, limit: Int) throws -> [HistoryChange] {
            let after = number.map { header.firstChange + ($0 - header.firstNumber) } ?? header.firstChange - 1
            let result = try connection.run(
                """
                SELECT \(ChangeDecoder.columns) FROM \(connection.schema).chronicle_change AS c WHERE c.transaction = $1 \
                AND c.id > $2 AND c.id <= $3 ORDER BY c.id LIMIT $4
                """,
                Parameters(
                    .xid8(header.transaction), .int64(after), .int64(header.lastChange), .int64(Int64(limit))))
            return try withCatalog { reader in
                try (0..<result.count).map { try reader.decoder.change(result, $0, of: header) }
            }
        }

        /// `entities` are those that the model can have. The changes begin after the change `number`, or before it in
        /// reverse order.
        mutating func changes(
            ofModel key: Int64, _ entities: [Int64], beyond number: Int64?, isReverse: Bool, limit: Int
        ) throws -> [(header: HistoryHeader, change: HistoryChange)] {
            let (comparison, order) = isReverse ? ("<", " DESC") : (">", "")
            let result = try connection.run(
                """
                SELECT \(ChangeDecoder.columns), \(HistoryHeader.columns) FROM \(connection.schema).chronicle_change AS c \
                JOIN \(connection.schema).chronicle_transaction AS h \
                ON h.transaction = c.transaction AND c.id BETWEEN h.first_change AND h.last_change \
                WHERE c.entity = ANY($1) AND c.primary_key = $2 \
                AND h.first_number + c.id - h.first_change \(comparison) $3 \
                ORDER BY h.position\(order), c.id\(order) LIMIT $4
                """,
                Parameters(
                    .array(ParameterArray(entities)), .int64(key), .int64(number ?? (isReverse ? .max : .min)),
                    .int64(Int64(limit))))
            return try withCatalog { reader in
                try (0..<result.count).map { row in
                    let header = try HistoryHeader(result, row, at: ChangeDecoder.nextColumn)
                    return (header, try reader.decoder.change(result, row, of: header))
                }
            }
        }

        /// Another process may have added entities or attributes.
        private mutating func withCatalog<Result>(_ body: (inout Self) throws -> Result) throws -> Result {
            do { return try body(&self) } catch let error as HistoryCatalog.Outdated {
                try decoder.reload(connection, for: error)
                do { return try body(&self) } catch let error as HistoryCatalog.Outdated {
                    try decoder.reload(connection, for: error)
                    throw error
                }
            }
        }

        // MARK: Parts

        private struct Part {
            let headers: Range<Int>
            let access: Access
        }

        private enum Access {
            /// The changes of one transaction.
            case changes(ClosedRange<Int64>)
            /// A range of the index, which may contain changes of other transactions. The statement returns at most as many
            /// rows, and not all changes if there are too many others.
            case range(limit: Int64)
            /// A lookup in the index for each transaction.
            case lookups
        }

        private static func parts(of headers: [HistoryHeader]) -> [Part] {
            var parts: [Part] = []
            var start = 0
            while start < headers.count {
                var (end, count) = (start, 0 as Int64)
                while end < headers.count, end == start || headers[end].changeCount <= partSize - count {
                    count += headers[end].changeCount
                    end += 1
                }
                if end > start + 1 {
                    // In commit order and without gaps, most identifiers of the server are those of these transactions.
                    let isContiguous = headers[end - 1].position - headers[start].position == Int64(end - start - 1)
                    parts.append(
                        Part(
                            headers: start..<end,
                            access: isContiguous ? .range(limit: count + count / 4 + 64) : .lookups))
                } else {
                    let header = headers[start]
                    let distance = header.lastChange - header.firstChange
                    let width = distance / min((count - 1) / partSize + 1, largestNumberOfParts)
                    parts += stride(from: header.firstChange, through: header.lastChange, by: Int(width) + 1).map {
                        Part(headers: start..<end, access: .changes($0...$0 + min(width, header.lastChange - $0)))
                    }
                }
                start = end
            }
            return parts
        }

        private mutating func changes(of headers: [HistoryHeader]) throws -> [[HistoryChange]] {
            var changes = [[HistoryChange]](repeating: [], count: headers.count)
            let parts = Self.parts(of: headers)
            try read(parts, of: headers, into: &changes)
            let incomplete = parts.filter { part in
                guard case .range = part.access else { return false }
                return part.headers.contains { changes[$0].count != headers[$0].changeCount }
            }
            for index in incomplete.lazy.flatMap(\.headers) { changes[index] = [] }
            try read(incomplete.map { Part(headers: $0.headers, access: .lookups) }, of: headers, into: &changes)
            return changes
        }

        private mutating func read(
            _ parts: [Part], of headers: [HistoryHeader], into changes: inout [[HistoryChange]]
        ) throws {
            for start in stride(from: 0, to: parts.count, by: Self.pipelineLength) {
                let parts = parts[start..<min(start + Self.pipelineLength, parts.count)]
                var pipeline = Pipeline()
                for part in parts { add(part, headers[part.headers], to: &pipeline) }
                try connection.run(pipeline) { index, result in
                    try decode(result, parts[start + index], headers, into: &changes)
                }
            }
        }

        private func add(_ part: Part, _ headers: ArraySlice<HistoryHeader>, to pipeline: inout Pipeline) {
            let columns = ChangeDecoder.columns
            switch part.access {
            case .changes(let numbers):
                pipeline.add(
                    """
                    SELECT \(columns) FROM \(connection.schema).chronicle_change AS c \
                    WHERE c.transaction = $1 AND c.id BETWEEN $2 AND $3 \
                    ORDER BY c.id
                    """,
                    Parameters(
                        .xid8(headers.first?.transaction ?? 0), .int64(numbers.lowerBound), .int64(numbers.upperBound)))
            case .range(let limit):
                let transactions = headers.lazy.map(\.transaction)
                pipeline.add(
                    """
                    SELECT \(columns), c.transaction FROM \(connection.schema).chronicle_change AS c WHERE c.transaction BETWEEN $1 AND $2 \
                    ORDER BY c.transaction, c.id LIMIT $3
                    """,
                    Parameters(
                        .xid8(transactions.min() ?? 0), .xid8(transactions.max() ?? 0), .int64(limit)))
            case .lookups:
                var (transactions, first, last) = (ParameterArray(.xid8), ParameterArray(.int8), ParameterArray(.int8))
                for header in headers {
                    transactions.append(header.transaction)
                    first.append(header.firstChange)
                    last.append(header.lastChange)
                }
                // A join of the two could be executed by reading the whole table.
                pipeline.add(
                    """
                    SELECT \(columns), t.number FROM \(rows(of: ["$1", "$2", "$3"])) WITH ORDINALITY \
                    AS t(transaction, first, last, number) CROSS JOIN LATERAL (SELECT * FROM \(connection.schema).chronicle_change AS c \
                    WHERE c.transaction = t.transaction AND c.id BETWEEN t.first AND t.last ORDER BY c.id) AS c \
                    ORDER BY t.number
                    """, Parameters(.array(transactions), .array(first), .array(last)))
            }
        }

        // MARK: Rows

        private mutating func decode(
            _ result: QueryResult, _ part: Part, _ headers: [HistoryHeader], into changes: inout [[HistoryChange]]
        ) throws {
            func append(_ rows: some Collection<Int>, to index: Int) throws {
                changes[index].reserveCapacity(changes[index].count + rows.count)
                for row in rows { changes[index].append(try decoder.change(result, row, of: headers[index])) }
            }
            if case .changes = part.access {
                try append(0..<result.count, to: part.headers.lowerBound)
                return
            }
            var indices: [Int64: Int] = [:]
            if case .range = part.access {
                for index in part.headers { indices[headers[index].transaction] = index }
            }
            var row = 0
            while row < result.count {
                let key = result.int64(row, ChangeDecoder.nextColumn)
                var end = row + 1
                while end < result.count, result.int64(end, ChangeDecoder.nextColumn) == key { end += 1 }
                let rows = row..<end
                row = end
                guard case .range = part.access else {
                    // The statement does not order them, although the server returns them in order.
                    try append(
                        rows.sorted { result.int64($0, 0) < result.int64($1, 0) },
                        to: part.headers.lowerBound + Int(key) - 1)
                    continue
                }
                guard let index = indices[key] else { continue }
                // In a restored dump, an earlier transaction may have the same identifier.
                let numbers = headers[index].firstChange...headers[index].lastChange
                let isOther = { (row: Int) in !numbers.contains(result.int64(row, 0)) }
                try append(rows.drop(while: isOther).prefix { !isOther($0) }, to: index)
            }
        }
    }
#endif
