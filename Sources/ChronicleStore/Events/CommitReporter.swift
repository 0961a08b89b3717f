import ChronicleCore
import ChronicleSQLite
import Foundation
import Synchronization

/// Reports the commits of a store object: to its observers in this process and, through the event file, to other
/// processes.
final class CommitReporter: Sendable {
    let path: String?
    private let eventFile: EventFile?
    private let logSize: LogSize?
    private let handlers = Mutex<[UUID: @Sendable () -> Void]>([:])
    private let hasWarned = Atomic(false)

    /// - Parameters:
    ///   - path: The path of the store's file without symbolic links, or `nil` for a store in memory.
    ///   - onLogGrowth: A closure that receives the size of the write-ahead log, in bytes, when it cannot be emptied, and
    ///     the error of SQLite; `nil` if a reader prevents it.
    init(file path: String?, onLogGrowth: @escaping @Sendable (Int, (any Error)?) -> Void) {
        self.path = path
        eventFile = path.map(EventFile.init)
        logSize = path.map { _ in LogSize(onGrowth: onLogGrowth) }
    }

    /// Called after each commit with the connection that wrote. The observers are notified when other threads can use the
    /// connection again.
    func didCommit(_ connection: Connection) {
        eventFile?.raiseEvent(.now)
        if handlers.withLock({ !$0.isEmpty }) {
            connection.afterUse { DeferredCallbacks.run { self.report() } }
        }
    }

    /// Called after a checkpoint that followed a commit.
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

    /// Calls a closure the first time.
    func warnOnce(_ body: () -> Void) {
        if !hasWarned.exchange(true, ordering: .relaxed) { body() }
    }
}
