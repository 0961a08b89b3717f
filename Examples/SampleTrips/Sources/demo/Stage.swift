import Foundation
import SampleTrips
import Synchronization

/// A temporary directory with the store, which is also the home directory of the child processes, with their user
/// defaults.
final class Stage: Sendable {
    let directory: URL
    let store: TripStore

    /// The running processes; `nil` if no more may start.
    private let running = Mutex<Set<pid_t>?>([])
    private let programs: URL
    private let environment: [String: String]

    /// - Parameter kind: The kind of the store. For PostgreSQL, the environment contains the address of an empty database.
    init(_ kind: StoreKind) throws {
        // In the directory of this program, where the build puts all of them.
        guard let program = Bundle.main.executableURL else { throw Failure("the path of the demo is unknown") }
        programs = program.resolvingSymlinksInPath().deletingLastPathComponent()
        for name in ["app", "widget", "chronicle"]
        where !FileManager.default.isExecutableFile(atPath: programs.appending(path: name).path) {
            throw Failure("there is no \(name) next to the demo; `swift build` makes all of them")
        }
        directory = FileManager.default.temporaryDirectory.appending(path: "SampleTrips-\(UUID().uuidString)")
        store =
            switch kind {
            case .sqlite: TripStore(directory.appending(path: "Trips.store"))
            case .journal: TripStore(directory.appending(path: "Trips.journal"))
            case .postgres: TripStore("postgresql://")
            }
        let home = directory.appending(path: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        environment = Self.environment(home: home)
    }

    private static func environment(home: URL) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("XDG_") }
        environment["HOME"] = home.path
        // The same on Apple's platforms: https://developer.apple.com/library/archive/qa/qa1536/
        environment["CFFIXED_USER_HOME"] = home.path
        return environment
    }

    /// Starts the app or the widget on the store.
    func start(_ program: String, _ arguments: [String], store: TripStore? = nil) throws -> Child {
        let url = (store ?? self.store).url
        let address = url.isFileURL ? url.path : url.absoluteString
        let child = Child(programs.appending(path: program), arguments + ["--store", address], environment)
        try start(child)
        return child
    }

    /// Starts the command-line tool on the file.
    func startTool(_ command: String, _ options: [String]) throws -> Child {
        let child = Child(programs.appending(path: "chronicle"), [command, store.url.path] + options, environment)
        try start(child)
        return child
    }

    /// Starts the shell of the store: a program that does not use Chronicle.
    func startShell(_ sql: String) throws -> Child {
        let command =
            store.kind == .postgres
            ? ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--command", sql]
            : ["sqlite3", "-bail", store.url.path, "PRAGMA foreign_keys = ON; \(sql)"]
        let child = Child(URL(fileURLWithPath: "/usr/bin/env"), command, environment)
        try start(child)
        return child
    }

    /// A copy of the file with the file extension of another kind.
    func copyUnderTheNameOfAnotherKind() throws -> TripStore {
        let name = store.kind == .journal ? "Misnamed.store" : "Misnamed.journal"
        let copy = directory.appending(path: name)
        try FileManager.default.copyItem(at: store.url, to: copy)
        return TripStore(copy)
    }

    private func start(_ child: Child) throws {
        try running.withLock { running in
            guard running != nil else { throw Failure("interrupted") }
            try child.start()
            running?.insert(child.processIdentifier)
        }
    }

    /// Waits for a process to exit, and returns its output.
    func finish(_ child: Child) throws -> Child.Result {
        defer { running.withLock { _ = $0?.remove(child.processIdentifier) } }
        return try child.finish()
    }

    func cleanUp() {
        let processes = running.withLock { running in
            defer { running = nil }
            return running ?? []
        }
        for process in processes { kill(process, SIGKILL) }
        do { try FileManager.default.removeItem(at: directory) } catch { show("\(error)") }
    }

    /// Cleans up on Ctrl-C, as long as the result is retained.
    func cleanUpWhenInterrupted() -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                cleanUp()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }
}
