#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The changes of some transactions, or a part of those of a long one.
    struct SealedChangePage {
        /// The indices of the transactions.
        let headers: Range<Int>
        private let transactions: ArraySlice<SealedHistoryReader.Header>
        private let includesValues: Bool
        private let includesCommitments: Bool
        /// The entities whose changes have commitments to their keys.
        private let numberedEntities: Set<Int64>
        private var rows: QueryResult?
        private var row = 0
        private var commitments: QueryResult?
        private var commitment = 0
        // The changes of the current transaction that were read.
        private var index: Int
        private var count: Int64 = 0
        private var first: Int64?
        private var last: Int64?

        /// The number of changes that a statement returns.
        private static let size: Int64 = 2_000

        /// - Parameter headers: The first transaction, and those that follow it.
        init(
            _ headers: ArraySlice<SealedHistoryReader.Header>, includesValues: Bool, includesCommitments: Bool,
            numberedEntities: Set<Int64>
        ) {
            var end = headers.startIndex + 1
            var sum = headers[headers.startIndex].changeCount
            while end < headers.endIndex, sum <= Self.size, headers[end].changeCount <= Self.size - sum {
                sum += headers[end].changeCount
                end += 1
            }
            (self.headers, index) = (headers.startIndex..<end, headers.startIndex)
            transactions = headers[..<end]
            (self.includesValues, self.includesCommitments) = (includesValues, includesCommitments)
            self.numberedEntities = numberedEntities
        }

        /// Whether the changes of a transaction that were read are those that its row states.
        func isExact(_ header: SealedHistoryReader.Header) -> Bool {
            count == header.changeCount && first == header.firstChange && last == header.lastChange
        }

        /// Reads the next change of the transaction at an index. Returns `false` after the last one.
        mutating func next(
            of index: Int, _ header: SealedHistoryReader.Header, into change: inout ChronicleCore.RecordedChange,
            _ connection: Connection
        ) throws -> Bool {
            if self.index != index { (self.index, count, first, last) = (index, 0, nil, nil) }
            if rows == nil { try load(after: nil, connection) }
            while let rows {
                if row < rows.count {
                    let number = Int(rows.int64(row, 0))
                    if number > index { return false }
                    defer { row += 1 }
                    // The caller did not read those of an earlier transaction.
                    if number < index { continue }
                    do { try decode(rows, row, header, into: &change) } catch is PostgresError {
                        // The type of a column allows several dimensions.
                        throw Self.damaged(header.number(rows.int64(row, 1)), "a value is not a list")
                    }
                    return true
                }
                guard transactions.count == 1, rows.count == Self.size else { return false }
                try load(after: rows.int64(rows.count - 1, 1), connection)
            }
            return false
        }

        /// The keys of some entities in the changes from the last one that was read on, up to the end of what was loaded.
        func keys(of entities: Set<Int64>) -> Set<SealedKey> {
            guard let rows else { return [] }
            var keys: Set<SealedKey> = []
            for row in max(row - 1, 0)..<rows.count {
                let entity = rows.int64(row, 2)
                if entities.contains(entity) {
                    keys.insert(SealedKey(entity: entity, number: rows.int64(row, 4)))
                }
            }
            return keys
        }

        // MARK: Loading

        /// - Parameter last: The last change of the only transaction that was read.
        private mutating func load(after last: Int64?, _ connection: Connection) throws {
            let schema = connection.schema
            let columns = includesValues ? "c.old_values, c.new_values" : "NULL::text[], NULL::text[]"
            // Another program can have dropped the primary key of the table.
            let key =
                numberedEntities.isEmpty
                ? "NULL::bytea"
                : "(SELECT k.commitment FROM \(schema).\(SealTables.commitmentKey) AS k "
                    + "WHERE k.entity = c.entity AND k.number = c.primary_key LIMIT 1)"
            var parameters: [ParameterArray] = [
                ParameterArray(.xid8), ParameterArray(.int8), ParameterArray(.int8), ParameterArray(.int8),
                ParameterArray(.int8),
            ]
            for (index, header) in zip(headers, transactions) {
                parameters[0].append(header.identifier)
                parameters[1].append(last.map { $0 &+ 1 } ?? header.firstChange)
                parameters[2].append(header.lastChange)
                // One more than there should be, which shows that there are others.
                parameters[3].append(transactions.count == 1 ? Self.size : header.changeCount + 1)
                parameters[4].append(Int64(index))
            }
            var values = Parameters()
            for array in parameters { values.append(array) }
            let rows = try connection.run(
                """
                SELECT t.number, c.id, c.entity, c.kind, c.primary_key, c.attributes, c.preserved, \(columns), \
                \(key) \
                FROM \(ChroniclePostgres.rows(of: ["$1", "$2", "$3", "$4", "$5"])) \
                AS t(transaction, first, last, size, number) CROSS JOIN LATERAL (SELECT * \
                FROM \(schema).chronicle_change AS c WHERE c.transaction = t.transaction \
                AND c.id BETWEEN t.first AND t.last ORDER BY c.id LIMIT t.size) AS c ORDER BY t.number, c.id
                """, values)
            (self.rows, row) = (rows, 0)
            guard includesCommitments, rows.count > 0, let first = transactions.first, let end = transactions.last
            else {
                (commitments, commitment) = (nil, 0)
                return
            }
            // In a part of a transaction, those of the changes in the part.
            let isPart = transactions.count == 1
            commitments = try connection.run(
                """
                SELECT transaction, change, place, attribute, key, commitment, event \
                FROM \(schema).\(SealTables.commitment) WHERE transaction BETWEEN $1 AND $2 AND change BETWEEN $3 AND $4 \
                AND NOT (change = 0 AND place = 0) ORDER BY transaction, change, place
                """,
                Parameters(
                    .int64(first.transaction.position), .int64(end.transaction.position),
                    .int64(isPart ? first.number(rows.int64(0, 1)) : .min),
                    .int64(isPart ? first.number(rows.int64(rows.count - 1, 1)) : .max)))
            commitment = 0
        }

        // MARK: Decoding

        private mutating func decode(
            _ rows: QueryResult, _ row: Int, _ header: SealedHistoryReader.Header,
            into change: inout ChronicleCore.RecordedChange
        ) throws {
            let identifier = rows.int64(row, 1)
            count += 1
            first = first ?? identifier
            last = identifier
            let number = header.number(identifier)
            change.position = number
            change.entity = rows.int64(row, 2)
            if numberedEntities.contains(change.entity) {
                // Without its commitment, the transaction has another hash.
                change.key = .numbered(rows.int64(row, 4), try rows.optionalDigest(row, 9) ?? .zero)
            } else {
                change.key = .integer(rows.int64(row, 4))
            }
            switch rows.bytes(row, 3).first {
            case UInt8(ascii: "i"): change.change = .insert
            case UInt8(ascii: "u"): change.change = .update
            case UInt8(ascii: "d"): change.change = .delete
            default: throw Self.damaged(number, "its kind is unknown")
            }
            change.attributes.removeAll(keepingCapacity: true)
            if change.change == .update {
                var attributes = try ArrayElements(rows.bytes(row, 5))
                change.attributes += try attributes.int64s().sorted()
            }
            try decodeSlots(rows, row, header.transaction.position, into: &change)
        }

        private mutating func decodeSlots(
            _ rows: QueryResult, _ row: Int, _ position: Int64, into change: inout ChronicleCore.RecordedChange
        ) throws {
            var numbers = try ArrayElements(rows.bytes(row, 6))
            let preserved = try numbers.int64s()
            let before = try values(rows.bytes(row, 7), preserved.count, change.position)
            let after = try values(rows.bytes(row, 8), preserved.count, change.position)
            var element = 0
            var place: Int64 = 0
            change.slots.removeAll(keepingCapacity: true)
            func append(_ commitment: RecordedCommitment?, hasValue: Bool) {
                var slot = RecordedSlot(
                    row: .place(transaction: position, change: change.position, place: place),
                    attribute: hasValue ? preserved[element] : nil)
                if hasValue {
                    if includesValues { slot.value = (before?[element] ?? .null, after?[element] ?? .null) }
                    element += 1
                }
                slot.commitment = commitment
                change.slots.append(slot)
            }
            while let known = try nextCommitment(of: position, change.position) {
                place = known.place
                // An erasure removes all elements of an attribute, so those that remain are found in order.
                append(
                    known.commitment,
                    hasValue: element < preserved.count && preserved[element] == known.commitment.attribute)
            }
            while element < preserved.count {
                place &+= 1
                append(nil, hasValue: true)
            }
        }

        /// The next commitment of a change.
        private mutating func nextCommitment(
            of transaction: Int64, _ change: Int64
        ) throws -> (place: Int64, commitment: RecordedCommitment)? {
            guard let commitments else { return nil }
            while commitment < commitments.count {
                let found = (commitments.int64(commitment, 0), commitments.int64(commitment, 1))
                if found > (transaction, change) { return nil }
                defer { commitment += 1 }
                // A commitment of a change that does not exist.
                if found < (transaction, change) { continue }
                return (
                    commitments.int64(commitment, 2),
                    RecordedCommitment(
                        attribute: commitments.optionalInt64(commitment, 3),
                        key: try commitments.optionalDigest(commitment, 4),
                        commitment: try commitments.optionalDigest(commitment, 5),
                        event: commitments.optionalInt64(commitment, 6))
                )
            }
            return nil
        }

        /// `nil` for NULL: the change has no values of this kind.
        private func values(
            _ texts: UnsafeRawBufferPointer, _ count: Int, _ change: Int64
        ) throws -> [RecordedValue]? {
            guard !texts.isEmpty else { return nil }
            var texts = try ArrayElements(texts)
            guard texts.count == count else { throw Self.damaged(change, "the numbers of its preserved values differ") }
            return try (0..<count).map { _ in
                guard let text = try texts.next() else { return .null }
                guard let value = PreservedText.recordedValue(text) else {
                    throw Self.damaged(change, "a preserved value is invalid")
                }
                return value
            }
        }

        private static func damaged(_ change: Int64, _ detail: String) -> SwiftDataError {
            .damagedFile.with(
                detail: "change \(change) of the history is damaged: \(detail); restore the tables from a backup")
        }
    }

    extension PreservedText {
        /// The same as ``value(_:)``, with the bytes of texts. `nil` if no trigger writes such a text.
        static func recordedValue(_ text: UnsafeRawBufferPointer) -> RecordedValue? {
            if text.first == UInt8(ascii: "t") { return .text(Array(text.dropFirst())) }
            return switch value(text) {
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .blob(let data): .binary(Array(data))
            default: nil
            }
        }
    }
#endif
