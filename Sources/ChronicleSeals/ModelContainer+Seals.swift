#if Seals
    public import ChronicleCore

    extension ModelContainer {
        /// Seals the history that is committed, and returns the head.
        ///
        /// The head proves later that the history up to its position is unchanged. Keep it outside of the store. It is
        /// returned after a commit that is durable, whatever the durability of the configuration is.
        ///
        /// ```swift
        /// let head = try container.sealHistory()
        /// print(head)  // 2:txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw
        /// ```
        ///
        /// The first seal changes the version of the file format to 3. Programs with a version of Chronicle that does not know it
        /// throw ``SwiftDataError/unsupportedFileVersion``, so update them first, and close those that have the file open.
        /// Changes by other programs become a transaction. From then on, a purge deletes up to the end of a seal and keeps what is
        /// not sealed, unless nothing was sealed for longer than ``HistoryRetention/maximumSilence``.
        ///
        /// With a key, each seal that the call makes is signed, and so is the newest one if it has no signature by the key, in
        /// place of one by another key. A valid signature shows that a program with the key had this chain up to the seal when it
        /// signed. It does not show that the chain was right, because signing verifies the newest seal only: verify the history
        /// first if others can write the file. Nor does it show that newer signed seals were removed, or an older file was
        /// restored, which only a head outside of the store does.
        ///
        /// Stores in files and in memory can be sealed, databases of other programs that ``TrackedDatabase/openHistory()`` opens,
        /// and stores in PostgreSQL by the role that owns their tables. `chronicle seal` also seals the tables of another program in
        /// PostgreSQL.
        ///
        /// - Parameters:
        ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record history.
        ///   - key: The key that signs, or `nil` for seals without signatures.
        /// - Returns: The head of the newest seal. Without changes since, it is that of the previous call.
        /// - Throws: One of the following errors. Nothing but complete seals was added.
        ///   - ``SwiftDataError/unsupportedFeature`` if the store cannot be sealed: a custom store.
        ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if there is no store of the name, or several stores; pass the name
        ///     of one.
        ///   - ``SwiftDataError/historyDisabled`` if the configuration does not record the history. Open the store with another
        ///     one.
        ///   - ``SwiftDataError/storeReadOnly`` if the configuration does not allow saving, or if the role does not own the tables
        ///     of a PostgreSQL store. Open the store for saving, or connect as the owner.
        ///   - ``SwiftDataError/historyConsumerInUse`` if another process seals the history. Try again later.
        ///   - ``SwiftDataError/damagedFile`` if the history is damaged, or if the newest seal was changed. Restore a backup.
        ///   - ``SwiftDataError/storeBusy`` if the store stays locked. Try again.
        ///   - ``SwiftDataError/storeFailure`` if the cryptographic library of the system fails. Check its installation.
        ///   - Another error of the store, such as ``SwiftDataError/storeFull``.
        /// - Complexity: Proportional to the transactions since the newest seal. Other writers wait for some milliseconds at a
        ///   time.
        public func sealHistory(storeName: String? = nil, signedBy key: SealSigningKey? = nil) throws -> HistorySeal {
            try sealingStore(named: storeName).sealHistory(signedBy: key)
        }

        /// Returns the heads of the seals after a head, in the order of the chain.
        ///
        /// A program that sends heads to another system continues after the last one that this system has:
        ///
        /// ```swift
        /// _ = try container.sealHistory()
        /// for head in try container.historySeals(after: lastSent) {
        ///     try send(head)
        /// }
        /// ```
        ///
        /// The history is not verified. The heads are those of seals that are durable, whatever the durability of the configuration
        /// is. If the configuration does not allow saving, a power failure can undo a seal that another process is making.
        ///
        /// - Parameters:
        ///   - head: The head of a seal. `nil` returns the heads of all seals that remain; after a purge, the first one is that at
        ///     the boundary.
        ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record history.
        /// - Returns: The heads, the newest one last. Empty if there are none after the head, or if the history is not sealed
        ///   and the head is `nil`. Several heads can have the same position.
        /// - Throws: One of the following errors.
        ///   - ``SwiftDataError/historyTokenExpired`` if the chain does not contain the head. The kind is more specific if no purge
        ///     explains it: ``SwiftDataError/historyTokenAhead`` if the chain ends before the position of the head, and
        ///     ``SwiftDataError/historyTokenForked`` if no seal at the position has its hash. After a purge, pass `nil`.
        ///     Otherwise, verify the history with the head: the store is an older one or another one, or was changed.
        ///   - ``SwiftDataError/unsupportedFeature`` if the store cannot be sealed: a custom store.
        ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if there is no store of the name, or several stores; pass the name
        ///     of one.
        ///   - ``SwiftDataError/damagedFile`` if a seal is damaged. Restore a backup.
        ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
        /// - Complexity: Proportional to the seals after the head. Only rows of seals are read.
        public func historySeals(after head: HistorySeal? = nil, storeName: String? = nil) throws -> [HistorySeal] {
            try sealingStore(named: storeName).historySeals(after: head)
        }

        /// Seals the history that is committed, ends sealing, and returns the last head.
        ///
        /// From then on, purges keep nothing for later seals. The chain remains, so heads prove the history up to the last one, and
        /// purges, deletions and erasures are still recorded. A later call of ``sealHistory(storeName:signedBy:)`` continues the
        /// chain, as does a commit of a store with ``ModelConfiguration/historySealing``. What was purged meanwhile is then not
        /// proven, so stop other programs and schedules that seal the history first.
        ///
        /// - Parameters:
        ///   - storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record history.
        ///   - key: The key that signs, or `nil` for seals without signatures.
        /// - Returns: The head of the last seal.
        /// - Throws: The errors of ``sealHistory(storeName:signedBy:)``.
        /// - Complexity: Proportional to the transactions since the newest seal.
        public func endSealing(storeName: String? = nil, signedBy key: SealSigningKey? = nil) throws -> HistorySeal {
            try sealingStore(named: storeName).endSealing(SealHashing(), signedBy: key)
        }

        func sealingStore(named storeName: String?) throws -> any HistorySealing {
            let named = stores.filter { storeName == nil || $0.configuration.name == storeName }
            let recording = named.filter { ($0 as? any HistoryProviding)?.recordsHistory ?? true }
            let candidates = recording.isEmpty ? named : recording
            guard let store = candidates.first, candidates.count == 1 else {
                throw SwiftDataError.invalidTransactionFetchRequest.with(
                    detail: candidates.isEmpty
                        ? "the container has no store \"\(storeName ?? "")\"; check the name"
                        : "several stores record history; pass the name of one of them")
            }
            guard let store = store as? any HistorySealing else {
                throw SwiftDataError.unsupportedFeature.with(
                    detail: "the history of this store cannot be sealed", storeIdentifier: store.identifier,
                    storeName: store.configuration.name)
            }
            return store
        }
    }

    extension HistorySealing {
        /// Seals what is committed, and returns the newest head after a durable commit.
        ///
        /// - Parameter key: Signs each new seal, and the newest one.
        package func sealHistory(signedBy key: SealSigningKey?) throws -> HistorySeal {
            try sealHistory(SealHashing(), signedBy: key)
        }
    }

    extension HistorySealingSchedule {
        /// Seals after commits, if the newest seal is old enough, and otherwise as soon as it is.
        ///
        /// Stores in files and in memory seal by a schedule, see ``ModelConfiguration/historySealing``, and so do stores in
        /// PostgreSQL, see `PostgresConfiguration.historySealing`.
        ///
        /// - Parameters:
        ///   - interval: The minimum time between the newest seal, by any process, and the next one.
        ///   - key: The key that signs each seal, or `nil` for seals without signatures. See
        ///     ``ModelContainer/sealHistory(storeName:signedBy:)`` for what a signature shows.
        /// - Returns: A schedule.
        public static func every(
            _ interval: Duration, signedBy key: SealSigningKey? = nil
        ) -> HistorySealingSchedule {
            HistorySealingSchedule(interval: interval, hashing: SealHashing(), signer: key)
        }
    }
#endif
