#if Postgres
    import ChronicleCore

    /// The transactions of the next seal, whose commitments and hashes are computed while their rows are read.
    struct SealBatch {
        struct Entry {
            let position: Int64
            let checkValue: Int64
            let hash: HistoryDigest
        }

        private struct Commitment {
            let change: Int64
            let place: Int64
            /// `nil` for a description.
            let attribute: Int64?
            let key: HistoryDigest
            let commitment: HistoryDigest
            let position: Int64
        }

        enum Progress {
            /// There are commitments to write, and more to read.
            case page
            /// - Parameter isLast: Whether there are no more transactions.
            case complete(isLast: Bool)
        }

        let catalog: [UInt8]
        private(set) var entries: [Entry] = []
        private let hashing: any HistoryHashing
        private let classes: SealedClasses
        private var reader: SealedHistoryReader
        private var rowCount = 0
        private var commitments: [Commitment] = []
        /// The transaction whose changes are read.
        private var transaction: (recorded: RecordedTransaction, hash: SealedTransaction)?
        private var change = ChronicleCore.RecordedChange()

        init(
            after position: Int64, storeIdentifier: String, _ hashing: any HistoryHashing, _ connection: Connection
        ) throws {
            let names = try SealedCatalog(connection)
            (catalog, classes) = (names.bytes, SealedClasses(names))
            self.hashing = hashing
            reader = SealedHistoryReader(connection, storeIdentifier: storeIdentifier, sealingAfter: position)
        }

        /// Reads until there are enough commitments for a commit, or the batch is complete.
        ///
        /// - Parameter newest: The last position to seal.
        mutating func read(through newest: Int64, _ limits: HistorySealer.Limits, _ connection: Connection) throws
            -> Progress
        {
            reader.connection = connection
            while true {
                if commitments.count >= limits.page { return .page }
                if transaction != nil {
                    if try reader.nextChange(into: &change) { try hashChange() } else { try endTransaction() }
                    continue
                }
                guard entries.count < limits.transactions else { return .complete(isLast: false) }
                guard let next = try reader.nextTransaction(through: newest) else { return .complete(isLast: true) }
                guard entries.isEmpty || reader.changeCount < limits.rows - rowCount else {
                    return .complete(isLast: false)
                }
                try begin(next)
            }
        }

        private mutating func begin(_ recorded: RecordedTransaction) throws {
            guard let kind = recorded.kind, let description = recorded.description else { return }
            let key = HistoryDigest.randomKey()
            let commitment = try description.commitment(key: key, hashing)
            commitments.append(
                Commitment(
                    change: 0, place: 0, attribute: nil, key: key, commitment: commitment, position: recorded.position))
            transaction = (
                recorded,
                SealedTransaction(
                    position: recorded.position, checkValue: recorded.checkValue, kind: kind, description: commitment,
                    first: recorded.first, hashing)
            )
            // Of a damaged row, the number can be any. Reading its changes throws an error.
            rowCount += min(reader.changeCount, .max - 1 - rowCount) + 1
        }

        private mutating func hashChange() throws {
            transaction?.hash.append(
                change.change, at: change.position, entity: change.entity, key: change.key,
                attributes: change.attributes)
            for slot in change.slots {
                guard case .place(let position, let number, let place) = slot.row, let attribute = slot.attribute,
                    let value = slot.value
                else {
                    transaction?.hash.appendSlotWithoutValue()
                    continue
                }
                let key = HistoryDigest.randomKey()
                let names = classes.isClass(attribute, of: change.entity) ? classes.numbers : nil
                let commitment = try value.before.withSealed(classes: names) { before in
                    try value.after.withSealed(classes: names) { after in
                        try hashing.commitment(toAttribute: attribute, before: before, after: after, key: key)
                    }
                }
                transaction?.hash.append(attribute: attribute, commitment: commitment)
                commitments.append(
                    Commitment(
                        change: number, place: place, attribute: attribute, key: key, commitment: commitment,
                        position: position))
            }
        }

        private mutating func endTransaction() throws {
            guard let recorded = transaction?.recorded, let hash = try transaction?.hash.finish() else { return }
            entries.append(Entry(position: recorded.position, checkValue: recorded.checkValue, hash: hash))
            transaction = nil
        }

        /// Writes the commitments of what was read since the last call.
        mutating func writeCommitments(_ connection: Connection) throws {
            guard !commitments.isEmpty else { return }
            var integers = [ParameterArray](repeating: ParameterArray(.int8), count: 4)
            var digests = [ParameterArray](repeating: ParameterArray(.bytea), count: 2)
            for commitment in commitments {
                integers[0].append(commitment.position)
                integers[1].append(commitment.change)
                integers[2].append(commitment.place)
                if let attribute = commitment.attribute {
                    integers[3].append(attribute)
                } else {
                    integers[3].appendNull()
                }
                digests[0].append(commitment.key.data)
                digests[1].append(commitment.commitment.data)
            }
            var parameters = Parameters()
            for array in integers + digests { parameters.append(array) }
            try connection.run(
                """
                INSERT INTO \(connection.schema).\(SealTables.commitment)(transaction, change, place, attribute, key, commitment) \
                SELECT * FROM \(rows(of: ["$1", "$2", "$3", "$4", "$5", "$6"])) \
                AS t(transaction, change, place, attribute, key, commitment)
                """, parameters)
            commitments = []
        }
    }
#endif
