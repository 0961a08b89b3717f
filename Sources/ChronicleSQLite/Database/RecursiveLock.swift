import ChronicleCSQLite

/// A lock that the thread holding it may take again.
///
/// `Mutex` cannot be taken twice, and knowing whether this thread already holds it takes a thread identifier, for
/// which every platform has its own import. SQLite's recursive mutex is the same everywhere.
/// <https://www.sqlite.org/c3ref/mutex_alloc.html>
final class RecursiveLock: Sendable {
    /// Set once; what it points to is a lock, made to be used from every thread.
    nonisolated(unsafe) private let mutex: OpaquePointer

    init() throws {
        guard let mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE) else {
            throw SQLiteError(extendedCode: SQLITE_NOMEM, message: "SQLite has no mutex to give")
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
}
