import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

/// Reports commits to the observers in this process and, through the event file, to other processes.
final class CommitReporter: Sendable {
    let path: String?
    private let eventFile: EventFile?
    private let logSize: LogSize?
    private let handlers = Mutex<[UUID: @Sendable () -> Void]>([:])
    private let hasWarned = Atomic(false)

    /// - Parameter path: Without symbolic links; `nil` for a store in memory.
    /// - Parameter onLogGrowth: See ``LogSize``.
    init(file path: String?, onLogGrowth: @escaping @Sendable (Int, (any Error)?) -> Void) {
        self.path = path
        eventFile = path.map(EventFile.init)
        logSize = path.map { _ in LogSize(onGrowth: onLogGrowth) }
    }

    /// The observers are called when other threads can use the connection again.
    func didCommit(_ connection: Connection) {
        eventFile?.raiseEvent(.now)
        if handlers.withLock({ !$0.isEmpty }) {
            connection.afterUse { DeferredCallbacks.run { self.report() } }
        }
    }

    func didCheckpoint(_ connection: Connection, _ pages: Int, _ error: (any Error)?) {
        logSize?.check(connection, pages, error)
    }

    private func report() {
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

    func warnOnce(_ body: () -> Void) {
        if !hasWarned.exchange(true, ordering: .relaxed) { body() }
    }
}
