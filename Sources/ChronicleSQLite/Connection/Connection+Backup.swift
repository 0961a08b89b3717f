import ChronicleCSQLite

extension Connection {
    /// Copies the database to an empty one, page by page, in one read transaction.
    package func copy(to destination: Connection) throws {
        let (source, target) = (try openHandle(), try destination.openHandle())
        // https://www.sqlite.org/c3ref/backup_finish.html
        guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
            throw SQLiteError(code: sqlite3_extended_errcode(target), on: target)
        }
        let step = sqlite3_backup_step(backup, -1)
        let code = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, code == SQLITE_OK else {
            throw SQLiteError(code: step == SQLITE_DONE ? code : step, on: target)
        }
    }
}
