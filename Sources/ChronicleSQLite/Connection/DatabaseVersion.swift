import ChronicleCSQLite

/// A state of the main database after a transaction.
package struct DatabaseVersion: Equatable {
    /// A number that changes with each commit of the connection, and when the connection begins a transaction after
    /// commits of other connections.
    /// <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>
    fileprivate let data: UInt32
    /// The number of rows that the connection has changed.
    /// <https://www.sqlite.org/c3ref/total_changes.html>
    fileprivate let changes: Int64
}

extension Connection {
    /// The version after the latest transaction of ``immediate(mapError:_:)``, or `nil` if that transaction was rolled back
    /// or is still open, or if ``didCommit`` has written.
    package var committedVersion: DatabaseVersion? { nestsTransactions ? nil : latestVersion }

    /// Returns whether no transaction has written to the database since a ``committedVersion``, and the open transaction
    /// has not changed a row. Changes of the schema by the open transaction are not detected.
    ///
    /// Must be called in a transaction, because SQLite detects the commits of other connections when a transaction begins.
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
