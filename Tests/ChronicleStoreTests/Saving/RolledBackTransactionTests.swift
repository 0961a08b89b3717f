import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Errors for which SQLite rolls back the whole transaction, and not only the statement. Nothing that follows is written.
///
/// https://github.com/superfly/corrosion/issues/307
@Suite struct RolledBackTransactionTests {
    /// Everything that an operation may change.
    struct State: Equatable {
        let content: StoreContent
        let history: [String]
        let consumers: [String]
        let tags: [String]
    }

    /// A store, and what the operations use.
    struct Fixture {
        let store: TestStore
        let container: ModelContainer
        let context: ModelContext
        let consumer: HistoryConsumer<DefaultHistoryTransaction>
        let batch: HistoryBatch<DefaultHistoryTransaction>

        var database: DefaultStore {
            get throws { try #require(container.stores.first as? DefaultStore) }
        }

        init(_ recorder: ModelConfiguration.Recorder) throws {
            store = try TestStore(.file, StoreContent.types, preservesValues: true)
            var configuration = ModelConfiguration(url: store.url, durability: .relaxed, preservesValues: true)
            configuration.recorder = recorder
            container = try ModelContainer(for: Schema(StoreContent.types), configurations: [configuration])
            context = ModelContext(container)
            context.author = "app"
            for number in 0..<6 {
                let trip = Trip(name: "\(number)", destination: "", startDate: .distantPast)
                trip.bucketList = (0..<3).map { BucketListItem(title: "\($0)") }
                context.insert(trip)
                context.insert(LinkItem("\(number)", tags: [LinkTag("\(number)")]))
                try context.save()
            }
            try context.tag("first")
            consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
            batch = try #require(try consumer.nextBatch(limit: 10))
        }

        func trips() throws -> [Trip] { try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) }

        func state() throws -> State {
            let history = try context.fetchHistory(Descriptor()).map { "\($0.transactionIdentifier) \($0.line)" }
            let consumers = try container.historyConsumers(of: DefaultHistoryTransaction.self).map {
                "\($0.name) \($0.position as Any)"
            }
            return State(
                content: try StoreContent(container), history: history, consumers: consumers,
                tags: try context.tags().map(\.name))
        }
    }

    /// An operation with a row that a trigger of another program rejects.
    struct Operation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The event of the trigger, with its condition.
        let event: String
        let perform: @Sendable (Fixture) throws -> Void
    }

    static let operations = [
        Operation(testDescription: "insert", event: "INSERT ON Trip WHEN NEW.name = 'b'") { fixture in
            for name in ["a", "b", "c"] { fixture.context.insert(Trip(name: name, destination: "")) }
            try fixture.trips()[0].note = "changed"
            try fixture.context.save()
        },
        Operation(testDescription: "update", event: "UPDATE ON Trip WHEN NEW.note = '3'") { fixture in
            for trip in try fixture.trips() { trip.note = trip.name }
            fixture.context.insert(Trip(name: "new", destination: ""))
            try fixture.context.save()
        },
        Operation(testDescription: "delete", event: "DELETE ON BucketListItem WHEN OLD.title = '1'") { fixture in
            fixture.context.delete(try fixture.trips()[2])
            fixture.context.insert(Trip(name: "new", destination: ""))
            try fixture.context.save()
        },
        // Nothing references the rows, whose keys follow each other.
        Operation(testDescription: "delete of a range", event: "DELETE ON BucketListItem WHEN OLD.id = 8") { fixture in
            let items = try fixture.context.fetch(FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)]))
            for item in items { fixture.context.delete(item) }
            try fixture.context.save()
        },
        Operation(testDescription: "exchange", event: "UPDATE ON Trip WHEN typeof(NEW.name) = 'blob' AND NEW.id = 2") {
            let trips = try $0.trips()
            for trip in trips { (trip.startDate, trip.endDate) = (.distantPast, .distantFuture) }
            for (trip, name) in zip(trips, ["1", "0", "3", "2", "5", "4"]) { trip.name = name }
            try $0.context.save()
        },
        Operation(testDescription: "link", event: "INSERT ON \"LinkItem.tags\"") { fixture in
            let items = try fixture.context.items()
            items[0].tags.append(LinkTag("new"))
            items[1].number = 7
            try fixture.context.save()
        },
        Operation(testDescription: "upsert", event: "UPDATE ON Trip WHEN NEW.destination = 'again'") { fixture in
            for number in [9, 3, 8] {
                fixture.context.insert(Trip(name: "\(number)", destination: "again", startDate: .distantPast))
            }
            try fixture.context.save()
        },
        Operation(testDescription: "batch update", event: "UPDATE ON Trip WHEN OLD.name = '4'") { fixture in
            try fixture.context.update(model: Trip.self, set: \.note, to: "changed")
        },
        Operation(testDescription: "batch delete", event: "DELETE ON Trip WHEN OLD.name = '4'") { fixture in
            try fixture.context.delete(model: Trip.self)
        },
        Operation(testDescription: "acknowledged save", event: "INSERT ON Trip WHEN NEW.name = 'b'") { fixture in
            for name in ["a", "b", "c"] { fixture.context.insert(Trip(name: name, destination: "")) }
            try fixture.context.save(acknowledging: fixture.batch)
        },
        Operation(testDescription: "acknowledgement of a save", event: "UPDATE ON chronicle_consumer") { fixture in
            fixture.context.insert(Trip(name: "new", destination: ""))
            try fixture.context.save(acknowledging: fixture.batch)
        },
        Operation(testDescription: "acknowledgement", event: "UPDATE ON chronicle_consumer") { fixture in
            try fixture.consumer.acknowledge(fixture.batch)
        },
        Operation(testDescription: "delete of the history", event: "DELETE ON chronicle_change WHEN OLD.id > 12") {
            try $0.context.deleteHistory(Descriptor())
        },
        Operation(testDescription: "tag", event: "INSERT ON chronicle_tag") { try $0.context.tag("new") },
        Operation(testDescription: "undo", event: "DELETE ON BucketListItem WHEN OLD.title = '1'") {
            try $0.context.undoHistory.undo()
        },
        Operation(testDescription: "erasing", event: "DELETE ON BucketListItem WHEN OLD.id = 4") { fixture in
            try fixture.container.erase()
        },
    ]

    @Test(arguments: operations, ModelConfiguration.Recorder.allCases)
    func nothingIsWritten(_ operation: Operation, _ recorder: ModelConfiguration.Recorder) throws {
        for timing in ["BEFORE", "AFTER"] {
            let fixture = try Fixture(recorder)
            let before = try fixture.state()
            try fixture.store.shell(
                "CREATE TRIGGER rejecting \(timing) \(operation.event) BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
            let error = #expect(throws: SwiftDataError.self) { try operation.perform(fixture) }
            #expect(error != .damagedFile && error != .invalidStoreResponse, "\(String(describing: error))")
            #expect(try fixture.state() == before, "\(timing)")
            // The connection is usable, and the same operation succeeds later.
            try fixture.store.shell("DROP TRIGGER rejecting")
            fixture.context.rollback()
            try operation.perform(fixture)
            #expect(try fixture.state() != before)
            let other = try Fixture(recorder)
            try operation.perform(other)
            #expect(try fixture.trips().map(\.name) == other.trips().map(\.name))
            #expect(
                try fixture.context.fetchHistory(Descriptor()).count == other.context.fetchHistory(Descriptor()).count)
            #expect(try fixture.store.shell("PRAGMA foreign_key_check; PRAGMA integrity_check") == "ok")
        }
    }

    /// A transaction that does not fit into the file.
    @Test(arguments: operations, ModelConfiguration.Recorder.allCases)
    func nothingIsWrittenToAFullFile(_ operation: Operation, _ recorder: ModelConfiguration.Recorder) throws {
        let fixture = try Fixture(recorder)
        let before = try fixture.state()
        let database = try fixture.database.database
        try database.write { connection in
            let pages = try connection.scalarInt64("PRAGMA page_count") ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages)")
        }
        fixture.context.insert(Trip(name: String(repeating: "x", count: 1 << 20), destination: ""))
        #expect(throws: SwiftDataError.storeFull) { try fixture.context.save() }
        #expect(try fixture.state() == before && fixture.context.hasChanges)
        fixture.context.rollback()
        // Operations that need no page may succeed.
        do { try operation.perform(fixture) } catch let error as SwiftDataError {
            #expect(error == .storeFull, "\(error)")
            #expect(try fixture.state() == before)
            fixture.context.rollback()
            try database.write { try $0.execute("PRAGMA max_page_count = 1000000") }
            try operation.perform(fixture)
        }
        #expect(try fixture.state() != before)
        #expect(try fixture.store.shell("PRAGMA foreign_key_check; PRAGMA integrity_check") == "ok")
    }

    @Test(arguments: ["BEFORE", "AFTER"]) func nothingOfAReplayedTransactionIsWritten(_ timing: String) throws {
        let source = try TestStore(.file, StoreContent.types, preservesValues: true)
        try source.add("a", "b", "c")
        let export = try ReplicaHarness.export(source)
        let replica = try TestStore(.file, StoreContent.types, preservesValues: true)
        try replica.shell(
            "CREATE TRIGGER rejecting \(timing) INSERT ON Trip WHEN NEW.name = 'b' BEGIN SELECT RAISE(ROLLBACK, 'no'); END"
        )
        #expect(throws: SwiftDataError.self) { try ReplicaHarness.replay(export, to: replica) }
        let trips = try replica.context().fetch(FetchDescriptor<Trip>()).map(\.name)
        #expect(try !trips.contains("b") && trips.count == replica.history().count)
        try replica.shell("DROP TRIGGER rejecting")
        try ReplicaHarness.replay(export, to: replica)
        #expect(try ReplicaHarness.contents(replica) == ReplicaHarness.contents(source))
    }

    /// A custom stage whose changes another program rejects.
    @Test(arguments: ["BEFORE", "AFTER"]) func nothingOfAMigrationIsWritten(_ timing: String) throws {
        let file = try TemporaryDirectory().file("travel.store")
        let configuration = ModelConfiguration(url: file, durability: .relaxed)
        func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: version), migrationPlan: TravelMigrationPlan.self,
                    configurations: configuration))
        }
        do {
            let context = try open(TravelSchemaV1.self)
            for number in 0..<3 { context.insert(TravelSchemaV1.Trip(name: "\(number)", days: number)) }
            try context.save()
        }
        _ = try Shell.sqlite3(
            file,
            """
            CREATE TRIGGER rejecting \(timing) UPDATE ON Trip WHEN NEW.name = '1 1' \
            BEGIN SELECT RAISE(ROLLBACK, 'no'); END
            """)
        #expect(throws: SwiftDataError.self) { _ = try open(TravelSchemaV3.self) }
        #expect(
            try open(TravelSchemaV1.self).fetch(
                FetchDescriptor<TravelSchemaV1.Trip>(sortBy: [SortDescriptor(\.name)])
            ).map(\.name) == ["0", "1", "2"])
        _ = try Shell.sqlite3(file, "DROP TRIGGER rejecting")
        let journeys = try open(TravelSchemaV3.self).fetch(
            FetchDescriptor<TravelSchemaV3.Journey>(sortBy: [SortDescriptor(\.name)]))
        #expect(journeys.map(\.name) == ["0 0", "1 1", "2 2"])
    }
}
