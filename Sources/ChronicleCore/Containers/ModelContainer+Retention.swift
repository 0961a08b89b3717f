import Foundation

// The size and the retention of the history, for stores that adopt ``HistoryRetaining``.
extension ModelContainer {
    /// Returns the size of each store's history.
    ///
    /// - Returns: The statistics of the stores that record their history and adopt ``HistoryRetaining``, in the order of
    ///   ``stores``.
    /// - Throws: ``SwiftDataError/unsupportedFeature`` if no store adopts ``HistoryRetaining``. ``SwiftDataError/historyDisabled``
    ///   if those that do record no history, or if another program disabled the history of a file; enable it in the configuration.
    ///   ``SwiftDataError/damagedFile`` or another error that prevented a store from reading.
    /// - Complexity: For the default store, independent of the number of changes: the time grows with the number of transactions
    ///   only below the newest deleted one, if transactions between others were deleted.
    public func historyStatistics() throws -> [HistoryStatistics] {
        try retainingStores().map { store in
            try attributingErrors(to: store) { try store.historyStatistics() }
        }
    }

    /// Deletes the oldest transactions that exceed the limits of the stores' configurations, erases the preserved values of
    /// their rules, and returns free space to the file system.
    ///
    /// The default store deletes in steps of a few milliseconds, with pauses in which other writers can save. If the task is
    /// cancelled or the process ends, what was deleted or erased remains so and the history is valid; the next purge continues. Tokens
    /// before the newest deleted transaction expire.
    ///
    /// - Parameters:
    ///   - retention: The limits and rules to apply instead of those of the configurations, or `nil`. If there are several stores, a
    ///     rule applies to those whose history contains its entity and attribute.
    ///   - progress: A closure that receives the result so far after each step, on the task's thread.
    /// - Returns: What was deleted and erased in each store, and for which consumers transactions or values were kept.
    /// - Throws: `CancellationError` if the task was cancelled. ``SwiftDataError/storeReadOnly`` if a configuration does not allow
    ///   saving; exclude the store from the container. ``SwiftDataError/storeBusy`` if a file stays locked; try again.
    ///   ``SwiftDataError/unsupportedFeature`` if no store adopts ``HistoryRetaining``, or if a rule applies to a store that does not
    ///   adopt ``HistoryValueRetaining``. ``SwiftDataError/unknownSchema`` if no history contains the entity and attribute of a
    ///   rule; correct its name. ``SwiftDataError/historyDisabled`` if the stores record no history. Steps that were completed
    ///   before the error remain.
    /// - Complexity: Proportional to the number of deleted changes, to the size of the returned space, and for each rule to the
    ///   number of changes since the last purge with it.
    public func purgeHistory(
        _ retention: HistoryRetention? = nil, progress: (@Sendable (HistoryPurgeResult) -> Void)? = nil
    ) async throws -> [HistoryPurgeResult] {
        let stores = try retainingStores()
        let retentions = try retention.map { try Self.retentions($0, stores) } ?? stores.map(\.historyRetention)
        var results: [HistoryPurgeResult] = []
        for (store, retention) in zip(stores, retentions) {
            results.append(try await Self.purge(store, retention, progress))
        }
        return results
    }

    /// Returns the retention of each store, before anything is deleted.
    private static func retentions(
        _ retention: HistoryRetention, _ stores: [any HistoryRetaining]
    ) throws -> [HistoryRetention] {
        guard stores.count > 1, !retention.valueRules.isEmpty else { return stores.map { _ in retention } }
        var retentions = stores.map { _ in
            var limits = retention
            limits.valueRules = []
            return limits
        }
        for rule in retention.valueRules {
            var failure: (any Error)?
            var isKnown = false
            for (index, store) in stores.enumerated() {
                do {
                    try requireKnown(rule, store)
                    retentions[index].valueRules.append(rule)
                    isKnown = true
                } catch let error as SwiftDataError where error == .unknownSchema || error == .unsupportedFeature {
                    // The store would keep values that the program believes erased.
                    if error == .unsupportedFeature, store.schema.entitiesByName[rule.entityName] != nil { throw error }
                    // Of both errors, that about the name helps more.
                    if failure == nil || error == .unknownSchema { failure = error }
                }
            }
            if let failure, !isKnown { throw failure }
        }
        return retentions
    }

    private static func requireKnown(_ rule: PreservedValueRule, _ store: some HistoryRetaining) throws {
        _ = try plan(store, HistoryRetention(valueRules: [rule]))
    }

    private static func plan<Store: HistoryRetaining>(
        _ store: Store, _ retention: HistoryRetention
    ) throws -> HistoryPurgePlan<Store.HistoryType.TokenType> {
        try attributingErrors(to: store) {
            try store.requireValueRetention(retention)
            return try store.planHistoryPurge(retention, at: .now)
        }
    }

    private static func purge<Store: HistoryRetaining>(
        _ store: Store, _ retention: HistoryRetention, _ progress: (@Sendable (HistoryPurgeResult) -> Void)?
    ) async throws -> HistoryPurgeResult {
        let plan = try plan(store, retention)
        var result = HistoryPurgeResult(store.identifier, plan)
        defer {
            store.logEvictions(result)
            store.logAbandoned(result.abandoned)
        }
        try await HistoryPurgeStep.run {
            let step = try attributingErrors(to: store) { try store.purgeHistory(plan) }
            result.add(step)
            progress?(result)
            return step
        }
        return result
    }

    private func retainingStores() throws -> [any HistoryRetaining] {
        let retaining = stores.compactMap { $0 as? any HistoryRetaining }
        guard let first = retaining.first else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "no store of the container adopts HistoryRetaining; delete history with a ModelContext",
                storeIdentifier: stores.first?.identifier, storeName: stores.first?.configuration.name)
        }
        let recording = retaining.filter(\.recordsHistory)
        guard !recording.isEmpty else {
            throw SwiftDataError.historyDisabled.with(
                detail: "enable the history in the configuration of the store", storeIdentifier: first.identifier,
                storeName: first.configuration.name)
        }
        return recording
    }
}
