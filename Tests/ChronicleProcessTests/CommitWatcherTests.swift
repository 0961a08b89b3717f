import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleCore
@testable import ChronicleStore

/// Commits of other connections, noticed by events of the file system only, unless the test says otherwise.
@Suite("Watching files", .timeLimit(.minutes(2)))
struct CommitWatcherTests {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("watched.store")
    }

    private func container(
        _ watching: ModelConfiguration.Watching = .eventsOnly, allowsSave: Bool = true,
        durability: ModelConfiguration.Durability = .relaxed, logger: (any StoreLogger)? = nil
    ) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: file, allowsSave: allowsSave, durability: durability)
        configuration.watching = watching
        configuration.logger = logger
        return try ModelContainer(for: Trip.self, configurations: configuration)
    }

    private func add(_ name: String, to container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(Trip(name: name, destination: "Rome"))
        try context.save()
    }

    private static let insert = """
        INSERT INTO Trip(name, destination, startDate, endDate) VALUES ('shell', 'Rome', random(), random())
        """

    private func trips(_ container: ModelContainer) throws -> Int {
        try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
    }

    /// Reads after each event until there are this many trips.
    private func wait(for count: Int, in container: ModelContainer, _ events: CommitEvents) async throws {
        while try trips(container) < count { await events.next() }
    }

    @Test(arguments: [ModelConfiguration.Durability.relaxed, .full])
    func saveOfAnotherContainerIsNoticed(_ durability: ModelConfiguration.Durability) async throws {
        let (reader, writer) = (try container(), try container(durability: durability))
        let events = try reader.commitEvents()
        for number in 1...100 {
            try add("\(number)", to: writer)
            try await wait(for: number, in: reader, events)
        }
    }

    @Test func commitOfSQLite3IsNoticed() async throws {
        let reader = try container()
        let events = try reader.commitEvents()
        for number in 1...20 {
            _ = try Shell.sqlite3(file, "PRAGMA synchronous = \(number % 2 == 0 ? "FULL" : "NORMAL"); " + Self.insert)
            try await wait(for: number, in: reader, events)
        }
    }

    /// A missed event of the last commit would leave the reader waiting.
    @Test(arguments: ["FULL", "NORMAL"])
    func lastOfManyCommitsOfSQLite3IsNoticed(_ synchronous: String) async throws {
        let reader = try container()
        let events = try reader.commitEvents()
        let (file, rounds, commits) = (file, 10, 100)
        for round in 1...rounds {
            let script = Array(repeating: Self.insert, count: commits).joined(separator: ";\n")
            let writing = Task.detached { try Shell.sqlite3(file, "PRAGMA synchronous = \(synchronous);\n\(script)") }
            try await wait(for: round * commits, in: reader, events)
            _ = try await writing.value
        }
        #expect(try trips(reader) == rounds * commits)
    }

    @Test func commitWithARollbackJournalIsNoticed() async throws {
        do { try add("a", to: try container()) }
        _ = try Shell.sqlite3(file, "PRAGMA journal_mode = DELETE")
        let reader = try container(allowsSave: false)
        let events = try reader.commitEvents()
        for number in 2...10 {
            _ = try Shell.sqlite3(file, Self.insert)
            try await wait(for: number, in: reader, events)
        }
    }

    @Test func readOnlyContainerNoticesSaves() async throws {
        let writer = try container()
        let reader = try container(allowsSave: false)
        let events = try reader.commitEvents()
        for number in 1...20 {
            try add("\(number)", to: writer)
            try await wait(for: number, in: reader, events)
        }
    }

    // MARK: Files that change

    @Test func deletedEventFileIsCreatedAgain() async throws {
        let (reader, writer) = (try container(), try container())
        let events = try reader.commitEvents()
        try add("1", to: writer)
        try await wait(for: 1, in: reader, events)
        let eventFile = URL(fileURLWithPath: file.path + EventFile.suffix)
        for number in 2...5 {
            try FileManager.default.removeItem(at: eventFile)
            // A new writer creates it; the other one notices within a second.
            try add("\(number)", to: try container())
            #expect(FileManager.default.fileExists(atPath: eventFile.path))
            try await wait(for: number, in: reader, events)
        }
        try add("6", to: writer)
        try await wait(for: 6, in: reader, events)
    }

    /// Then the write-ahead log is the only sign of a commit.
    @Test func commitsAreNoticedWithoutAnEventFile() async throws {
        try FileManager.default.createDirectory(
            atPath: file.path + EventFile.suffix, withIntermediateDirectories: false)
        let (reader, writer) = (try container(), try container(durability: .full))
        let events = try reader.commitEvents()
        for number in 1...100 {
            try add("\(number)", to: writer)
            try await wait(for: number, in: reader, events)
        }
    }

    @Test func fileThatReplacesTheStoreIsWatched() async throws {
        let backup = directory.file("backup.store")
        do { try add("a", to: try container()) }
        try FileManager.default.copyItem(at: file, to: backup)
        let reader = try container()
        let events = try reader.commitEvents()
        #expect(rename(backup.path, file.path) == 0)
        await events.next()
        // The watcher follows the new file, which a program without Chronicle changes.
        for _ in 0..<5 {
            _ = try Shell.sqlite3(file, Self.insert)
            await events.next()
        }
    }

    @Test func symbolicLinkIsFollowed() async throws {
        let link = directory.file("link.store")
        let writer = try container()
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        var configuration = ModelConfiguration(url: link, durability: .relaxed)
        configuration.watching = .eventsOnly
        let reader = try ModelContainer(for: Trip.self, configurations: configuration)
        let events = try reader.commitEvents()
        try add("a", to: writer)
        try await wait(for: 1, in: reader, events)
    }

    // MARK: Limits and resources

    @Test(arguments: [EMFILE, ENOSPC])
    func reachedLimitIsReportedOnce(_ code: Int32) async throws {
        let logger = TestLogger()
        let reader = try container(.failing(code), logger: logger)
        let writer = try container()
        for number in 1...2 {
            let events = try reader.commitEvents()
            try add("\(number)", to: writer)
            try await wait(for: number, in: reader, events)
            events.cancel()
        }
        let entries = logger.entries
        #expect(entries.map(\.level) == [.notice] && entries.map(\.event) == ["watchFailed"])
        #expect(entries.first?.message.contains("fs.inotify.max_user_watches") == true)
        #expect(entries.first?.metadata["path"] == file.path)
        #expect(entries.first?.metadata["code"] == String(code))
    }

    /// For example, a new log cannot be watched because the limit was reached in the meantime.
    @Test func laterFailureIsReported() throws {
        let (source, failed) = (FailingSource(), DispatchSemaphore(value: 0))
        let watcher = CommitWatcher(
            path: file.path, filePath: file.path, source, checkingEvery: .seconds(3_600),
            onFailure: { if ($0 as? WatchError)?.code == ENOSPC { failed.signal() } }, {})
        #expect(failed.wait(timeout: .now() + .seconds(60)) == .success)
        watcher.cancel()
    }

    @Test func missingDirectoryIsAnError() {
        #if os(Linux)
            #expect(throws: WatchError.self) {
                // More bytes than a path may have.
                try InotifyEvents(path: "/" + String(repeating: "x", count: 5_000) + "/a.store")
            }
        #endif
    }

    @Test func cancelledWatcherDoesNotKeepTheLog() throws {
        do {
            let container = try container()
            let events = try container.commitEvents()
            try add("a", to: container)
            withExtendedLifetime(events) {}
        }
        // The last connection to close removes the log, unless it is read-only.
        #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    }

    @Test func handlerCanCancelItsObservation() async throws {
        let (reader, writer) = (try container(), try container())
        let store = try #require(reader.stores.first as? DefaultStore)
        let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
        let own = Mutex<CommitObservation?>(nil)
        let observation = store.observeCommits {
            own.withLock { $0 }?.cancel()
            continuation.yield()
        }
        own.withLock { $0 = observation }
        try add("a", to: writer)
        for await _ in calls { break }
        observation.cancel()
    }

    #if os(Linux)
        @Test func watchingLeavesNothingOpen() throws {
            #expect(try Worker("watch", file.path, "50").finish() == "closed\n")
        }
    #endif
}

/// Events of files of which one was replaced and cannot be watched any more.
private final class FailingSource: FileEventSource {
    private let isCancelled = Mutex(false)

    func wait(until deadline: ContinuousClock.Instant) -> FileEvents {
        isCancelled.withLock(\.self) ? .cancelled : .replaced
    }

    func attach() throws { throw WatchError(code: ENOSPC) }

    func detach() {}

    func cancel() { isCancelled.withLock { $0 = true } }
}
