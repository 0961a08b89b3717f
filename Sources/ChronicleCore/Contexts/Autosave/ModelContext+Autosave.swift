#if canImport(Darwin)
    public import Foundation
#endif

extension ModelContext {
    /// Whether the context saves its changes automatically.
    ///
    /// `true` for ``ModelContainer/mainContext`` and `false` for other contexts, as in SwiftData. If it is `true`, the context
    /// calls ``save()``:
    ///
    /// - After the turn of the main actor in which a model was inserted, changed or deleted: when the code that made the changes
    ///   returns to the main actor's queue or is suspended. For the context of a ``ModelActor``, after the current job of the
    ///   actor. All changes of one turn are saved in one transaction.
    /// - When `main` returns or the program calls `exit`. A signal or a crash ends the program without saving.
    ///
    /// If an autosave fails, the changes remain in the context, the ``autosaveErrorHandler`` receives the error, and the next
    /// change schedules another attempt.
    ///
    /// You can set the property to `true` on the main actor, for a context that only the main actor uses, and in a ``ModelActor``
    /// with a ``DefaultSerialModelExecutor``. Other contexts have no actor on which an autosave could run: the property remains
    /// `false`, and the logger of the store receives a message, or standard error if there is none.
    public var autosaveEnabled: Bool {
        get { storage.autosave != nil }
        set {
            guard newValue != autosaveEnabled else { return }
            storage.autosave = newValue ? makeAutosave() : nil
            if mayHaveChanges { scheduleAutosave() }
        }
    }

    /// A closure that receives the errors of failed autosaves, on the actor of the context.
    ///
    /// The errors are those of ``save()``. The changes remain in the context: correct the models, or call ``rollback()``. Without a
    /// handler and without a ``DataStoreConfiguration/logger``, the error is written to standard error.
    public var autosaveErrorHandler: ((any Error) -> Void)? {
        get { storage.autosaveErrorHandler }
        set { storage.autosaveErrorHandler = newValue }
    }

    #if canImport(Darwin)
        /// The undo manager of the context, for source compatibility with SwiftData. `nil` by default. The context registers no
        /// actions with it. To discard unsaved changes, call ``rollback()``.
        public var undoManager: UndoManager? {
            get { storage.undoManager }
            set { storage.undoManager = newValue }
        }
    #endif
}

extension ModelContext {
    private func makeAutosave() -> Autosave? {
        if let executor { return Autosave(on: executor) }
        if MainThread.isCurrent { return Autosave(on: nil) }
        let message = "a context outside of the main actor and of model actors cannot save automatically; call save()"
        if let store = coordinator.stores.first(where: { $0.configuration.logger != nil }) {
            store.log(.notice, event: "autosaveUnavailable", message)
        } else {
            AutosaveFailure.print(message: message)
        }
        return nil
    }

    /// Less exact than ``hasChanges``, but does not change anything.
    var mayHaveChanges: Bool { !pendingModels.isEmpty || !unverifiedLists.isEmpty }

    func scheduleAutosave() { storage.autosave?.schedule(self) }

    /// Reports an error to the handler and returns `false`.
    func saveAutomatically() -> Bool {
        // The process may end during a save.
        guard autosaveEnabled, mayHaveChanges, !storage.isSaving, !storage.isOutcomeUnknown else { return true }
        // A later fetch or save throws these errors, too.
        for error in storage.failures.takeUnreportedErrors() { AutosaveFailure.report(error, of: self) }
        do {
            try save(acknowledging: nil, isAutomatic: true)
            return true
        } catch {
            for listed in pendingModels { listed.backing.reportNextChange() }
            AutosaveFailure.report(error, of: self)
            // The program has to find out first whether the changes were saved.
            return storage.isOutcomeUnknown
        }
    }
}
