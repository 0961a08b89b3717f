#if Seals
    public import ChronicleCore

    extension ModelContainer {
        /// Seals the history that is committed, and returns the head.
        ///
        /// The head proves later that the history up to its position is still the same. Keep it outside of the store. It is
        /// returned after a commit that is durable, whatever the durability of the configuration is.
        ///
        /// ```swift
        /// let head = try container.sealHistory()
        /// print(head)  // 2:txSlOprHyBfCA6XM0i-Id0B6lJY3NRfiqQwZJbnYWYw
        /// ```
        ///
        /// The first seal changes the version of the file format to 3. Programs with a version of Chronicle that does not know it
        /// throw ``SwiftDataError/unsupportedFileVersion``, so update them first, and close those that have the file open.
        /// Changes by other programs become a transaction. From then on, a purge ends with a seal and keeps what is not sealed,
        /// unless nothing was sealed for longer than ``HistoryRetention/maximumSilence``.
        ///
        /// - Parameter storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record
        ///   history.
        /// - Returns: The head of the newest seal. Without changes since, it is that of the previous call.
        /// - Throws: One of the following errors. Nothing but complete seals was added.
        ///   - ``SwiftDataError/unsupportedFeature`` if the store cannot be sealed: a custom store, one on PostgreSQL, or a tracked
        ///     database.
        ///   - ``SwiftDataError/invalidTransactionFetchRequest`` if there is no store of the name, or several stores; pass the name
        ///     of one.
        ///   - ``SwiftDataError/historyDisabled`` or ``SwiftDataError/storeReadOnly`` if the configuration requires it.
        ///   - ``SwiftDataError/historyConsumerInUse`` if another process seals the history. Try again later.
        ///   - ``SwiftDataError/damagedFile`` if the history is damaged, or if the newest seal was changed. Restore a backup.
        ///   - ``SwiftDataError/storeBusy`` if the file stays locked. Try again.
        /// - Complexity: Proportional to the transactions since the newest seal. Other writers wait for some milliseconds at a
        ///   time.
        public func sealHistory(storeName: String? = nil) throws -> HistorySeal {
            try sealingStore(named: storeName).sealHistory(SealHashing())
        }

        /// Seals the history that is committed, ends sealing, and returns the last head.
        ///
        /// From then on, purges keep nothing for later seals. The chain remains, so heads prove the history up to the last one, and
        /// purges, deletions and erasures are still recorded. A later call of ``sealHistory(storeName:)`` continues the chain. What
        /// was purged meanwhile is then not proven, so end other programs that seal the history first.
        ///
        /// - Parameter storeName: The ``DataStoreConfiguration/name`` of the store, if the container has several that record
        ///   history.
        /// - Returns: The head of the last seal.
        /// - Throws: The errors of ``sealHistory(storeName:)``.
        /// - Complexity: Proportional to the transactions since the newest seal.
        public func endSealing(storeName: String? = nil) throws -> HistorySeal {
            try sealingStore(named: storeName).endSealing(SealHashing())
        }

        private func sealingStore(named storeName: String?) throws -> any HistorySealing {
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

    extension HistorySealingSchedule {
        /// Seals after commits, if the newest seal is old enough, and otherwise as soon as it is.
        ///
        /// - Parameter interval: The time between two seals.
        /// - Returns: A schedule.
        public static func every(_ interval: Duration) -> HistorySealingSchedule {
            HistorySealingSchedule(interval: interval, hashing: SealHashing())
        }
    }
#endif
