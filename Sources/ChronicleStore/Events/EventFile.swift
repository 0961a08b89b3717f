import ChronicleSQLite
import Foundation
import Synchronization

/// The file `<store>-events`, which every writer accesses after a commit to notify processes that watch it.
///
/// On Linux, a writer reads a byte, which raises `IN_ACCESS` in less time than a write or a change of timestamps. On Apple
/// platforms, where a read raises no event, it writes the byte, which is always 0. The file may be deleted at any time.
///
/// Errors are not reported: the commit has succeeded, and watchers notice it a little later through the write-ahead log.
final class EventFile: Sendable {
    static let suffix = "-events"

    private let storePath: String
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var descriptor: Int32 = -1
        /// When the descriptor was compared with the file at the path.
        var checked: ContinuousClock.Instant?
        var raised: ContinuousClock.Instant?
    }

    /// How long a deleted or replaced file may remain unnoticed by a writer. A check takes as long as an event.
    private static let checkInterval = Duration.seconds(1)
    /// The shortest time between two events, which saves most of their time in a sequence of small saves. A watcher ignores
    /// earlier ones; a commit that follows more closely is noticed by the write to the log.
    private static let eventInterval = CommitWatcher.shortestPause

    init(storePath: String) {
        self.storePath = storePath
        path = storePath + Self.suffix
    }

    deinit {
        state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

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
