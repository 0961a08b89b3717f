import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The proxy PgBouncer between the tests and a cluster, which assigns a session of the server to each transaction.
///
/// It ends with the test process, even if that crashes or is killed.
package final class PgBouncer: Sendable {
    /// A proxy of the shared cluster, or the reason why there is none.
    package static let shared = Result { try PgBouncer(PostgresCluster.shared.get()) }

    /// The program, or `nil` if it is not installed.
    private static let program = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether the proxy and a server are installed.
    package static var isAvailable: Bool { program != nil && PostgresCluster.unavailability == nil }

    /// The connection string for the owner of the cluster.
    package let connectionString: String
    private let directory: URL
    /// The shell ends the proxy when this end of the pipe is closed.
    private let guardian: FileHandle
    private let log: FileHandle

    /// Starts a proxy, and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - cluster: The server.
    ///   - sessions: The number of sessions that all clients share. Few of them, so that each serves several clients.
    ///   - mode: What a session is assigned to, `transaction` or `session`.
    /// - Throws: ``Shell/Failure`` if the proxy does not start.
    package init(_ cluster: PostgresCluster, sessions: Int = 8, mode: String = "transaction") throws {
        guard let program = Self.program else {
            throw Shell.Failure(description: "PgBouncer is not installed: type sudo apt-get install pgbouncer")
        }
        // The path of a socket has at most 107 bytes.
        directory = URL(fileURLWithPath: "/tmp/chronicle-pool-\(UInt32.random(in: .min ... .max))")
        connectionString = "host=\(directory.path) user=\(cluster.user) dbname=postgres"
        let (user, prefix) = try PostgresCluster.unprivilegedUser()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let configuration = """
            [databases]
            * = host=\(cluster.directory.path) port=\(cluster.port) user=\(cluster.user)
            [pgbouncer]
            unix_socket_dir = \(directory.path)
            listen_port = 5432
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = \(sessions)
            max_client_conn = 500
            log_connections = 0
            log_disconnections = 0
            log_stats = 0
            """
        let file = directory.appending(path: "pgbouncer.ini")
        try Data(configuration.utf8).write(to: file)
        if geteuid() == 0 { _ = try Shell.run("/usr/bin/env", ["chown", "-R", user, directory.path]) }
        (guardian, log) = try Self.start(prefix + [program, file.path], directory)
    }

    /// Ends the proxy and its connections.
    package func stop() throws { try guardian.close() }

    /// Starts the proxy in a shell that ends it when the standard input ends.
    private static func start(_ command: [String], _ directory: URL) throws -> (guardian: FileHandle, log: FileHandle) {
        let (input, output) = (Pipe(), Pipe())
        // Other processes must not keep it open.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The proxy must not hold the pipe that ends it.
        let script =
            "trap '' INT TERM HUP; directory=$1; shift; cd /; (trap - INT TERM HUP; exec \"$@\" < /dev/null) & "
            + "cat > /dev/null; kill $!; wait; rm -rf \"$directory\""
        process.arguments = ["-c", script, "sh", directory.path] + command
        process.standardInput = input.fileHandleForReading
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output.fileHandleForWriting
        try process.start()
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        var log = Data()
        while !String(decoding: log, as: UTF8.self).contains("process up") {
            guard let more = try output.fileHandleForReading.read(upToCount: 1), !more.isEmpty else {
                throw Shell.Failure(
                    description: "PgBouncer does not start: \(String(decoding: log, as: UTF8.self))")
            }
            log += more
        }
        // What it writes later must not fill the pipe.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        return (input.fileHandleForWriting, output.fileHandleForReading)
    }
}
