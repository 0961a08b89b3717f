import Dispatch
import Foundation
import Synchronization

/// Saves a context after the current turn of the main actor, or after the current job of its model actor.
///
/// The first change after a save schedules the next one. A scheduled autosave retains its context, so that the changes
/// are saved even if the program releases the container. If the program ends before, the autosave is done in the
/// process's `atexit` handlers.
final class Autosave: @unchecked Sendable {
    // The reason for `@unchecked Sendable`: only code that may use the context uses the properties, except for `executor`,
    // whose reference is thread-safe.

    /// The executor of the context, or `nil` for the main actor.
    private weak var executor: DefaultSerialModelExecutor?
    private let isOnMainActor: Bool
    private var isScheduled = false

    /// Creates an autosave on the executor of a model actor, or on the main actor.
    init(on executor: DefaultSerialModelExecutor?) {
        self.executor = executor
        isOnMainActor = executor == nil
    }

    /// Schedules an autosave unless one is scheduled.
    func schedule(_ context: ModelContext) {
        guard !isScheduled else { return }
        isScheduled = true
        let context = ConfinedContext(value: context)
        PendingAutosaves.shared.schedule(self, context)
        run { self.save(context) }
    }

    private func run(_ work: @escaping @Sendable () -> Void) {
        if isOnMainActor {
            Task { @MainActor in work() }
        } else {
            executor?.async(work)
        }
    }

    private func save(_ context: ConfinedContext) {
        isScheduled = false
        PendingAutosaves.shared.remove(self)
        guard !context.value.saveAutomatically() else { return }
        PendingAutosaves.shared.retryAtExit(self, context)
    }

    // MARK: The end of the process

    /// How long the end of the process waits for another thread to save.
    private static let exitTimeout = DispatchTimeInterval.seconds(5)

    /// Saves a context while the process ends.
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

/// A context that only its own actor uses.
private struct ConfinedContext: @unchecked Sendable {
    // The reason for `@unchecked Sendable`: see ``Autosave``.
    let value: ModelContext
}

/// The contexts with changes that an autosave has not saved yet.
private final class PendingAutosaves: Sendable {
    private struct Pending: @unchecked Sendable {
        // The reason for `@unchecked Sendable`: see ``Autosave``.
        let autosave: Autosave
        weak var context: ModelContext?
        /// Retains the context of a scheduled autosave, but not that of a failed one.
        let scheduledContext: ModelContext?
    }

    static let shared = PendingAutosaves()
    private let pending = Mutex<[ObjectIdentifier: Pending]>([:])

    private init() {
        // Registered late, so that it runs before the handlers of libraries that were loaded earlier.
        atexit { PendingAutosaves.shared.saveAll() }
    }

    func schedule(_ autosave: Autosave, _ context: ConfinedContext) {
        let added = Pending(autosave: autosave, context: context.value, scheduledContext: context.value)
        pending.withLock { $0[ObjectIdentifier(autosave)] = added }
    }

    /// Adds a context whose autosave failed, while the context exists.
    func retryAtExit(_ autosave: Autosave, _ context: ConfinedContext) {
        let added = Pending(autosave: autosave, context: context.value, scheduledContext: nil)
        pending.withLock { pending in
            pending = pending.filter { $0.value.context != nil }
            pending[ObjectIdentifier(autosave)] = added
        }
    }

    func remove(_ autosave: Autosave) {
        // The context must not be released while the lock is held.
        let removed = pending.withLock { $0.removeValue(forKey: ObjectIdentifier(autosave)) }
        withExtendedLifetime(removed) {}
    }

    private func saveAll() {
        for pending in pending.withLock({ Array($0.values) }) {
            if let context = pending.context { pending.autosave.saveAtExit(ConfinedContext(value: context)) }
        }
    }
}

/// The thread of the main actor.
enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the current thread runs code of the main actor.
    ///
    /// On Linux, other threads run the main queue after an asynchronous `main` was suspended for the first time.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread }
}

/// Reports failed autosaves.
enum AutosaveFailure {
    /// Reports an error to the handler of the context and the logger of a store, or to standard error if there is neither.
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

    static func print(_ description: String) {
        FileHandle.standardError.write(Data("Chronicle: an autosave failed: \(description)\n".utf8))
    }
}
