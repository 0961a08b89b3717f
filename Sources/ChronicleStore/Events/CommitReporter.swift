import Foundation
import Synchronization

/// Reports the commits of a store object: to its observers in this process and, through the event file, to other
/// processes.
final class CommitReporter: Sendable {
    /// The path of the store's file without symbolic links, or `nil` for a store in memory.
    let path: String?
    private let eventFile: EventFile?
    private let handlers = Mutex<[UUID: @Sendable () -> Void]>([:])
    private let hasWarned = Atomic(false)

    init(file path: String?) {
        self.path = path
        eventFile = path.map(EventFile.init)
    }

    /// Called after each commit of the writing connection, which the caller still holds.
    func didCommit() {
        eventFile?.raiseEvent()
        for handler in handlers.withLock({ Array($0.values) }) { handler() }
    }

    func add(_ handler: @escaping @Sendable () -> Void) -> UUID {
        let identifier = UUID()
        handlers.withLock { $0[identifier] = handler }
        return identifier
    }

    func remove(_ identifier: UUID) {
        _ = handlers.withLock { $0.removeValue(forKey: identifier) }
    }

    /// Calls a closure the first time.
    func warnOnce(_ body: () -> Void) {
        if !hasWarned.exchange(true, ordering: .relaxed) { body() }
    }
}
