import Foundation
import Synchronization

/// The databases that are open for writing.
///
/// A program that ends with an open database, such as that of a global variable, leaves the newest commits in the log, and a
/// copy of the file alone lacks them. Therefore, the process copies the logs when it exits normally.
final class OpenDatabases: Sendable {
    static let shared = OpenDatabases()

    private struct Reference {
        weak let database: Database?
    }

    private let references = Mutex<[ObjectIdentifier: Reference]>([:])
    /// A child process must not use the connections of its parent.
    /// <https://www.sqlite.org/howtocorrupt.html#_carrying_an_open_database_connection_across_a_fork_>
    private let process = ProcessInfo.processInfo.processIdentifier

    private init() {
        // The handler of autosaves is registered later, with the first change, so it runs before.
        atexit { OpenDatabases.shared.checkpointAll() }
    }

    func add(_ database: Database) {
        references.withLock { $0[ObjectIdentifier(database)] = Reference(database: database) }
    }

    func remove(_ database: Database) {
        _ = references.withLock { $0.removeValue(forKey: ObjectIdentifier(database)) }
    }

    private func checkpointAll() {
        guard ProcessInfo.processInfo.processIdentifier == process else { return }
        // Not under the lock, because the last reference to a database may be released.
        let databases = references.withLockIfAvailable { $0.values.compactMap(\.database) } ?? []
        for database in databases { database.checkpointAtExit() }
    }
}
