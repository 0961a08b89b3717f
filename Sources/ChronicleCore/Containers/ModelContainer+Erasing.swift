extension ModelContainer {
    /// Deletes all models and the history of every store.
    ///
    /// The stores stay open, and the container can be used afterwards. Contexts keep their models and their unsaved changes: call
    /// ``ModelContext/rollback()`` and ``ModelContext/refreshAllModels()`` to mark the models as deleted, or create new contexts.
    /// The main context merges the delete like one by another process. History tokens from before expire; the store's `erase()`
    /// describes what other processes notice.
    ///
    /// - Throws: ``SwiftDataError/storeReadOnly`` if a configuration does not allow saving. ``SwiftDataError/unsupportedFeature``
    ///   if a custom store does not implement ``DataStore/erase()``. ``SwiftDataError/storeBusy`` or another error of a store; try
    ///   again. The stores are erased in the order of their configurations; those before the one that failed are erased.
    /// - Complexity: Proportional to the size of the stores.
    public func erase() throws {
        try ReadCancellation.suspended {
            for store in stores {
                try attributingErrors(to: store) { try store.erase() }
                coordinator.commits.didSave(to: store)
            }
        }
    }

    /// Deletes all models and the history of every store, like ``erase()``, for compatibility with SwiftData.
    ///
    /// - Returns: The error that prevented a store from being erased, or `nil`. It is also logged by the store's
    ///   ``DataStoreConfiguration/logger``.
    @discardableResult
    public func deleteAllData() -> (any Error)? {
        do {
            try erase()
            return nil
        } catch {
            let identifier = (error as? SwiftDataError)?.storeIdentifier
            let store = stores.first { $0.identifier == identifier } ?? stores.first
            store?.log(
                .notice, event: "eraseFailed", "the stores could not be erased: \(error)",
                metadata: ["error": "\(error)"])
            return error
        }
    }
}
