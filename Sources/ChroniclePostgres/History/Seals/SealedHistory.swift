#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// What the chain of seals requires of purges and deletions. Must be used in one transaction, in which writers hold the lock of
    /// the row of `chronicle_history`.
    struct SealedHistory: SealedHistoryRows {
        let connection: Connection
        let end: Int64
        let sealed: Date?
        let number: Int64

        var seals: SealTable { SealTable(connection) }
        var events: EventTable { EventTable(connection) }

        /// `nil` if the history is not sealed.
        init?(_ connection: Connection) throws {
            guard try SealTables.exist(connection) else { return nil }
            self.connection = connection
            let newest = try SealTable(connection).newestEnd()
            (end, number) = (newest?.end.last ?? 0, newest?.end.number ?? 0)
            sealed = newest?.time
        }

        private var commitments: String { "\(connection.schema).\(SealTables.commitment)" }

        // MARK: Purges

        /// The deletion of the first transactions of the history.
        struct Purge {
            let reason: PurgeReason
            /// The position up to which no transaction remains.
            let through: Int64
            /// The number of deleted transactions, all of which seals contain or none.
            let transactions: Int
        }

        /// Records a purge in its transaction, and deletes the seals before the last one that it reaches.
        func record(_ purge: Purge) throws {
            if purge.through > end { try recordUnproven(purge) } else { try recordSealed(purge) }
        }

        private func recordSealed(_ purge: Purge) throws {
            let boundary = try seals.last(through: purge.through)
            let detail = PurgeDetail(
                reason: purge.reason, through: purge.through, purged: nil, boundary: boundary?.number,
                transactions: purge.transactions)
            try events.extend(.purge, detail) { $0.extend(with: detail) }
            // Afterwards, so that the newest event is one that remains, and its number is not used again.
            if let boundary { try releaseSeals(before: boundary) }
        }

        private func recordUnproven(_ purge: Purge) throws {
            let first = end + 1
            let detail = UnprovenDetail(
                ranges: [[first, purge.through]], transactions: purge.transactions, reason: purge.reason)
            try events.extend(.unproven, detail) { $0.extend(with: detail, from: first) }
        }

        /// Deletes what precedes a seal, and its commitments.
        private func releaseSeals(before boundary: SealTable.End) throws {
            _ = try connection.pipeline { pipeline in
                for sql in SealTables.release("\(connection.schema).") {
                    pipeline.add(sql, Parameters(.int64(boundary.number)))
                }
                // Those that remain are the rows of erased values, which the events of the erasures count.
                pipeline.add("DELETE FROM \(commitments) WHERE transaction <= $1", Parameters(.int64(boundary.last)))
            }
        }

        /// Records that all models and the history are deleted, before the rows are.
        ///
        /// - Parameter newest: The position that follows the newest transaction. The history goes on after it.
        func recordDeletionOfAll(through newest: Int64) throws {
            if end > 0 {
                try recordSealed(Purge(reason: .erase, through: end, transactions: transactionCount(1...end)))
            }
            if end < newest {
                let transactions = try transactionCount(end + 1...newest)
                try recordUnproven(Purge(reason: .erase, through: newest, transactions: transactions))
            }
            // Of a seal that is about to be made.
            try connection.run("DELETE FROM \(commitments)")
        }

        func transactionCount(_ positions: ClosedRange<Int64>) throws -> Int {
            let result = try connection.run(
                "SELECT count(*) FROM \(connection.schema).chronicle_transaction WHERE position BETWEEN $1 AND $2",
                Parameters(.int64(positions.lowerBound), .int64(positions.upperBound)))
            return Int(result.int64(0, 0))
        }

        // MARK: Gaps and deletions

        /// Records that there is no transaction at a position, because recording was interrupted.
        func recordGap(_ position: Int64) throws {
            try events.add(.unproven, UnprovenDetail(ranges: [[position, position]], transactions: 0))
        }

        /// Deletes the keys and the commitments of transactions that are deleted. Without them, nothing can be guessed from the
        /// hash of the transaction, which its seal keeps. The rows of erased values remain until the seal is deleted, because the
        /// event of the erasure has their number and their hash.
        func deleteCommitments(_ positions: [Int64]) throws {
            let parameters = Parameters(.array(ParameterArray(positions)))
            _ = try connection.pipeline { pipeline in
                pipeline.add("DELETE FROM \(commitments) WHERE transaction = ANY($1) AND event IS NULL", parameters)
                pipeline.add(
                    """
                    UPDATE \(commitments) SET attribute = NULL, key = NULL, commitment = NULL WHERE transaction = ANY($1)
                    """, parameters)
            }
        }

        /// Records the deletion of transactions.
        ///
        /// - Parameter positions: Those of the transactions, ascending.
        func recordDeletion(_ positions: [Int64]) throws {
            var entries = DeletedEntries(SealTable(connection), EventTable(connection))
            let unsealed = positions.drop { $0 <= end }
            for position in positions[..<unsealed.startIndex] { try entries.addSealed(position) }
            var range: (first: Int64, last: Int64)?
            for position in unsealed {
                if let (first, last) = range, last != position - 1 {
                    entries.addUnproven([[first, last]], transactions: Int(last - first + 1))
                    range = nil
                }
                range = (range?.first ?? position, position)
            }
            if let (first, last) = range { entries.addUnproven([[first, last]], transactions: Int(last - first + 1)) }
            try entries.record()
        }

        // MARK: Erasures

        /// Removes the keys of values, in the transaction that erases the values, and records the erasure. Without its key, a
        /// commitment excludes no value. It remains, so that the transaction can be verified.
        ///
        /// - Parameters:
        ///   - positions: Those of the transactions of the changes.
        ///   - identifiers: The numbers of the changes in `chronicle_change`.
        ///   - detail: The detail of the event. The values are those of its attributes.
        func recordErasedValues(
            positions: ParameterArray, identifiers: ParameterArray, _ detail: ErasureDetail
        ) throws {
            let event = try events.extend(.erasure, detail) { $0.extend(with: detail) }
            let attributes = detail.attributes.map { Parameters.Value.array(ParameterArray($0)) }
            var parameters = Parameters(.array(positions), .array(identifiers), .int64(event))
            if let attributes { parameters.append(attributes) }
            let erased = try connection.run(
                """
                WITH erased AS (UPDATE \(commitments) AS k SET key = NULL, event = $3 FROM unnest($1, $2) AS r(position, id) \
                JOIN \(connection.schema).chronicle_transaction AS h ON h.position = r.position \
                AND r.id BETWEEN h.first_change AND h.last_change WHERE k.transaction = h.position \
                AND k.change = h.first_number + r.id - h.first_change AND k.key IS NOT NULL AND k.attribute IS NOT NULL\
                \(attributes == nil ? "" : " AND k.attribute = ANY($4)") RETURNING k.transaction) \
                SELECT DISTINCT transaction FROM erased ORDER BY 1
                """, parameters)
            var rest = (0..<erased.count).map { erased.int64($0, 0) }[...]
            while let first = rest.first, first <= end, let seal = try seals.first(endingFrom: first) {
                try events.addPart(nil, ofEvent: event, seal: seal.number)
                rest = rest.drop { $0 <= seal.last }
            }
        }
    }
#endif
