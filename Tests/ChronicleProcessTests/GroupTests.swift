import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What the guide about sharing a store states about groups of processes.
@Suite("Groups of processes", .timeLimit(.minutes(2)))
struct GroupTests {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.file("shared.store")
    }

    /// A container that does not wait for locks.
    private func container(
        _ types: [any PersistentModel.Type] = [Trip.self], allowsSave: Bool = true
    ) throws -> ModelContainer {
        let configuration = ModelConfiguration(
            url: file, allowsSave: allowsSave, durability: .relaxed, busyTimeout: .zero)
        return try ModelContainer(for: Schema(types), configurations: [configuration])
    }

    private func add(_ name: String, to container: ModelContainer) throws {
        let context = ModelContext(container)
        context.insert(Trip(name: name, destination: "somewhere"))
        try context.save()
    }

    // MARK: Suspended members

    /// An open container, an observer and an idle consumer hold no lock of the database between operations.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task"), "reads the state of a process"))
    func stoppedProcessBlocksNobody() async throws {
        let member = try Worker("idle", file.path, "hold")
        defer { member.kill() }
        try member.wait(forBytes: 1)
        try member.stop()
        // Saves, changes of the schema and purges, without waiting for any lock.
        let container = try container()
        for number in 1...20 { try add("\(number)", to: container) }
        _ = try self.container([Trip.self, Hotel.self])
        _ = try await container.purgeHistory(HistoryRetention(maximumChanges: 5))
        // The lock of a consumer belongs to the process until it ends, or releases it.
        let consumer = try container.historyConsumer(named: "idle", startingNewAt: .beginning)
        #expect(throws: SwiftDataError.historyConsumerInUse) { try consumer.nextBatch() }
        // No read transaction keeps the log from being emptied. The observer may have been reading when the process was
        // stopped; then another attempt succeeds.
        func checkpoint() throws -> String {
            try Shell.sqlite3(file, "PRAGMA wal_checkpoint(TRUNCATE)", timeout: 0)
        }
        var results = [try checkpoint()]
        while results.last != "0|0|0", results.count < 10 {
            member.resume()
            try add("attempt \(results.count)", to: container)
            try member.wait(forBytes: 1)
            try member.stop()
            results.append(try checkpoint())
        }
        #expect(results.last == "0|0|0", "\(results)")
        // The observer continues.
        try add("last", to: container)
        member.resume()
        try member.wait(forBytes: 1)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task"), "reads the state of a process"))
    func releasedConsumerCanBeTakenOverFromAStoppedProcess() throws {
        let member = try Worker("idle", file.path, "release")
        defer { member.kill() }
        try member.wait(forBytes: 1)
        try member.stop()
        let container = try container()
        try add("a", to: container)
        let consumer = try container.historyConsumer(named: "idle", startingNewAt: .beginning)
        let batch = try #require(try consumer.nextBatch())
        #expect(try batch.changes.count == 1)
        try consumer.acknowledge(batch)
    }

    // MARK: Waiting and killed members

    @Test func waitingIsBounded() throws {
        _ = try Worker("open", file.path).finish()
        let container = try container()
        let reader = try self.container(allowsSave: false)
        try add("a", to: container)
        let holder = try Worker("hold-write", file.path)
        defer { holder.kill() }
        try holder.wait(forBytes: 1)
        // A writer waits for its timeout, which is zero here. Readers do not wait.
        let context = ModelContext(container)
        context.insert(Trip(name: "b", destination: "somewhere"))
        #expect(throws: SwiftDataError.storeBusy) { try context.save() }
        #expect(throws: SwiftDataError.storeBusy) {
            try self.container([Trip.self, Hotel.self])
        }
        #expect(try ModelContext(reader).fetchHistory(Descriptor()).count == 1)
        // A file that has the models is opened without writing.
        #expect(try ModelContext(self.container()).fetchCount(FetchDescriptor<Trip>()) == 1)
        holder.kill()
        // The context has kept the unsaved model.
        try context.save()
        #expect(try ModelContext(reader).fetchCount(FetchDescriptor<Trip>()) == 2)
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Note") == "0")
    }

    @Test func waitingWriterContinuesWhenTheOtherIsKilled() throws {
        _ = try Worker("open", file.path).finish()
        let holder = try Worker("hold-write", file.path)
        try holder.wait(forBytes: 1)
        let waiting = try Worker("write", file.path, "waiting", "3")
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Note") == "0")
        holder.kill()
        #expect(try waiting.finish() == "wrote\n")
        #expect(try Shell.sqlite3(file, "SELECT group_concat(DISTINCT text) FROM Note") == "waiting")
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok")
    }

    // MARK: Read-only members

    @Test func readOnlyMemberReadsAndObserves() async throws {
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try container(allowsSave: false) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
        let writer = try container()
        let reader = try container(allowsSave: false)
        let observer = try HistoryObserver(modelContainer: reader)
        try add("a", to: writer)
        for await count in observer.eventCounts where count == 1 { break }
        let context = ModelContext(reader)
        #expect(try context.fetchHistory(Descriptor()).count == 1)
        context.insert(Trip(name: "b", destination: "somewhere"))
        #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
        #expect(throws: SwiftDataError.storeReadOnly) {
            try reader.historyConsumer(named: "reader", startingNewAt: .beginning)
        }
    }

    // MARK: Files

    /// All files have the permissions of the store, whatever the creation mask of the process is.
    @Test func sideFilesHaveThePermissionsOfTheStore() throws {
        _ = try Worker("open", file.path).finish()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o664], ofItemAtPath: file.path)
        if manager.fileExists(atPath: file.path + "-events") { try manager.removeItem(atPath: file.path + "-events") }
        let member = try Worker("idle", file.path, "hold", "077")
        defer { member.kill() }
        try member.wait(forBytes: 1)
        for suffix in ["-wal", "-shm", "-events", "-consumers"] {
            let attributes = try manager.attributesOfItem(atPath: file.path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o664, "\(suffix)")
        }
    }

    @Test func backupHasTheHistoryAndTheConsumers() throws {
        let container = try container()
        try add("a", to: container)
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        try consumer.acknowledge(try #require(try consumer.nextBatch()))
        let token = try ModelContext(container).currentHistoryToken()
        try add("b", to: container)
        let copy = directory.file("backup.store")
        _ = try Shell.sqlite3(file, "VACUUM INTO '\(copy.path)'")
        let restored = try ModelContainer(for: Schema([Trip.self]), configurations: [ModelConfiguration(url: copy)])
        let transactions = try ModelContext(restored).fetchHistory(.after(token))
        #expect(transactions.count == 1)
        let continued = try restored.historyConsumer(named: "reader", startingNewAt: .beginning)
        #expect(try continued.nextBatch()?.token == transactions[0].token)
    }
}
