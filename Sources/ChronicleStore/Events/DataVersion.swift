import ChronicleCore
import ChronicleSQLite
import Synchronization

/// Detects commits of other connections with a connection that is used for nothing else.
/// https://www.sqlite.org/pragma.html#pragma_data_version
struct DataVersion {
    private let path: String
    private let filePath: String
    private var connection: Connection?
    private var version: Int64?
    private var identity: FileIdentity?

    init(path: String, filePath: String) {
        (self.path, self.filePath) = (path, filePath)
        reconnect()
    }

    var isReadable: Bool { version != nil }

    /// Also returns `true` if the file became readable or unreadable, so that something may have been committed.
    mutating func hasChanged() -> Bool {
        let previous = version
        do { version = try connection?.scalarInt64("PRAGMA data_version") } catch {
            // For example, another process is recovering the log. The next check opens the file again.
            (connection, version) = (nil, nil)
        }
        return version != previous
    }

    /// Returns whether another file is open now.
    mutating func reconnectIfReplaced() -> Bool {
        let current = FileIdentity(path: filePath)
        guard connection == nil || current != identity, current != nil else { return false }
        reconnect()
        return true
    }

    private mutating func reconnect() {
        close()
        identity = FileIdentity(path: filePath)
        do {
            let connection = try Connection(path: path, mode: .readOnly, busyTimeout: .zero)
            version = try connection.scalarInt64("PRAGMA data_version")
            self.connection = connection
        } catch {
            // The next check tries again.
            (connection, version) = (nil, nil)
        }
    }

    mutating func close() {
        connection?.close()
        (connection, version) = (nil, nil)
    }
}

/// Another thread may close the version.
final class WatchedVersion: Sendable {
    /// `nil` after it was closed.
    private let version: Mutex<DataVersion?>

    init(path: String, filePath: String) { version = Mutex(DataVersion(path: path, filePath: filePath)) }

    var isClosed: Bool { version.withLock { $0 == nil } }

    /// Returns `isUnreadableChanged` if the version cannot be read, and `false` if it was closed.
    func mayHaveChanged(isUnreadableChanged: Bool) -> Bool {
        version.withLock { version in
            guard let hasChanged = version?.hasChanged() else { return false }
            return hasChanged || version?.isReadable == false && isUnreadableChanged
        }
    }

    func reconnectIfReplaced() -> Bool { version.withLock { $0?.reconnectIfReplaced() ?? false } }

    func close() {
        version.withLock { version in
            version?.close()
            version = nil
        }
    }
}
