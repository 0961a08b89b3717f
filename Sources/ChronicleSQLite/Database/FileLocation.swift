import Synchronization

/// The path of an open database, and the file that was at it when it was opened. SQLite continues to use a file that was
/// moved or deleted, and does not detect this in WAL mode: what is written to it is lost, and a new connection would open
/// the file that replaced it. https://www.sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
final class FileLocation: Sendable {
    private let path: String
    private let identity: FileIdentity
    private let checked = Mutex(ContinuousClock.now)

    /// The time between two checks, each of which takes as long as a system call.
    private static let interval = Duration.milliseconds(1)

    /// `nil` for a database without a file.
    init?(of connection: Connection) {
        guard let path = connection.filePath, let identity = FileIdentity(path: path) else { return nil }
        (self.path, self.identity) = (path, identity)
    }

    /// Throws an error for which `isMoved` is true if another file, or none, is at the path.
    func check() throws {
        guard FileIdentity(path: path) != identity else { return }
        throw SQLiteError.moved(path)
    }

    /// Does nothing if the file was checked within the last millisecond.
    func checkRegularly() throws {
        let isDue = checked.withLock { checked in
            let now = ContinuousClock.now
            guard now - checked >= Self.interval else { return false }
            checked = now
            return true
        }
        guard isDue else { return }
        do { try check() } catch {
            // The next call checks again: the file may be moved back.
            checked.withLock { $0 -= Self.interval }
            throw error
        }
    }
}
