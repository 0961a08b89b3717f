import Foundation

/// Reads from this process through a pipe, and shares its terminal and its process group, so that Ctrl-C reaches both.
final class ChildProcess {
    private let identifier: pid_t
    private var input: Int32?

    /// The program is searched in the `PATH` unless its name contains a slash. Throws `POSIXError` if it does not exist,
    /// for example.
    init(_ command: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Self.error(errno) }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        // The child must not keep the end open that it reads from.
        _ = fcntl(writeEnd, F_SETFD, FD_CLOEXEC)
        defer { close(readEnd) }
        #if canImport(Darwin) || canImport(Android)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, readEnd, STDIN_FILENO)
        if readEnd != STDIN_FILENO { posix_spawn_file_actions_addclose(&actions, readEnd) }
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // This process ignores signals that its children should receive.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        sigaddset(&defaults, SIGINT)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            close(writeEnd)
            throw Self.error(code)
        }
        self.identifier = identifier
        input = writeEnd
    }

    /// Throws ``Console/ClosedOutput`` if the process has closed its input.
    func write(_ data: Data) throws {
        guard let input else { throw Console.ClosedOutput() }
        try Console.write(data, to: input)
    }

    func closeInput() {
        if let input { close(input) }
        input = nil
    }

    /// Returns the exit status, or 128 and the number of the signal that ended the process.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            if errno != EINTR { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    private static func error(_ code: Int32) -> POSIXError { POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
}
