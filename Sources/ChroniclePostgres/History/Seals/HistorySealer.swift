#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    /// Seals the history of a database. See `Documentation/Design/0050-sealed-history.md` for the steps.
    ///
    /// Transactions are read without the lock of the row of `chronicle_history`. Each commit checks under the lock that nothing has
    /// happened since that the transactions depend on: an erasure, a deletion, a change of names, or another seal. Otherwise, what
    /// was read is discarded, so no key is ever written for a value that was erased meanwhile.
    struct HistorySealer {
        enum Step: Sendable {
            /// Before each transaction that reads.
            case read
            /// Before each commit.
            case begin, tidy, prepare, seal, end
        }

        /// What the sealer depends on has changed.
        private struct Changed: Error {}

        struct Limits: Sendable {
            /// The numbers of transactions and rows of a seal. A transaction with more rows is a seal alone.
            var transactions = 1_024
            var rows = 50_000
            /// The commitments of a commit.
            var page = 2_000
        }

        /// Tests use lower limits.
        @TaskLocal static var limits = Limits()

        let store: PostgresStore
        let hashing: any HistoryHashing
        let signer: (any SealSigning)?
        let observe: (Step) throws -> Void
        /// The number of the run. A later one replaces it in the record of the consumer, which ends this one: the lock of a
        /// consumer does not exclude a run that began after another program removed the record.
        private let fence = Int64.random(in: 0..<1 << 60)

        init(
            store: PostgresStore, hashing: any HistoryHashing, signer: (any SealSigning)?,
            observe: @escaping (Step) throws -> Void
        ) {
            (self.store, self.hashing, self.signer, self.observe) = (store, hashing, signer, observe)
        }

        /// Numbers the pending transactions, and creates the tables and the record of the consumer. Returns the newest position.
        func begin() throws -> Int64 {
            try observe(.begin)
            return try store.pool.use { connection in
                try connection.numberTransactions()
                return try connection.transaction { connection in
                    // An opening compares the definitions, which would change meanwhile.
                    if try !SealTables.exist(connection) { try SchemaCompletion.lock(connection) }
                    let positions = try lock(connection)
                    if try !SealTables.exist(connection) { try SealTables.create(positions) }
                    try updateRecord(connection) { _ in }
                    return positions.state.position
                }
            }
        }

        /// Seals the transactions up to a position while the consumer is locked, and returns the head.
        ///
        /// - Parameter isLast: Whether a last seal says that the history is not sealed any more.
        func run(through newest: Int64, isLast: Bool) throws -> HistorySeal {
            try store.pool.use { connection in
                try connection.transaction { connection in
                    _ = try lock(connection)
                    try updateRecord(connection) { $0.fence = fence }
                }
            }
            try read { try requireIntactSeal($0) }
            while try sealNext(through: newest) {}
            if isLast { while try !addLastSeal() {} }
            return try end()
        }

        /// Throws if another program disabled the history.
        private func lock(_ connection: Connection) throws -> HistoryPositions {
            let state = try connection.run("\(HistoryState.select(connection)) FOR UPDATE")
            return HistoryPositions(
                connection: connection, state: try HistoryState(state), storeIdentifier: store.identifier)
        }

        /// Creates the record if there is none, which another process may have removed.
        private func updateRecord(
            _ connection: Connection, _ update: (inout ConsumerTable.Record) -> Void
        ) throws {
            do {
                try consumers(connection).update(named: HistorySeal.consumerName) { known in
                    if known == nil {
                        known = try ConsumerTable.Record.sealer(at: token(SealTable(connection).newest()))
                        known?.fence = fence
                    }
                    if var record = known {
                        update(&record)
                        known = record
                    }
                }
            } catch is ConsumerTable.InsertedMeanwhile {
                throw store.sealerIsInUse
            }
        }

        /// The position of a seal, or that before the first transaction.
        private func token(_ seal: SealTable.Seal?) -> DefaultHistoryToken {
            DefaultHistoryToken(
                storeIdentifier: store.identifier, position: seal?.last ?? 0, checkValue: seal?.lastCheck)
        }

        private func consumers(_ connection: Connection) -> ConsumerTable {
            ConsumerTable(connection, storeIdentifier: store.identifier)
        }

        /// An editor could have changed the newest seal, and the next one must not confirm this.
        private func requireIntactSeal(_ connection: Connection) throws {
            let newest = try SealTable(connection).newest()
            guard try !EventTable(connection).hasSealed(after: newest?.number ?? 0) else {
                throw SwiftDataError.damagedFile.with(
                    detail: "seals that contain events are missing, which another program deleted; restore a backup")
            }
            guard let newest else { return }
            try SealTable(connection).requireIntact(newest, storeIdentifier: store.identifier, hashing)
        }

        // MARK: Transactions of the database

        /// What must not change until a seal is committed.
        private struct State: Equatable {
            let seal: SealTable.Seal?
            /// The newest event. Purges concern no transaction that is not sealed.
            let event: EventTable.State?
        }

        /// Throws ``SwiftDataError/historyConsumerInUse`` if another run has begun.
        private func currentState(_ connection: Connection) throws -> State {
            let record = try consumers(connection).record(named: HistorySeal.consumerName)?.record
            guard record.map({ $0.fence == fence }) ?? true else { throw store.sealerIsInUse }
            return State(seal: try SealTable(connection).newest(), event: try EventTable(connection).state())
        }

        private func commit<Result>(
            _ step: Step, _ expected: State, _ body: (Connection) throws -> Result
        ) throws -> Result {
            try observe(step)
            return try store.pool.use { connection in
                try connection.transaction { connection in
                    _ = try lock(connection)
                    guard try currentState(connection) == expected else { throw Changed() }
                    if step == .seal { try makeDurable(connection) }
                    return try body(connection)
                }
            }
        }

        /// A transaction becomes visible after its commit is durable, so every head that can be read is.
        private func makeDurable(_ connection: Connection) throws {
            try connection.run(
                """
                SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') \
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, TRUE)
                """)
        }

        private func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
            try observe(.read)
            return try store.pool.use { try $0.transaction(PostgresStore.beginReading, body) }
        }

        /// Reads a part of a batch. What belongs to parts that were read before may have been deleted since, so an error does not
        /// mean that the history is damaged.
        private func read<Result>(_ expected: State, _ body: (Connection) throws -> Result) throws -> Result {
            try read { connection in
                do { return try body(connection) } catch let error as SwiftDataError {
                    guard try currentState(connection) == expected else { throw Changed() }
                    throw error
                }
            }
        }

        // MARK: Seals

        /// Adds a seal, if there are transactions or events that none contains. Returns whether there can be more.
        private func sealNext(through newest: Int64) throws -> Bool {
            let state = try read(currentState)
            do {
                try tidy(state)
                var batch = try makeBatch(state)
                var isLast: Bool?
                while isLast == nil {
                    let progress = try read(state) { try batch.read(through: newest, Self.limits, $0) }
                    switch progress {
                    case .page: try commit(.prepare, state) { try batch.writeCommitments($0) }
                    case .complete(let last): isLast = last
                    }
                }
                let end = state.seal?.last ?? 0
                let hasEvents = try read { try !EventTable($0).unsealed(through: end).isEmpty }
                // The first seal of a history whose transactions were all deleted has none, and no event: that waits.
                guard !batch.entries.isEmpty || hasEvents || state.seal == nil else { return false }
                try commit(.seal, state) { connection in
                    try batch.writeCommitments(connection)
                    try write(batch, after: state.seal, connection)
                }
                // Events since then wait for the next run: a purge writes one in each step.
                return isLast == false
            } catch is Changed {
                return true
            }
        }

        /// Returns `false` if something has changed meanwhile.
        private func addLastSeal() throws -> Bool {
            let state = try read(currentState)
            if try read({ try EventTable($0).contains(.ended, inSeal: state.seal?.number ?? 0) }) { return true }
            do {
                let batch = try makeBatch(state)
                try commit(.seal, state) { connection in
                    try EventTable(connection).add(.ended, NoDetail())
                    try write(batch, after: state.seal, connection)
                }
                return true
            } catch is Changed {
                return false
            }
        }

        private func makeBatch(_ state: State) throws -> SealBatch {
            try read(state) {
                try SealBatch(after: state.seal?.last ?? 0, storeIdentifier: store.identifier, hashing, $0)
            }
        }

        /// Deletes the commitments of an interrupted run, which have no meaning.
        private func tidy(_ state: State) throws {
            let end = state.seal?.last ?? 0
            while try read({ try SealTable($0).hasCommitments(after: end) }) {
                try commit(.tidy, state) {
                    try SealTable($0).deleteUnsealedCommitments(after: end, limit: Self.limits.page)
                }
            }
        }

        private func write(_ batch: SealBatch, after previous: SealTable.Seal?, _ connection: Connection) throws {
            guard try SealedCatalog(connection).bytes == batch.catalog else { throw Changed() }
            let table = SealTable(connection)
            let number = (previous?.number ?? 0) + 1
            let last =
                batch.entries.last.map { ($0.position, $0.checkValue) } ?? (
                    previous?.last ?? 0, previous?.lastCheck ?? 0
                )
            var content = SealContent(
                store: Array(store.identifier.utf8), number: number, previous: previous?.hash ?? .zero, last: last.0,
                lastCheck: last.1, time: Date().timeIntervalSinceReferenceDate,
                catalog: try SealedCatalog.hash(batch.catalog, hashing))
            for entry in batch.entries { content.append(position: entry.position, hash: entry.hash) }
            content.events = try EventTable(connection).seal(in: number, through: last.0, hashing)
            let isRenamed = content.catalog != previous?.catalogHash
            let hash = try content.hash(hashing)
            let signature = try signer?.signature(
                of: SealContent.signedBytes(store: content.store, number: number, last: content.last, hash: hash))
            try table.insert(content, hash: hash, catalog: isRenamed ? batch.catalog : nil, signature: signature)
            let newest = try token(table.newest())
            try updateRecord(connection) { record in
                record.place = HistoryConsumerPlace(position: newest)
                record.acknowledged = Date()
            }
        }

        // MARK: The end

        /// Makes all seals durable, and returns the head.
        private func end() throws -> HistorySeal {
            try observe(.end)
            return try store.pool.use { connection in
                try connection.transaction { connection in
                    _ = try lock(connection)
                    try makeDurable(connection)
                    // Writes a row in any case, because a transaction that writes none waits for nothing.
                    try updateRecord(connection) { $0.seen = Date() }
                    guard let newest = try SealTable(connection).newest(),
                        let seal = HistorySeal(position: newest.last, hash: newest.hash.data)
                    else {
                        throw SwiftDataError.damagedFile.with(
                            detail: "the newest seal is missing, which another program deleted; restore a backup")
                    }
                    try sign(newest, connection)
                    return seal
                }
            }
        }

        /// Signs a seal of an earlier run or of another process, unless it has a signature by the key.
        private func sign(_ seal: SealTable.Seal, _ connection: Connection) throws {
            let table = SealTable(connection)
            guard let signer, try !table.isSigned(seal.number, by: signer.publicKeyBytes()) else { return }
            try table.requireIntact(seal, storeIdentifier: store.identifier, hashing)
            let bytes = SealContent.signedBytes(
                store: Array(store.identifier.utf8), number: seal.number, last: seal.last, hash: seal.hash)
            try table.setSignature(signer.signature(of: bytes), of: seal.number)
        }
    }
#endif
