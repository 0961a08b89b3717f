import ChronicleCSQLite

extension Connection {
    /// Returns no bytes if the file is shorter. SQLite reads them, because closing any other descriptor of the file would
    /// release the locks that connections of this process have on it.
    /// <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>
    package func fileHeader(_ count: Int) throws -> [UInt8] {
        let handle = try openHandle()
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let read = file.pointee.pMethods?.pointee.xRead else {
            throw SQLiteError(code: code == SQLITE_OK ? SQLITE_CANTOPEN : code, on: handle)
        }
        var bytes = [UInt8](repeating: 0, count: count)
        let result = read(file, &bytes, Int32(count), 0)
        // SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
        if result == SQLITE_IOERR | (2 << 8) { return [] }
        guard result == SQLITE_OK else { throw SQLiteError(code: result, on: handle) }
        return bytes
    }
}
