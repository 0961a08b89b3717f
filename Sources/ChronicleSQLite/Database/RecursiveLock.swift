import ChronicleCSQLite

/// `Mutex` is not recursive, and determining its owner would require thread identifiers, whose API differs between
/// platforms. SQLite's recursive mutex is the same everywhere. <https://www.sqlite.org/c3ref/mutex_alloc.html>
final class RecursiveLock: Sendable {
    /// The mutex is set once, for every thread.
    nonisolated(unsafe) private let mutex: OpaquePointer

    init() throws {
        guard let mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE) else {
            throw SQLiteError(extendedCode: SQLITE_NOMEM, message: "SQLite could not allocate a mutex")
        }
        self.mutex = mutex
    }

    deinit {
        sqlite3_mutex_free(mutex)
    }

    func withLock<T>(_ body: () throws -> T) rethrows -> T {
        sqlite3_mutex_enter(mutex)
        defer { sqlite3_mutex_leave(mutex) }
        return try body()
    }

    /// Returns `nil` without waiting if another thread has the lock.
    func withLockIfAvailable<T>(_ body: () throws -> T) rethrows -> T? {
        guard sqlite3_mutex_try(mutex) == SQLITE_OK else { return nil }
        defer { sqlite3_mutex_leave(mutex) }
        return try body()
    }
}
