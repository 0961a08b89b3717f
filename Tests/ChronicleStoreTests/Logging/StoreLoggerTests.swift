import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// The messages of stores and consumers. `CommitWatcherTests` has the one about watching.
@Suite("Logging", .timeLimit(.minutes(5)))
struct StoreLoggerTests {
    private let logger = TestLogger()

    private func container(
        _ kind: StoreKind, in directory: TemporaryDirectory, _ retention: HistoryRetention = .unlimited,
        level: StoreLogLevel = .debug
    ) throws -> ModelContainer {
        var configuration =
            kind == .file
            ? ModelConfiguration("trips", url: directory.file("logged.store"), durability: .relaxed)
            : ModelConfiguration("trips", isStoredInMemoryOnly: true)
        configuration.historyRetention = retention
        configuration.logger = logger
        configuration.logLevel = level
        return try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
    }

    private func add(_ names: String..., to container: ModelContainer) throws {
        let context = ModelContext(container)
        for name in names {
            context.insert(Trip(name: name, destination: "somewhere"))
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func ordinaryUseLogsNothing(_ kind: StoreKind) throws {
        let directory = try TemporaryDirectory()
        let container = try container(kind, in: directory)
        try add("a", "b", to: container)
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        try consumer.acknowledge(try #require(try consumer.nextBatch()))
        #expect(try consumer.nextBatch() == nil)
        #expect(logger.entries.isEmpty)
    }

    /// Options without effect that code for SwiftData may rely on.
    @Test(arguments: StoreKind.allCases)
    func ignoredOptionsAreLoggedOnce(_ kind: StoreKind) throws {
        let directory = try TemporaryDirectory()
        var configuration =
            kind == .file
            ? ModelConfiguration(
                url: directory.file("photos.store"), cloudKitDatabase: .private("iCloud.photos"), durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.photos"))
        configuration.logger = logger
        #expect(configuration.cloudKitContainerIdentifier == "iCloud.photos")
        #expect(configuration.cloudKitDatabase != .none && ModelConfiguration().cloudKitDatabase == .automatic)
        let container = try ModelContainer(for: Schema([Photo.self]), configurations: [configuration])
        let context = ModelContext(container)
        context.insert(Photo())
        try context.save()
        #expect(logger.entries.map(\.event) == ["cloudKitUnavailable", "externalStorageIgnored"])
        #expect(logger.entries.first?.metadata["database"] == "iCloud.photos")
        #expect(logger.entries.last?.metadata["attributes"] == "Photo.data, Photo.preview")
        #expect(logger.entries.allSatisfy { $0.level == .notice })
    }

    @Model
    final class Photo {
        @Attribute(.externalStorage) var data = Data()
        @Attribute(.externalStorage) var preview: Data?
        var name = ""
    }

    /// The versions with the defect, and those before and after.
    @Test func versionsOfTheLibraryWithDefectsAreNamed() throws {
        for number in [3_007_000, 3_035_005, 3_040_001, 3_044_005, 3_045_000, 3_050_006, 3_051_000, 3_051_002]
            as [Int32]
        {
            #expect(LibraryNotice.text(number) != nil, "\(number)")
        }
        for number in [3_006_023, 3_044_006, 3_044_007, 3_050_007, 3_050_008, 3_051_003, 3_053_001, 4_000_000]
            as [Int32]
        {
            #expect(LibraryNotice.text(number) == nil, "\(number)")
        }
        let logger = TestLogger(keepsLibraryNotice: true)
        var configuration = ModelConfiguration("trips", url: URL(fileURLWithPath: "/x"))
        let isLogged = Atomic(false)
        LibraryNotice.log(configuration, 3_040_001, isLogged)
        configuration.logger = logger
        for number in [3_051_003, 3_040_001, 3_040_001] as [Int32] {
            LibraryNotice.log(configuration, number, isLogged)
        }
        #expect(logger.entries.map(\.event) == ["libraryDefect"])
        #expect(logger.entries.first?.metadata["version"] == "3.40.1")
    }

    // MARK: Consumers

    /// A consumer that is not used any more keeps the history for ever.
    @Test(arguments: StoreKind.allCases)
    func abandonedConsumersAreNamed(_ kind: StoreKind) throws {
        let directory = try TemporaryDirectory()
        let container = try container(kind, in: directory)
        _ = try container.historyConsumer(named: "abandoned", startingNewAt: .beginning)
        try add("a", "b", to: container)
        let store = try #require(container.stores.first as? DefaultStore)
        let retention = HistoryRetention(maximumChanges: 1)
        #expect(try store.planHistoryPurge(retention, at: .now).keptFor == ["abandoned"])
        #expect(try store.planHistoryPurge(retention, at: .now).abandoned.isEmpty)
        let plan = try store.planHistoryPurge(retention, at: .now + 86_500)
        #expect(plan.keptFor == ["abandoned"] && plan.abandoned == ["abandoned"])
        let result = HistoryPurgeResult(store.identifier, plan)
        #expect(result.abandoned == ["abandoned"])
        // A consumer that is evicted is not waited for.
        let silence = HistoryRetention(maximumChanges: 1, maximumSilence: .seconds(3_600))
        #expect(try store.planHistoryPurge(silence, at: .now + 86_500).abandoned.isEmpty)
    }

    /// The consumer is as old as its row says.
    @Test func abandonedConsumersAreLoggedOncePerStoreByAutomaticPurges() async throws {
        let directory = try TemporaryDirectory()
        let retention = HistoryRetention(maximumChanges: 1, purgeInterval: .zero)
        let container = try container(.file, in: directory, retention, level: .notice)
        _ = try container.historyConsumer(named: "abandoned", startingNewAt: .beginning)
        _ = try Shell.sqlite3(
            directory.file("logged.store"), "UPDATE chronicle_consumer SET seen = seen - 100000")
        func entries() -> [TestLogger.Entry] { logger.entries.filter { $0.event == "consumerAbandoned" } }
        while entries().isEmpty {
            try add("a", to: container)
            await Task.yield()
        }
        for name in ["b", "c", "d"] { try add(name, to: container) }
        _ = try await container.purgeHistory(retention)
        #expect(entries().count == 2)
        #expect(entries().allSatisfy { $0.metadata["consumer"] == "abandoned" && $0.level == .notice })
    }

    @Test(arguments: StoreKind.allCases)
    func evictedConsumersAreNamed(_ kind: StoreKind) async throws {
        let directory = try TemporaryDirectory()
        let container = try container(kind, in: directory)
        try add("a", to: container)
        let silent = try container.historyConsumer(named: "silent", startingNewAt: .beginning)
        try add("b", "c", to: container)
        // Nothing is deleted, so no consumer is evicted.
        _ = try await container.purgeHistory(HistoryRetention(maximumChanges: 1))
        #expect(logger.entries.isEmpty)
        let results = try await container.purgeHistory(HistoryRetention(maximumChanges: 1, maximumSilence: .zero))
        #expect(results.map(\.evicted) == [["silent"]])
        #expect(logger.entries.map(\.event) == ["consumerEvicted"])
        #expect(logger.entries.map(\.level) == [.notice])
        #expect(logger.entries.first?.metadata["consumer"] == "silent")
        #expect(logger.entries.first?.metadata["store"] == "trips")
        #expect(logger.entries.first?.message.contains("\"silent\"") == true)
        // The consumer is told by a reset, which is logged when it is delivered.
        guard case .reset(.expired)? = try silent.nextBatch()?.content else { throw Shell.Failure(description: "none") }
        #expect(logger.entries.map(\.event) == ["consumerEvicted", "consumerReset"])
        #expect(logger.entries.last?.level == .notice)
        #expect(logger.entries.last?.metadata["reason"] == "expired")
        #expect(logger.entries.last?.metadata["consumer"] == "silent")
    }

    @Test(arguments: StoreKind.allCases, StoreLogLevel.allCases)
    func requestedResetsAreDetails(_ kind: StoreKind, _ level: StoreLogLevel) throws {
        let directory = try TemporaryDirectory()
        let container = try container(kind, in: directory, level: level)
        let consumer = try container.historyConsumer(named: "new", startingNewAt: .snapshot)
        guard case .reset(.requested)? = try consumer.nextBatch()?.content else {
            throw Shell.Failure(description: "the first batch is no reset")
        }
        #expect(logger.entries.map(\.event) == (level == .debug ? ["consumerReset"] : []))
    }

    // MARK: Purges

    @Test(arguments: StoreKind.allCases)
    func automaticPurgesAreDetails(_ kind: StoreKind) async throws {
        let directory = try TemporaryDirectory()
        let container = try container(kind, in: directory, HistoryRetention(maximumAge: .zero))
        let store = try #require(container.stores.first as? DefaultStore)
        try add("a", to: container)
        // The first save starts the only purge.
        while store.automaticPurgeOutcome == nil { await Task.yield() }
        let result = try #require(try store.automaticPurgeOutcome?.get())
        #expect(logger.entries.map(\.event) == ["purged"] && logger.entries.map(\.level) == [.debug])
        #expect(logger.entries.first?.metadata["transactions"] == String(result.transactions))
        #expect(logger.entries.first?.metadata["changes"] == String(result.changes))
    }

    @Test func failedPurgesAreLogged() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ModelConfiguration(url: directory.file("logged.store"), durability: .relaxed)
        try add("first", to: ModelContainer(for: Schema([Trip.self]), configurations: [configuration]))
        _ = try Shell.sqlite3(
            configuration.url,
            "CREATE TRIGGER kept BEFORE DELETE ON chronicle_change BEGIN SELECT RAISE(ABORT, 'kept by a trigger'); END")
        configuration.historyRetention = HistoryRetention(maximumAge: .zero)
        configuration.logger = logger
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let store = try #require(container.stores.first as? DefaultStore)
        try add("a", to: container)
        while store.automaticPurgeOutcome == nil { await Task.yield() }
        #expect(logger.entries.map(\.event) == ["purgeFailed"] && logger.entries.map(\.level) == [.notice])
        #expect(logger.entries.first?.metadata["error"]?.contains("kept by a trigger") == true)
    }

    // MARK: Files

    @Test func growingLogsAreReported() throws {
        let directory = try TemporaryDirectory()
        let container = try container(.file, in: directory)
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        // About 1 MB.
        func save() throws {
            context.insert(Trip(name: String(repeating: "x", count: 1 << 20), destination: "somewhere"))
            try context.save()
        }
        try save()
        let reports = { logger.entries.filter { $0.event == "logGrown" } }
        // Without a reader, the log is emptied.
        for _ in 0..<3 * LogSize.firstLimit >> 20 { try save() }
        #expect(reports().isEmpty)
        try store.database.read { reader in
            try reader.deferredRead {
                _ = try reader.scalarInt64("SELECT count(*) FROM Trip")
                // Each size is reported once. A check is made every 100 ms.
                for _ in 0..<2_000 where reports().isEmpty { try save() }
            }
        }
        let report = try #require(reports().first)
        #expect(reports().count == 1 && report.level == .notice)
        #expect(report.metadata["path"] == directory.file("logged.store").path)
        #expect(try #require(report.metadata["bytes"].flatMap(Int.init)) >= LogSize.firstLimit)
    }
}
