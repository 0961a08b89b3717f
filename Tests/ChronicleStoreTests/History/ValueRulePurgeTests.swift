import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Purges that a store starts by itself, and those of a tracked database, apply the rules for preserved values.
@Suite struct ValueRulePurgeTests {
    // MARK: Automatic purges

    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func theStorePurgesBySettings(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) async throws {
        let directory = try TemporaryDirectory()
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("automatic.store"), durability: .relaxed, preservesValues: true)
            : ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)
        configuration.recorder = recorder
        configuration.historyRetention = HistoryRetention(
            valueRules: [PreservedValueRule(\Trip.note, maximumAge: .seconds(5 * 86_400))], purgeInterval: .zero)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        func save() throws {
            let trip = Trip(name: UUID().uuidString, destination: "somewhere")
            trip.note = "note"
            context.insert(trip)
            try context.save()
        }
        func hasNotes() throws -> [Bool] {
            try context.fetchHistory().flatMap(\.changes).map { $0.preservedValues.contains { $0.name == "note" } }
        }
        for _ in 0..<3 { try save() }
        #expect(try hasNotes() == [true, true, true])
        try store.database.write {
            try $0.execute("UPDATE chronicle_change SET primary_key = primary_key - 864000 WHERE kind < 0")
        }
        // Each save starts a purge unless one is running.
        var saved = 3
        while try hasNotes().prefix(3).contains(true) {
            if saved < 10 || store.automaticPurgeOutcome != nil {
                try save()
                saved += 1
            }
            await Task.yield()
        }
        let notes = try hasNotes()
        #expect(notes.count == saved && notes.dropFirst(3).allSatisfy { $0 })
        #expect(try store.automaticPurgeOutcome?.get().storeIdentifier ?? store.identifier == store.identifier)
        #expect(try context.fetch(FetchDescriptor<Trip>()).allSatisfy { $0.note == "note" })
    }

    // MARK: Interrupted purges

    /// Values of a transaction that a purge has begun to delete are not erased, but deleted.
    @Test(arguments: StoreKind.allCases) func valuesOfAPartlyDeletedTransactionDoNotCount(_ kind: StoreKind) throws {
        let store = try TestStore(kind, preservesValues: true)
        let context = store.context()
        for number in 0..<2_000 { context.insert(Trip(name: "n\(number)", destination: "d")) }
        try context.save()
        try store.add("newest")
        let deletion = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        let step = try store.store.purgeHistory(deletion)
        #expect(step.transactions == 0 && step.changes > 0 && !step.isLast)
        let rule = PreservedValueRule(\Trip.name, maximumAge: .zero)
        let plan = try store.store.planHistoryPurge(HistoryRetention(valueRules: [rule]), at: .now + 1)
        #expect(try store.store.preservedValueCounts(plan) == [1])
        #expect(try store.store.eraseValues(rule, at: .now + 1) == 1)
    }

    // MARK: Tracked databases

    /// Their program saves the rows, so that nothing starts a purge but a request.
    @Test func valuesOfTrackedTablesAreErased() throws {
        let fixture = try TrackedFixture(
            "PRAGMA journal_mode = WAL; CREATE TABLE account(id INTEGER PRIMARY KEY, email, note)")
        let store = try fixture.store(allowsSave: true)
        try fixture.app.execute("INSERT INTO account VALUES (1, 'a@example.com', 'a')")
        try fixture.app.execute("UPDATE account SET email = 'b@example.com', note = 'b'")
        let rule = PreservedValueRule(entityName: "account", attributeName: "email", maximumAge: .seconds(5 * 86_400))
        // Groups the changes.
        #expect(try store.eraseValues(rule) == 0)
        try fixture.app.execute("UPDATE chronicle_change SET primary_key = primary_key - 864000 WHERE kind < 0")
        try fixture.app.execute("UPDATE account SET email = 'c@example.com'")
        #expect(try store.preservedNames() == [["email", "note"], ["email", "note"], ["email"]])
        #expect(try store.eraseValues(rule) == 2)
        #expect(try store.preservedNames() == [["note"], ["note"], ["email"]])
        #expect(throws: SwiftDataError.unknownSchema) {
            try store.eraseValues(PreservedValueRule(entityName: "account", attributeName: "mail", maximumAge: .zero))
        }
        #expect(try store.eraseValues(PreservedValueRule(entityName: "account", maximumAge: .seconds(5 * 86_400))) == 2)
        #expect(try store.preservedNames() == [[], [], ["email"]])
        #expect(try fixture.app.scalarText("SELECT email || note FROM account") == "c@example.comb")
        #expect(try fixture.problems().isEmpty)
    }
}
