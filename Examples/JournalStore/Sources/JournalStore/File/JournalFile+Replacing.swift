import Chronicle
import Foundation
import Synchronization

// A compaction puts a new file in the place of a journal.
extension JournalFile {
    /// Makes an empty file that is to replace another one. It has the same permissions and, where the system allows that,
    /// the same owner and group.
    convenience init(_ path: String, replacing other: JournalFile) throws {
        // A file that was left there has its own permissions, and may be a link to somewhere else.
        unlink(path)
        try self.init(path, flags: O_CREAT | O_EXCL, permissions: 0o600)
        let status = try other.status
        // Before the permissions: https://man7.org/linux/man-pages/man2/chown.2.html takes some of them away.
        for owner in [status.st_uid, uid_t.max] {
            if fchown(descriptor, owner, status.st_gid) == 0 { break }
            let code = errno
            guard code == EPERM || code == EINVAL else { throw Self.error("change the owner of", code) }
        }
        try Self.retrying {
            fchmod(descriptor, status.st_mode & 0o7777)
        } orThrow: {
            Self.error("change the permissions of", $0)
        }
    }

    /// Puts the file at one path in the place of the file at another, at once.
    static func move(_ path: String, to newPath: String) throws {
        try retrying {
            rename(path, newPath)
        } orThrow: {
            error("replace", $0)
        }
    }

    /// Returns when the file's name is on the disk. Until then, a power failure may bring back the file that had the name
    /// before. Does nothing when it was done since the file was opened.
    func synchronizeName(_ path: String) throws {
        guard !hasDurableName.load(ordering: .relaxed) else { return }
        try Self.synchronizeDirectory(URL(fileURLWithPath: path).deletingLastPathComponent().path)
        hasDurableName.store(true, ordering: .relaxed)
    }

    /// Returns when the names in a directory are on the disk. A test may put a failing one in its place.
    @TaskLocal static var synchronizeDirectory: @Sendable (_ path: String) throws -> Void = { path in
        let directory = try retrying {
            open(path, O_RDONLY | O_CLOEXEC)
        } orThrow: {
            error("open the directory of", $0)
        }
        defer { close(directory) }
        try retrying {
            fsync(directory)
        } orThrow: {
            error("synchronize the directory of", $0)
        }
    }

    /// The path of a file without symbolic links: a file that replaces it has to be beside it, and not beside a link.
    static func resolvingLinks(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw openingError(errno, path, false) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
