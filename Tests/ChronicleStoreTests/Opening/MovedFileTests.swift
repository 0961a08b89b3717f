import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleSQLite
@testable import ChronicleStore

/// A file that another program moves, replaces or deletes while it is open.
@Suite struct MovedFileTests {
    private let directory: TemporaryDirectory
    private var file: URL { directory.file("test.store") }
    private let context: ModelContext
    private let container: ModelContainer

    init() throws {
        directory = try TemporaryDirectory()
        container = try Self.open(directory.file("test.store"))
        context = ModelContext(container)
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
    }

    private static func open(
        _ file: URL, allowsSave: Bool = true, durability: ModelConfiguration.Durability = .relaxed
    ) throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self,
            configurations: ModelConfiguration(url: file, allowsSave: allowsSave, durability: durability))
    }

    enum Accident: String, CaseIterable {
        case moved = "mv test.store other.store"
        case deleted = "rm test.store"
        case replaced = "sqlite3 test.store \"VACUUM INTO 'backup.store'\" && mv backup.store test.store"
        case directoryMoved = "mkdir inner && mv test.store* inner"
    }

    /// Starting a process takes longer than the interval of the checks.
    private func run(_ command: String) throws {
        let (status, _, errors) = try Shell.run("/bin/sh", ["-c", "cd '\(directory.url.path)' && \(command)"])
        guard status == 0 else { throw Shell.Failure(description: errors) }
    }

    @Test(arguments: Accident.allCases)
    func everyRequestThrows(_ accident: Accident) throws {
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try run(accident.rawValue)
        #expect(throws: SwiftDataError.storeMoved) { try context.save() }
        #expect(context.hasChanges)
        #expect(throws: SwiftDataError.storeMoved) { try ModelContext(container).fetch(FetchDescriptor<Trip>()) }
        #expect(throws: SwiftDataError.storeMoved) {
            try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        #expect(throws: SwiftDataError.storeMoved) { try context.delete(model: Trip.self) }
        #expect(throws: SwiftDataError.storeMoved) { try consumer.nextBatch() }
    }

    /// Reads are checked once in a millisecond, but each write transaction is, after it has the lock.
    @Test func aSaveDirectlyAfterAMoveThrows() throws {
        let container = try Self.open(file, durability: .full)
        let context = ModelContext(container)
        let other = directory.file("other.store")
        for number in 0..<50 {
            context.insert(Trip(name: "\(number)", destination: "x"))
            // Makes the next check due in a millisecond.
            _ = try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
            #expect(rename(file.path, other.path) == 0)
            let error = try failure(of: { try context.save() })
            #expect(rename(other.path, file.path) == 0)
            #expect(error == .storeMoved)
            context.rollback()
        }
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Trip") == "1")
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try context.save()
    }

    /// Another reader is opened while one is in use, and would open the replacement.
    @Test func aReaderDoesNotOpenTheReplacement() throws {
        let store = try #require(container.stores.first as? DefaultStore)
        _ = try Shell.sqlite3(file, "VACUUM INTO '\(directory.file("backup.store").path)'")
        for _ in 0..<20 {
            try store.database.read { _ in
                #expect(rename(file.path, directory.file("other.store").path) == 0)
                #expect(rename(directory.file("backup.store").path, file.path) == 0)
                #expect(throws: SQLiteError.self) { try store.database.read { try $0.scalarInt64("SELECT 1") } }
                #expect(rename(file.path, directory.file("backup.store").path) == 0)
                #expect(rename(directory.file("other.store").path, file.path) == 0)
            }
        }
        #expect(try store.database.read { try $0.scalarInt64("SELECT count(*) FROM Trip") } == 1)
    }

    /// The purge uses another connection.
    @Test func aPurgeDirectlyAfterAMoveThrows() throws {
        let store = try #require(container.stores.first as? DefaultStore)
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try context.save()
        let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        for _ in 0..<20 {
            _ = try ModelContext(container).fetchCount(FetchDescriptor<Trip>())
            #expect(rename(file.path, directory.file("other.store").path) == 0)
            let error = try failure(of: { try store.purgeHistory(plan) })
            #expect(rename(directory.file("other.store").path, file.path) == 0)
            #expect(error == .storeMoved)
        }
        #expect(try store.purgeHistory(plan).transactions == 1)
    }

    @Test func readersThrow() throws {
        let reader = try Self.open(file, allowsSave: false)
        #expect(try ModelContext(reader).fetchCount(FetchDescriptor<Trip>()) == 1)
        try run(Accident.moved.rawValue)
        #expect(throws: SwiftDataError.storeMoved) { try ModelContext(reader).fetchCount(FetchDescriptor<Trip>()) }
    }

    @Test func theErrorNamesTheFile() throws {
        try run(Accident.moved.rawValue)
        let error = #expect(throws: SwiftDataError.self) { try ModelContext(container).fetch(FetchDescriptor<Trip>()) }
        #expect(error?.detail?.contains("test.store was moved") == true)
    }

    @Test func movingTheFileBackIsEnough() throws {
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try run(Accident.moved.rawValue)
        #expect(throws: SwiftDataError.storeMoved) { try context.save() }
        try run("mv other.store test.store")
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
        #expect(try Shell.sqlite3(file, "PRAGMA integrity_check") == "ok")
    }

    @Test func anotherContainerOpensTheReplacement() throws {
        context.insert(Trip(name: "Oslo", destination: "Norway"))
        try context.save()
        _ = try Shell.sqlite3(file, "VACUUM INTO '\(directory.file("backup.store").path)'")
        context.insert(Trip(name: "Bern", destination: "Switzerland"))
        try context.save()
        // As the guide describes it, except that this process keeps the file open.
        try run("rm test.store-wal test.store-shm && mv backup.store test.store")
        #expect(throws: SwiftDataError.storeMoved) { try ModelContext(container).fetch(FetchDescriptor<Trip>()) }
        let replacement = ModelContext(try Self.open(file))
        #expect(try replacement.fetchCount(FetchDescriptor<Trip>()) == 2)
        replacement.insert(Trip(name: "Riga", destination: "Latvia"))
        try replacement.save()
        #expect(try Shell.sqlite3(file, "SELECT count(*) FROM Trip; PRAGMA integrity_check") == "3\nok")
    }
}
