import ChronicleCSQLite

extension Connection {
    /// Puts the file into WAL mode, where readers and the writer do not wait for each other. It stays in it.
    ///
    /// Several processes may do this to one new file at once. An in-memory database has no log and is left as it is.
    ///
    /// - Throws: `SQLiteError`: `isBusy` when the file stayed locked for the whole busy timeout, or at most twice as
    ///   long; others for files that are no database, cannot be written, or lie where there is no shared memory.
    package func enableWAL() throws {
        let handle = try openHandle()
        // The empty name is that of a database without a file. https://www.sqlite.org/c3ref/db_filename.html
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return }
        let deadline = ContinuousClock.now + busyTimeout
        var pause: Int32 = 1
        while true {
            do {
                let mode = try scalarText("PRAGMA journal_mode = WAL")
                guard mode == "wal" else {
                    throw SQLiteError(
                        extendedCode: SQLITE_ERROR, message: "the journal mode stayed '\(mode ?? "unknown")'")
                }
                return
            } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < deadline {
                // The change takes a shared lock and then a stronger one. Two that do so at once would wait for each other
                // for ever; SQLite fails one of them at once, without the busy handler, and the waiting is ours.
                // https://www.sqlite.org/c3ref/busy_handler.html
                _ = sqlite3_sleep(pause)
                pause = min(pause * 2, 20)
            }
        }
    }
}
