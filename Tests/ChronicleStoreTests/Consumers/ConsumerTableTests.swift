import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The table of the consumers in a file.
@Suite struct ConsumerTableTests {
    /// The file still meets its schema, so that opening it does not compare all definitions.
    @Test func tableIsCreatedWithTheFirstConsumer() throws {
        let store = try TestStore(.file)
        try store.add("a")
        #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'chronicle_consumer'") == 0)
        #expect(try store.container.historyConsumers().isEmpty)
        #expect(try store.shell("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'") == digest(store))
        _ = try store.consumer()
        #expect(try store.number("SELECT count(*) FROM chronicle_consumer") == 1)
        #expect(try store.shell("SELECT value FROM chronicle_meta WHERE name LIKE 'complete:%'") == digest(store))
        try store.add("b")
        let other = try store.reopened()
        #expect(
            try other.historyConsumer(named: "reader", startingNewAt: .now).take() == [
                "insert Trip/1", "insert Trip/2",
            ])
    }

    private func digest(_ store: TestStore) throws -> String {
        try store.database.read { try FileSchema($0).digest }
    }

    @Test(arguments: StoreKind.allCases)
    func recordsAreReadAsTheyWereWritten(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let identifier = try store.store.identifier
        let (one, two) = (try store.history()[0].token, try store.history()[1].token)
        let model = try store.context().fetchIdentifiers(FetchDescriptor<Trip>())[0]
        let places: [HistoryConsumerPlace<DefaultHistoryToken>] = [
            .init(position: DefaultHistoryToken(storeIdentifier: identifier, position: 0)), .init(position: one),
            .init(position: DefaultHistoryToken(storeIdentifier: "", position: 0)),
            .init(position: two, rebuild: .requested(.gap)), .init(position: two, rebuild: .reading(after: nil)),
            .init(position: two, rebuild: .reading(after: model)),
        ]
        for (number, place) in places.enumerated() {
            let record = HistoryConsumerRecord(
                name: "c'\(number)\u{e9}", place: place, fence: 7, attempts: 8,
                acknowledged: number == 0 ? nil : Date(timeIntervalSinceReferenceDate: 9.5),
                seen: Date(timeIntervalSinceReferenceDate: 10), skipCount: number, skips: [])
            try store.store.updateConsumer(named: record.name, isDurable: false) { $0 = record }
            #expect(try store.store.consumerRecord(named: record.name) == record)
        }
        #expect(try store.store.consumerRecords().count == places.count)
        // A purge must keep what the consumers need.
        let positions = try store.database.read { connection in
            try connection.deferredRead { try ConsumerTable.holds(nil, connection).map(\.position) }
        }
        #expect(positions == [0, 2, 4, 4])
    }

    @Test(arguments: [
        "position = 'x'", "check_value = 'x'", "rebuild = '{'", "rebuild = 1", "fence = 'x'", "fence = -1",
        "attempts = 1e30", "acknowledged = 9e999", "skips = '[1]'", "skip_count = -1",
    ])
    func damagedRecordIsReported(_ change: String) throws {
        let store = try TestStore(.inMemory)
        let consumer = try store.consumer()
        try store.database.write { try $0.execute("UPDATE chronicle_consumer SET \(change)") }
        #expect(try failure { _ = try consumer.nextBatch() } == .damagedFile)
        #expect(try failure { _ = try store.container.historyConsumers() } == .damagedFile)
        #expect(try failure { try store.container.removeHistoryConsumer(named: "reader") } == .damagedFile)
    }

    @Test func changedTableIsReported() throws {
        let store = try TestStore(.file)
        try store.shell("CREATE TABLE chronicle_consumer(name TEXT)")
        #expect(try failure { _ = try store.consumer() } == .damagedFile)
        try store.shell("DROP TABLE chronicle_consumer; CREATE VIEW chronicle_consumer AS SELECT 1 AS name")
        #expect(try failure { _ = try store.consumer() } == .damagedFile)
    }

    @Test(arguments: StoreKind.allCases)
    func removedTableFailsTheAcknowledgement(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let batch = try #require(try store.consumer().nextBatch())
        // As in a backup that was made before the first consumer, and restored while the store is open.
        try store.database.write { try $0.execute("DROP TABLE chronicle_consumer") }
        let context = store.context()
        context.insert(Trip(name: "b", destination: "there"))
        #expect(try failure { try context.save(acknowledging: batch) } == .historyConsumerNotFound)
        #expect(try store.history().count == 1)
    }

    /// A number that was reused would be locked by the instance of a removed consumer.
    @Test func numbersOfRemovedConsumersAreNotReused() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let removed = try store.consumer()
        _ = try removed.nextBatch()
        try store.container.removeHistoryConsumer(named: "reader")
        #expect(try store.consumer().take() == ["insert Trip/1"])
        withExtendedLifetime(removed) {}
    }

    /// An open snapshot of a reader keeps the write-ahead log from being reset; batches do not hold one.
    @Test func batchesDoNotHoldASnapshot() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        try store.add("b")
        // The first column is 1 if a reader prevents the checkpoint.
        #expect(try store.shell("PRAGMA wal_checkpoint(TRUNCATE)").hasPrefix("0|"))
        try consumer.acknowledge(batch)
    }
}
