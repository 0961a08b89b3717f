import Dispatch
import Foundation
import Synchronization

/// Saves a context after the current turn of the main actor, or after the current job of its model actor.
///
/// The first change after a save schedules the next one. A scheduled autosave retains its context, so that the changes are saved
/// even if the program releases the container. If the program ends before, the autosave is done in the process's `atexit` handlers.
final class Autosave: Sendable {
    /// `nil` for the main actor.
    private weak let executor: DefaultSerialModelExecutor?
    private let isOnMainActor: Bool
    private let isScheduled = Atomic(false)

    init(on executor: DefaultSerialModelExecutor?) {
        self.executor = executor
        isOnMainActor = executor == nil
    }

    func schedule(_ context: ModelContext) {
        // A model whose row is gone schedules an autosave, but is not a change.
        if context.storage.firstChangeAuthor == nil, context.mayHaveChanges {
            context.storage.firstChangeAuthor = .some(HistoryAuthor.value)
        }
        // Only the actor of the context uses the value, so its order relative to other values does not matter.
        guard !isScheduled.load(ordering: .relaxed) else { return }
        let executor = executor
        guard isOnMainActor || executor != nil else {
            // The actor was released, and only the end of the process is left, unless the context is released before.
            PendingAutosaves.shared.removeReleasedContexts()
            return PendingAutosaves.shared.add(self, ConfinedContext(context, isRetained: false))
        }
        isScheduled.store(true, ordering: .relaxed)
        let context = ConfinedContext(context)
        PendingAutosaves.shared.add(self, context)
        if let executor {
            // A change in an observer of the save schedules the next one on the same executor.
            executor.async { withExtendedLifetime(executor) { self.save(context) } }
        } else {
            Task { @MainActor in self.save(context) }
        }
    }

    private func save(_ context: ConfinedContext) {
        isScheduled.store(false, ordering: .relaxed)
        let author = context.value?.storage.firstChangeAuthor ?? nil
        let isSaved = HistoryAuthor.$value.withValue(author) { context.value?.saveAutomatically() ?? true }
        // The changes may have been reverted.
        if let context = context.value, !context.mayHaveChanges { context.storage.firstChangeAuthor = nil }
        // Afterwards, so that another thread that ends the process meanwhile waits for the save.
        if !isScheduled.load(ordering: .relaxed) { PendingAutosaves.shared.remove(self) }
        guard let context = context.value, !isSaved else { return }
        // The end of the process is the last attempt, unless the context is released before.
        PendingAutosaves.shared.removeReleasedContexts()
        PendingAutosaves.shared.add(self, ConfinedContext(context, isRetained: false))
    }

    // MARK: The end of the process

    /// How long the end of the process waits for another thread to save.
    private static let exitTimeout = DispatchTimeInterval.seconds(5)

    fileprivate func saveAtExit(_ context: ConfinedContext) {
        if isOnMainActor ? MainThread.isCurrent : executor?.isCurrent != false { return save(context) }
        let isDone = DispatchSemaphore(value: 0)
        let work: @Sendable () -> Void = {
            self.save(context)
            isDone.signal()
        }
        if isOnMainActor { DispatchQueue.main.async(execute: work) } else { executor?.async(work) }
        if isDone.wait(timeout: .now() + Self.exitTimeout) == .timedOut {
            AutosaveFailure.print("the program ended while other code blocked the actor of the context")
        }
    }
}

private struct ConfinedContext: @unchecked Sendable {
    // The reason for `@unchecked Sendable`: other threads only copy and compare the reference.

    weak let value: ModelContext?
    private let retained: ModelContext?

    init(_ context: ModelContext, isRetained: Bool = true) {
        value = context
        retained = isRetained ? context : nil
    }
}

private final class PendingAutosaves: Sendable {
    private struct Pending {
        let autosave: Autosave
        /// Retains the context of a scheduled autosave, but not that of a failed one.
        let context: ConfinedContext
    }

    static let shared = PendingAutosaves()
    private let pending = Mutex<[ObjectIdentifier: Pending]>([:])

    private init() {
        // Registered late, so that it runs before the handlers of libraries that were loaded earlier.
        atexit { PendingAutosaves.shared.saveAll() }
    }

    func add(_ autosave: Autosave, _ context: ConfinedContext) {
        let added = Pending(autosave: autosave, context: context)
        pending.withLock { $0[ObjectIdentifier(autosave)] = added }
    }

    func removeReleasedContexts() {
        pending.withLock { pending in pending = pending.filter { $0.value.context.value != nil } }
    }

    func remove(_ autosave: Autosave) {
        // The context must not be released while the lock is held.
        let removed = pending.withLock { $0.removeValue(forKey: ObjectIdentifier(autosave)) }
        withExtendedLifetime(removed) {}
    }

    private func saveAll() {
        for pending in pending.withLock({ Array($0.values) }) {
            if let context = pending.context.value { pending.autosave.saveAtExit(ConfinedContext(context)) }
        }
    }
}

enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// On Linux, other threads run the main queue after an asynchronous `main` was suspended for the first time.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}

enum AutosaveFailure {
    /// Reports to standard error if there is neither a handler nor a logger.
    static func report(_ error: any Error, of context: ModelContext) {
        let description = (error as? any LoggableError).map { "\($0)" } ?? "\(type(of: error))"
        let store = context.coordinator.stores.first { $0.configuration.logger != nil }
        store?.log(
            .notice, event: "autosaveFailed", "an autosave failed; the changes remain unsaved",
            metadata: ["error": description])
        if let handler = context.autosaveErrorHandler {
            handler(error)
        } else if store == nil {
            print(description)
        }
    }

    static func print(_ description: String) { print(message: "an autosave failed: \(description)") }

    static func print(message: String) { FileHandle.standardError.write(Data("Chronicle: \(message)\n".utf8)) }
}
