package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A temporary PostgreSQL server for tests, on a Unix socket in a temporary directory.
///
/// It runs as an unprivileged user, also if the tests run as root. A guardian process stops it and removes its directory
/// when the test process ends, even if it crashes or is killed.
package final class PostgresCluster: Sendable {
    /// The cluster that the tests of a process share, or the reason why there is none.
    package static let shared = Result {
        // Compiling takes longer than any query of a test.
        try PostgresCluster(["jit": "off"])
    }

    /// The reason why the tests cannot use PostgreSQL, or `nil`.
    package static var unavailability: String? {
        do { _ = try shared.get() } catch { return "\(error)" }
        return nil
    }

    /// The directory of the data, the socket and the log.
    package let directory: URL
    /// The name of the role that owns the cluster.
    package let user: String
    /// The TCP port, if the settings make the server listen to one; also a part of the name of the socket.
    package let port: Int
    private let programs: URL
    private let prefix: [String]
    private let smallDisk: Int?
    /// The guardian stops the server when this end of the pipe is closed.
    private let guardian: FileHandle

    /// Creates a cluster and starts its server.
    ///
    /// - Parameters:
    ///   - settings: Further settings of the server.
    ///   - access: The lines of `pg_hba.conf` for other roles than the owner, or `nil` to let every role connect without a
    ///     password.
    ///   - files: Further files in the directory of the data, which only the server can read.
    ///   - smallDisk: The size in bytes of a file system that is mounted at ``smallDisk``, or `nil`; see ``canMount``.
    /// - Throws: ``Shell/Failure`` if PostgreSQL is not installed or does not start.
    package init(
        _ settings: [String: String] = [:], access: [String]? = nil, files: [String: Data] = [:], smallDisk: Int? = nil
    ) throws {
        self.smallDisk = smallDisk
        port = settings["port"].flatMap { Int($0) } ?? 5_432
        programs = try Self.findPrograms()
        (user, prefix) = try Self.unprivilegedUser()
        directory = try Self.makeDirectory(of: user, prefix)
        _ = try Self.run(
            "/usr/bin/env",
            prefix + [
                programs.appending(path: "initdb").path, "--pgdata", directory.appending(path: "data").path,
                "--username", user, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync",
                "--no-instructions",
            ])
        guardian = try Self.startGuardian(directory, programs, prefix)
        var all = [
            "listen_addresses": "", "unix_socket_directories": directory.path, "fsync": "off",
            "max_connections": "200", "log_min_messages": "fatal", "shared_buffers": "64MB", "max_wal_size": "256MB",
        ]
        all.merge(settings) { $1 }
        try configure(all)
        if let access {
            let text = (["local all \(user) trust"] + access).joined(separator: "\n") + "\n"
            try Data(text.utf8).write(to: directory.appending(path: "data/pg_hba.conf"))
        }
        for (name, content) in files {
            try Self.write(content, to: directory.appending(path: "data/\(name)"), of: user)
        }
        if smallDisk != nil {
            try FileManager.default.createDirectory(
                at: directory.appending(path: "small"), withIntermediateDirectories: false)
        }
        try start()
    }

    /// Creates a standby server that receives the changes of another server, and starts it.
    ///
    /// - Parameters:
    ///   - primary: The other server.
    ///   - name: The name of the standby server for `synchronous_standby_names`.
    ///   - settings: Further settings of the server.
    /// - Throws: ``Shell/Failure`` if the server cannot be copied or does not start.
    package init(
        standbyOf primary: PostgresCluster, name: String = "standby", _ settings: [String: String] = [:]
    ) throws {
        (smallDisk, port, programs) = (nil, primary.port, primary.programs)
        (user, prefix) = (primary.user, primary.prefix)
        directory = try Self.makeDirectory(of: user, prefix)
        _ = try Self.run(
            "/usr/bin/env",
            prefix + [
                programs.appending(path: "pg_basebackup").path, "--pgdata", directory.appending(path: "data").path,
                "--dbname", "\(primary.connectionString()) application_name=\(name)", "--write-recovery-conf",
                "--checkpoint", "fast", "--no-sync",
            ])
        guardian = try Self.startGuardian(directory, programs, prefix)
        var all = ["unix_socket_directories": directory.path, "wal_retrieve_retry_interval": "50ms"]
        all.merge(settings) { $1 }
        try configure(all)
        try start()
    }

    /// Appends settings to the configuration of the server, before it is started.
    private func configure(_ settings: [String: String]) throws {
        let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key) = '\($0.value)'\n" }.joined()
        let file = try FileHandle(forWritingTo: directory.appending(path: "data/postgresql.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.utf8))
        try file.close()
    }

    private static func makeDirectory(of user: String, _ prefix: [String]) throws -> URL {
        // The path of a socket has at most 107 bytes.
        let directory = URL(fileURLWithPath: "/tmp/chronicle-pg-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        if !prefix.isEmpty { _ = try run("/usr/bin/env", ["chown", user, directory.path]) }
        return directory
    }

    /// Sends a signal to all processes of the server.
    package func signal(_ name: String) throws {
        let file = directory.appending(path: "data/postmaster.pid")
        let postmaster = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "\n" }
        let command = "kill -\(name) \(postmaster) $(ps -o pid= --ppid \(postmaster))"
        _ = try Self.run("/bin/sh", ["-c", command])
    }

    /// Ends the recovery of a standby server, which then accepts changes.
    package func promote() throws {
        _ = try Self.run(
            "/usr/bin/env",
            prefix + [
                programs.appending(path: "pg_ctl").path, "--pgdata", directory.appending(path: "data").path, "--wait",
                "--silent", "promote",
            ])
    }

    /// Starts the server and waits until it accepts connections.
    package func start() throws {
        // The file system is mounted in a namespace of the server, and disappears with it.
        let mount = smallDisk.map { bytes in
            [
                "unshare", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=\(bytes),mode=700,uid=$(id -u \(user)) tmpfs \(directory.path)/small && exec \"$@\"",
                "sh",
            ]
        }
        _ = try Self.run(
            "/usr/bin/env",
            (mount ?? []) + prefix + [
                programs.appending(path: "pg_ctl").path, "--pgdata", directory.appending(path: "data").path, "--wait",
                "--silent", "--log", directory.appending(path: "log").path, "start",
            ])
    }

    /// Whether the tests may mount a file system.
    package static let canMount: Bool = {
        let command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        // Without the programs, nothing can be mounted.
        return geteuid() == 0 && (try? run("/usr/bin/env", command)) != nil
    }()

    /// Stops the server.
    ///
    /// - Parameter mode: `fast` ends the sessions, `immediate` is like a crash.
    package func stop(mode: String = "fast") throws {
        _ = try Self.run(
            "/usr/bin/env",
            prefix + [
                programs.appending(path: "pg_ctl").path, "--pgdata", directory.appending(path: "data").path, "--wait",
                "--silent", "--mode", mode, "stop",
            ])
    }

    /// Returns a connection string for libpq.
    ///
    /// - Parameters:
    ///   - database: The name of the database.
    ///   - user: The name of the role, or `nil` for the owner of the cluster.
    package func connectionString(database: String = "postgres", user: String? = nil) -> String {
        "host=\(directory.path) port=\(port) user=\(user ?? self.user) dbname=\(database)"
    }

    /// Returns a connection string with several servers, for the first one that meets `target_session_attrs`.
    package static func connectionString(_ clusters: PostgresCluster..., target: String = "any") -> String {
        let hosts = clusters.map(\.directory.path).joined(separator: ",")
        let ports = clusters.map { "\($0.port)" }.joined(separator: ",")
        return "host=\(hosts) port=\(ports) user=\(clusters[0].user) dbname=postgres target_session_attrs=\(target)"
    }

    /// Runs a program of PostgreSQL, such as `pg_dump`, with the environment of the cluster.
    ///
    /// - Returns: The output of the program.
    /// - Throws: ``Shell/Failure`` with the messages of the program if it fails.
    @discardableResult
    package func run(_ program: String, _ arguments: [String]) throws -> String {
        try Self.run(
            programs.appending(path: program).path,
            ["--host", directory.path, "--port", "\(port)", "--username", user] + arguments)
    }

    /// Ends the server and removes its directory. The guardian does the same when the process ends.
    package func remove() throws {
        try stop(mode: "immediate")
        try FileManager.default.removeItem(at: directory)
    }
}

extension PostgresCluster {
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        // Files instead of pipes: a server that `pg_ctl` starts keeps them open.
        let output = FileManager.default.temporaryDirectory.appending(path: "chronicle-\(UUID().uuidString)")
        try Data().write(to: output)
        let errors = output.appendingPathExtension("errors")
        try Data().write(to: errors)
        defer {
            // Files that remain in the temporary directory do no harm.
            try? FileManager.default.removeItem(at: output)
            try? FileManager.default.removeItem(at: errors)
        }
        let process = Process()
        // A server that `pg_ctl` starts must not keep descriptors of the tests open. Foundation would wait for its end.
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let close = "for file in /dev/fd/*; do n=${file##*/}; ((n < 3)) || eval \"exec $n>&-\"; done; exec \"$@\""
        process.arguments = ["-c", close, "bash", program] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.start()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            let message = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            throw Shell.Failure(
                description: "\(([program] + arguments).joined(separator: " ").prefix(300)) ended with "
                    + "\(process.terminationStatus): \(message)\(text)")
        }
        return text
    }

    /// Returns the directory with the programs of a server: that of the PATH, or the latest of Debian's.
    private static func findPrograms() throws -> URL {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let debian = "/usr/lib/postgresql"
        // Without the directory, there is no version of Debian.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        let installed = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
        let homebrew = ["/opt/homebrew/opt/postgresql@17/bin", "/opt/homebrew/bin"]
        func hasPrograms(_ path: String) -> Bool {
            ["initdb", "pg_ctl", "psql"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(path)/\($0)") }
        }
        guard let path = (paths + installed + homebrew).first(where: hasPrograms) else {
            throw Shell.Failure(
                description: "PostgreSQL is not installed: type sudo apt-get install postgresql libpq-dev")
        }
        return URL(fileURLWithPath: path)
    }

    /// Writes a file that only a user can read, as the server requires it for keys.
    private static func write(_ content: Data, to file: URL, of user: String) throws {
        try content.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        if geteuid() == 0 { _ = try run("/usr/bin/env", ["chown", user, file.path]) }
    }

    /// Returns a user that may run a server, which root may not, and the beginning of a command that runs as this user.
    static func unprivilegedUser() throws -> (name: String, prefix: [String]) {
        guard geteuid() == 0 else { return (NSUserName(), []) }
        let names = ["postgres", "nobody"]
        guard let name = names.first(where: { name in getpwnam(name) != nil }) else {
            throw Shell.Failure(description: "PostgreSQL does not run as root, and there is no user postgres or nobody")
        }
        return (name, ["runuser", "-u", name, "--"])
    }

    /// Starts a process that waits for the end of this one, stops the server, and removes the directory.
    private static func startGuardian(_ directory: URL, _ programs: URL, _ prefix: [String]) throws -> FileHandle {
        let pipe = Pipe()
        // Other processes must not keep it open.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let stop = (prefix + [programs.appending(path: "pg_ctl").path]).joined(separator: " ")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            "trap '' INT TERM HUP; cat > /dev/null; cd /tmp; "
                + "\(stop) -D \(directory.path)/data -m immediate -s stop; rm -rf \(directory.path)",
        ]
        process.standardInput = pipe.fileHandleForReading
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.start()
        try pipe.fileHandleForReading.close()
        return pipe.fileHandleForWriting
    }
}
