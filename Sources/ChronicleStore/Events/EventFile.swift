import ChronicleSQLite
import Foundation
import Synchronization

/// The file `<store>-events`, which every writer accesses after a commit, so that processes that watch it are notified.
///
/// On Linux, a writer reads one byte of it, which raises `IN_ACCESS`. That takes less time than a write or a change of
/// the timestamps, and nothing has to be written to the disk. On Apple platforms, where a read raises no event, it writes
/// the byte. The file contains one zero byte; its content has no meaning. It may be deleted at any time.
///
/// An error is not reported, because the commit has succeeded. A watcher also watches the write-ahead log, and notices
/// the commit a little later.
final class EventFile: Sendable {
    static let suffix = "-events"

    private let storePath: String
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var descriptor: Int32 = -1
        /// When the descriptor was last compared with the file at the path.
        var checked: ContinuousClock.Instant?
        /// When the last event was raised.
        var raised: ContinuousClock.Instant?
    }

    /// How long a deleted or replaced file may remain unnoticed by a writer. A check takes as long as an event.
    private static let checkInterval = Duration.seconds(1)
    /// The shortest time between two events: a watcher ignores events for this long after it handled some. A commit that
    /// follows another one more closely is noticed by the write to the log. This saves most of the time of the events in a
    /// sequence of small saves.
    private static let eventInterval = CommitWatcher.shortestPause

    init(storePath: String) {
        self.storePath = storePath
        path = storePath + Self.suffix
    }

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Notifies the processes that watch the file, and creates the file if it does not exist.
    ///
    /// - Parameter now: The current time.
    func raiseEvent(_ now: ContinuousClock.Instant) {
        state.withLock { state in
            if let raised = state.raised, now - raised < Self.eventInterval { return }
            state.raised = now
            if state.checked.map({ now - $0 >= Self.checkInterval }) ?? true {
                state.checked = now
                if !isInPlace(state.descriptor) { reopen(&state) }
            }
            guard state.descriptor >= 0 else { return }
            var byte: UInt8 = 0
            #if !canImport(Darwin)
                // A read of an empty file raises no event.
                if pread(state.descriptor, &byte, 1, 0) == 1 { return }
            #endif
            _ = pwrite(state.descriptor, &byte, 1, 0)
        }
    }

    /// Returns whether the descriptor is that of the file at the path.
    private func isInPlace(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0, let opened = FileIdentity(descriptor: descriptor) else { return false }
        return FileIdentity(path: path) == opened
    }

    private func reopen(_ state: inout State) {
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
        // A file that another program named like this must not be changed. If it is a database, opening it would also release
        // the locks that this process has on it.
        if let other = FileIdentity(path: path), !other.isRegular || other.size > 1 { return }
        // The same permissions as the store, as SQLite does for the log, so that all its users can raise events.
        let permissions = FileIdentity(path: storePath)?.permissions ?? 0o644
        // Does not follow a symbolic link, which another user may have created in a shared directory.
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        state.descriptor = open(path, O_RDWR | O_CREAT | flags, permissions)
        // Regardless of the umask. Fails if another user created the file, who then has done the same.
        if state.descriptor >= 0 { _ = fchmod(state.descriptor, permissions) }
        // A reader can raise events, too.
        if state.descriptor < 0 { state.descriptor = open(path, O_RDONLY | flags) }
    }
}
