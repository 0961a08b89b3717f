#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// What the chain of seals requires of purges and deletions. Must be used in one transaction, in which writers hold the lock of
    /// the row of `chronicle_history`.
    ///
    /// Nothing is hashed here: purges, deletions and erasures write an event, which waits for the next seal. So programs without a
    /// cryptographic library keep the proofs.
    struct SealedHistory {
        let connection: Connection
        /// The last position of the newest seal, or 0 before the first one.
        let end: Int64
        /// When the newest seal was made.
        private let sealed: Date?
        /// Its number, or 0 before the first one.
        private let number: Int64

        /// `nil` if the history is not sealed.
        init?(_ connection: Connection) throws {
            guard try SealTables.exist(connection) else { return nil }
            self.connection = connection
            let newest = try SealTable(connection).newest()
            (end, number) = (newest?.last ?? 0, newest?.number ?? 0)
            sealed = newest.map { Date(timeIntervalSinceReferenceDate: $0.time) }
        }

        private var commitments: String { "\(connection.schema).\(SealTables.commitment)" }

        // MARK: Purges

        /// Keeps what is not sealed yet; `nil` after the last seal. The chain keeps it, not the record of the consumer, whose
        /// removal releases nothing.
        ///
        /// - Parameter lastSeen: When the consumer was seen last, if there is a record.
        func hold(lastSeen: Date?) throws -> RetentionHold? {
            if try EventTable(connection).contains(.ended, inSeal: number) { return nil }
            // The record is older if the run that made the seal was killed.
            let times = try [lastSeen, sealed ?? EventTable(connection).time(ofNewest: .begun)].compactMap { $0 }
            return RetentionHold(name: HistorySeal.consumerName, position: end, lastSeen: times.max() ?? .distantPast)
        }

        /// Returns the end of the last seal of which no transaction after a position remains: the last ones can have been deleted.
        /// A position after the newest seal, which a purge reaches only without the ``hold(lastSeen:)``, remains.
        func roundedDown(_ position: Int64) throws -> Int64 {
            guard position <= end else { return position }
            let table = SealTable(connection)
            if let seal = try table.first(endingFrom: position),
                try transactionCount(after: position, through: seal.last) == 0
            {
                return seal.last
            }
            return try table.last(through: position)?.last ?? 0
        }

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
            let boundary = try SealTable(connection).last(through: purge.through)
            let detail = PurgeDetail(
                reason: purge.reason, through: purge.through, purged: nil, boundary: boundary?.number,
                transactions: purge.transactions)
            try EventTable(connection).extend(.purge, detail) { $0.extend(with: detail) }
            // Afterwards, so that the newest event is one that remains, and its number is not used again.
            if let boundary { try releaseSeals(before: boundary) }
        }

        private func recordUnproven(_ purge: Purge) throws {
            let first = end + 1
            let detail = UnprovenDetail(
                ranges: [[first, purge.through]], transactions: purge.transactions, reason: purge.reason)
            try EventTable(connection).extend(.unproven, detail) { $0.extend(with: detail, from: first) }
        }

        /// Deletes what precedes a seal, and its commitments. The row of this seal remains, so that the next one can be verified.
        private func releaseSeals(before boundary: SealTable.End) throws {
            let schema = connection.schema
            let (seals, events) = ("\(schema).\(SealTables.seal)", "\(schema).\(SealTables.event)")
            let parts = "\(schema).\(SealTables.eventPart)"
            let statements = [
                """
                UPDATE \(seals) SET catalog = (SELECT catalog FROM \(seals) WHERE number < $1 AND catalog IS NOT NULL \
                ORDER BY number DESC LIMIT 1) WHERE number = $1 AND catalog IS NULL
                """,
                "DELETE FROM \(parts) WHERE event IN (SELECT id FROM \(events) WHERE seal < $1)",
                // The values of an erasure that is not sealed yet. Their commitments are deleted, also those of the boundary.
                "DELETE FROM \(parts) WHERE seal <= $1 AND content IS NULL",
                "DELETE FROM \(events) WHERE seal < $1",
                "DELETE FROM \(seals) WHERE number < $1",
            ]
            _ = try connection.pipeline { pipeline in
                for sql in statements { pipeline.add(sql, Parameters(.int64(boundary.number))) }
                // Those that remain are the rows of erased values, which the events of the erasures count.
                pipeline.add("DELETE FROM \(commitments) WHERE transaction <= $1", Parameters(.int64(boundary.last)))
            }
        }

        /// Records that all models and the history are deleted, before the rows are.
        ///
        /// - Parameter newest: The position that follows the newest transaction. The history goes on after it.
        func recordDeletionOfAll(through newest: Int64) throws {
            if end > 0 {
                try recordSealed(
                    Purge(reason: .erase, through: end, transactions: transactionCount(after: 0, through: end)))
            }
            let transactions = try transactionCount(after: end, through: newest)
            try recordUnproven(Purge(reason: .erase, through: newest, transactions: transactions))
            // Of a seal that is about to be made.
            try connection.run("DELETE FROM \(commitments)")
        }

        private func transactionCount(after position: Int64, through last: Int64) throws -> Int {
            let result = try connection.run(
                "SELECT count(*) FROM \(connection.schema).chronicle_transaction WHERE position > $1 AND position <= $2",
                Parameters(.int64(position), .int64(last)))
            return Int(result.int64(0, 0))
        }

        // MARK: Gaps and deletions

        /// Records that there is no transaction at a position, because recording was interrupted.
        func recordGap(_ position: Int64) throws {
            try EventTable(connection).add(.unproven, UnprovenDetail(ranges: [[position, position]], transactions: 0))
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
            let event = try EventTable(connection).extend(.erasure, detail) { $0.extend(with: detail) }
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
            while let first = rest.first, first <= end, let seal = try SealTable(connection).first(endingFrom: first) {
                try EventTable(connection).addPart(nil, ofEvent: event, seal: seal.number)
                rest = rest.drop { $0 <= seal.last }
            }
        }
    }
#endif
