import ChronicleCSQLite

/// The state of the main database after a transaction.
package struct DatabaseVersion: Equatable {
    /// Changes with each commit of the connection, and when it begins a transaction after commits of other connections.
    /// <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>
    fileprivate let data: UInt32
    /// The rows that the connection has changed. <https://www.sqlite.org/c3ref/total_changes.html>
    fileprivate let changes: Int64
}

extension Connection {
    /// The version after the latest transaction of ``immediate(mapError:_:)``; `nil` if that was rolled back or is still
    /// open, or if ``didCommit`` has written.
    package var committedVersion: DatabaseVersion? { nestsTransactions ? nil : latestVersion }

    /// Whether no transaction has written since, and the open one has not changed a row; it must be open, because SQLite
    /// detects other commits when it begins. Its changes of the schema are not detected.
    package func isUnchanged(since version: DatabaseVersion) -> Bool {
        !nestsTransactions && version == latestVersion && version == readVersion()
    }

    func readVersion() -> DatabaseVersion? {
        var data: UInt32 = 0
        guard let handle, sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &data) == SQLITE_OK else {
            return nil
        }
        return DatabaseVersion(data: data, changes: sqlite3_total_changes64(handle))
    }
}
