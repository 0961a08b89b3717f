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

    /// - Parameters:
    ///   - path: The path or URI of the database.
    ///   - filePath: The path of its file.
    init(path: String, filePath: String) {
        (self.path, self.filePath) = (path, filePath)
        reconnect()
    }

    /// Whether the version could be read.
    var isReadable: Bool { version != nil }

    /// Returns whether something was committed since the last call, or something may have been, because the file became
    /// readable or unreadable.
    mutating func hasChanged() -> Bool {
        let previous = version
        do { version = try connection?.scalarInt64("PRAGMA data_version") } catch {
            // For example, another process is recovering the log. The next check opens the file again.
            (connection, version) = (nil, nil)
        }
        return version != previous
    }

    /// Opens the file at the path if it is not the one that is open.
    ///
    /// - Returns: Whether another file is open now.
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

/// The data version that the thread of a watcher checks, until another thread closes it.
final class WatchedVersion: Sendable {
    /// The version, or `nil` if it was closed.
    private let version: Mutex<DataVersion?>

    init(path: String, filePath: String) { version = Mutex(DataVersion(path: path, filePath: filePath)) }

    /// Whether the version was closed.
    var isClosed: Bool { version.withLock { $0 == nil } }

    /// Returns whether something may have been committed since the last call; `false` if the version was closed.
    ///
    /// - Parameter isUnreadableChanged: Whether something may have been committed if the version cannot be read.
    func mayHaveChanged(isUnreadableChanged: Bool) -> Bool {
        version.withLock { version in
            guard let hasChanged = version?.hasChanged() else { return false }
            return hasChanged || version?.isReadable == false && isUnreadableChanged
        }
    }

    /// Opens the file at the path if it is not the one that is open. See ``DataVersion/reconnectIfReplaced()``.
    func reconnectIfReplaced() -> Bool { version.withLock { $0?.reconnectIfReplaced() ?? false } }

    func close() {
        version.withLock { version in
            version?.close()
            version = nil
        }
    }
}
