public import ChronicleCore
import ChronicleSQLite
import Foundation

extension DefaultStore: DataStoreNotifying {
    /// Calls a closure after each commit of any writer.
    ///
    /// While at least one observation exists, a thread watches the file, its write-ahead log, and `<store>-events`, which
    /// every process with Chronicle accesses after a commit. If that is impossible, commits of other processes are noticed
    /// within a second, which the ``ModelConfiguration/logger`` reports once. A file that replaces the store's file counts
    /// as a commit.
    public func observeCommits(_ handler: @escaping @Sendable () -> Void) -> CommitObservation {
        let (commits, identifier) = (commits, commits.add(handler))
        guard let path = commits.path else { return CommitObservation { commits.remove(identifier) } }
        let interval: Duration = configuration.watching == .eventsOnly ? .seconds(3_600) : .seconds(1)
        let watcher = CommitWatcher(
            path: database.path, filePath: path, eventSource(path), checkingEvery: interval,
            onFailure: { [weak self] in self?.warn(of: $0, path) }, handler)
        return CommitObservation {
            commits.remove(identifier)
            watcher.cancel()
        }
    }

    private func eventSource(_ path: String) -> any FileEventSource {
        do {
            if case .failing(let code) = configuration.watching { throw WatchError(code: code) }
            #if canImport(Darwin)
                return try DispatchEvents(path: path)
            #elseif canImport(Glibc) || canImport(Musl) || canImport(Android)
                return try InotifyEvents(path: path)
            #else
                return RegularChecks()
            #endif
        } catch {
            warn(of: error, path)
            return RegularChecks()
        }
    }

    private func warn(of error: any Error, _ path: String) {
        let code = (error as? WatchError)?.code ?? 0
        commits.warnOnce {
            let limit =
                [EMFILE, ENOSPC].contains(code)
                ? "; raise fs.inotify.max_user_instances or fs.inotify.max_user_watches" : ""
            log(
                .notice, event: "watchFailed",
                "\(path) cannot be watched (\(String(cString: strerror(code)))), so commits of other processes are "
                    + "noticed within a second\(limit)",
                metadata: ["path": path, "code": String(code)])
        }
    }
}
