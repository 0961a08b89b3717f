#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The transactions of the next seal, whose commitments and hashes are computed while their rows are read.
    struct SealBatch: SealBatching {
        private struct Commitment {
            let change: Int64
            let place: Int64
            /// `nil` for a description.
            let attribute: Int64?
            let key: HistoryDigest
            let commitment: HistoryDigest
            let position: Int64
        }

        let catalog: [UInt8]
        private(set) var entries: [SealBatchEntry] = []
        private let hashing: any HistoryHashing
        private let classes: SealedClasses
        private let numberedEntities: Set<Int64>
        private var reader: SealedHistoryReader
        private var rowCount = 0
        private var commitments: [Commitment] = []
        /// The commitments to numbered keys, and those of them that are not written yet.
        private var keys: [SealedKey: HistoryDigest] = [:]
        private var newKeys: [(key: SealedKey, commitment: SealedKeyCommitment)] = []
        private static let maximumKeys = 10_000
        /// The transaction whose changes are read.
        private var transaction: (recorded: RecordedTransaction, hash: SealedTransaction)?
        private var change = ChronicleCore.RecordedChange()

        init(
            after position: Int64, storeIdentifier: String, _ hashing: any HistoryHashing, _ connection: Connection
        ) throws {
            let names = try SealedCatalog(connection)
            (catalog, classes) = (names.bytes, SealedClasses(names))
            numberedEntities = names.numberedEntities
            self.hashing = hashing
            reader = SealedHistoryReader(connection, storeIdentifier: storeIdentifier, sealingAfter: position)
        }

        /// Reads until there are enough commitments for a commit, or the batch is complete.
        mutating func read(through newest: Int64, _ connection: Connection) throws -> SealBatchProgress {
            let limits = HistorySealer.limits
            reader.connection = connection
            while true {
                if commitments.count + newKeys.count >= limits.page { return .page }
                if transaction != nil {
                    if try reader.nextChange(into: &change) { try hashChange(connection) } else { try endTransaction() }
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

        private mutating func hashChange(_ connection: Connection) throws {
            let key = try key(connection)
            transaction?.hash.append(
                change.change, at: change.position, entity: change.entity, key: key,
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

        // MARK: Numbered keys

        /// The key of the change.
        private mutating func key(_ connection: Connection) throws -> SealedTransaction.Key {
            guard case .integer(let number) = change.key, numberedEntities.contains(change.entity) else {
                return change.key
            }
            let key = SealedKey(entity: change.entity, number: number)
            if let commitment = keys[key] { return .numbered(number, commitment) }
            var missing = reader.loadedKeys(of: numberedEntities).filter { keys[$0] == nil }
            missing.insert(key)
            try addKeys(missing, connection)
            return .numbered(number, keys[key] ?? .zero)
        }

        /// Computes the commitments to keys (K). If the history does not have the values of a key, it is a commitment to none.
        private mutating func addKeys(_ missing: Set<SealedKey>, _ connection: Connection) throws {
            // A transaction can have any number of known keys, which are read again.
            if keys.count > Self.maximumKeys {
                keys = Dictionary(newKeys.map { ($0.key, $0.commitment.commitment) }, uniquingKeysWith: { $1 })
            }
            let table = SealedKeys(connection)
            let known = try table.commitments(to: missing)
            let values = try table.values(of: missing)
            for key in missing {
                let secret = known[key]?.key ?? .randomKey()
                let commitment = try hashing.commitment(
                    toKeyOf: key.entity, columns: values[key] ?? [], key: secret)
                keys[key] = commitment
                guard let known = known[key] else {
                    newKeys.append((key, SealedKeyCommitment(key: secret, commitment: commitment)))
                    continue
                }
                // An editor could have written a commitment for which the key is changed later.
                guard known.commitment == commitment else {
                    throw SealedKeys.damaged(key, "another program changed the commitment or the key")
                }
            }
        }

        private mutating func endTransaction() throws {
            guard let recorded = transaction?.recorded, let hash = try transaction?.hash.finish() else { return }
            entries.append(SealBatchEntry(position: recorded.position, checkValue: recorded.checkValue, hash: hash))
            transaction = nil
        }

        /// Writes the commitments of what was read since the last call.
        mutating func writeCommitments(_ connection: Connection) throws {
            if !newKeys.isEmpty { try SealedKeys(connection).insert(newKeys) }
            newKeys = []
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
