import Chronicle
import ChronicleSQLStore
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Deletes of transactions between others: which tokens remain valid, and what tells a reader that something is missing.
@Suite struct SelectiveDeletionTests {
    @Test(arguments: StoreKind.allCases, ModelConfiguration.Recorder.allCases)
    func readsAfterRandomDeletions(_ kind: StoreKind, _ recorder: ModelConfiguration.Recorder) throws {
        for number in 0..<3 {
            let directory = try TemporaryDirectory()
            let memory = kind == .inMemory ? try open(nil, recorder) : nil
            var simulation = try DeletionSimulation(TestSeed.generator(number)) {
                // A store in memory has no other process.
                try memory ?? open(directory.file("test.store"), recorder)
            }
            do { try simulation.run(steps: 60) } catch let mismatch as DeletionSimulation.Mismatch {
                Issue.record("\(mismatch), \(TestSeed.description)")
            }
        }
    }

    private func open(_ url: URL?, _ recorder: ModelConfiguration.Recorder) throws -> ModelContainer {
        var configuration =
            url.map { ModelConfiguration(url: $0, durability: .relaxed, preservesValues: true) }
            ?? ModelConfiguration(isStoredInMemoryOnly: true, preservesValues: true)
        configuration.recorder = recorder
        return try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
    }

    /// The transactions 2, 4, 6, … of the authors.
    private func filled(_ kind: StoreKind, _ authors: String...) throws -> (store: TestStore, all: [Transaction]) {
        let store = try TestStore(kind)
        for (number, author) in authors.enumerated() { try store.add("\(number)", author: author) }
        return (store, try store.history())
    }

    private func delete(_ author: String, _ store: TestStore) throws {
        try store.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
    }

    /// Only files can be verified.
    private func problems(_ store: TestStore) throws -> [String] {
        var problems: [String] = []
        if store.kind == .file { try DefaultStore.verify(fileAt: store.url) { problems.append("\($0)") } }
        return problems
    }

    private func row(_ store: TestStore) throws -> SelectiveDeletions? {
        try store.database.read { try MetaTable.text(.deletions, $0).flatMap(SelectiveDeletions.unchecked) }
    }

    @Test(arguments: StoreKind.allCases)
    func theRowExistsUntilTheBeginningReachesTheFloor(_ kind: StoreKind) throws {
        let (store, all) = try filled(kind, "a", "b", "a", "c", "a")
        try store.context().deleteHistory(.before(all[0].token))
        #expect(try row(store) == nil)
        try delete("b", store)
        #expect(try row(store) == nil, "the beginning is deleted")
        try delete("c", store)
        let row = try #require(try row(store))
        #expect(row.floor == 8 && row.beginning == 4 && row.authors == [.init(name: "c", newest: 8)])
        #expect(row.beginningCheckValue == all[1].token.checkValue(in: try store.store.identifier))
        #expect(try problems(store).isEmpty)
        // The reader that deletes what it has read continues.
        try store.context().deleteHistory(.before(all[2].token))
        #expect(try self.row(store)?.beginning == 6)
        #expect(try store.history(.after(all[2].token)).map(\.followsDeletion) == [true])
        try store.context().deleteHistory(.before(all[4].token))
        #expect(try self.row(store) == nil)
    }

    /// Like a delete by a program that does not write the row.
    @Test(arguments: StoreKind.allCases)
    func anotherFloorExpiresAllTokensBeforeIt(_ kind: StoreKind) throws {
        let (store, all) = try filled(kind, "a", "b", "a", "b", "a")
        try delete("b", store)
        #expect(try store.history(.after(all[0].token)).count == 2)
        let check = try #require(all[4].token.checkValue(in: try store.store.identifier))
        try store.foreign(
            """
            DELETE FROM chronicle_change WHERE id = 9; UPDATE chronicle_change SET kind = 0, primary_key = NULL, \
            old_value = NULL, new_value = NULL WHERE id = 10; UPDATE chronicle_meta SET value = 10 WHERE name = 'floor'; \
            UPDATE chronicle_meta SET value = \(check) WHERE name = 'floorCheck'
            """)
        #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(all[0].token)) }
        #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(all[2].token)) }
        #expect(try store.history(.after(all[4].token)).isEmpty)
        // Everything before the floor of the other program counts as deleted from then on.
        try store.add("new", author: "b")
        try delete("b", store)
        #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(all[2].token)) }
        #expect(try store.history().map(\.followsDeletion) == [false, true])
    }

    @Test(arguments: ["", "[]", "{}", #"{"floor":8,"beginning":-1}"#, #"{"floor":8,"beginning":8}"#])
    func anInvalidRowExpiresTokensAndIsReported(_ text: String) throws {
        let (store, all) = try filled(.file, "a", "b", "a", "b", "a")
        try delete("b", store)
        try store.foreign("UPDATE chronicle_meta SET value = '\(text)' WHERE name = 'deletions'")
        #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(.after(all[0].token)) }
        #expect(try store.history(.after(all[3].token)).count == 1)
        #expect(try problems(store).contains { $0.contains("deletions") })
        // The next delete writes a valid row.
        try delete("a", store)
        #expect(try problems(store).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func readersWithAnAuthorExpireAfterDeletesOfManyAuthors(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("0", author: "reader")
        let first = try #require(try store.history().first)
        let count = SelectiveDeletions.maximumAuthors
        for number in 0..<count {
            try store.add("\(number)", author: "\(number)")
            try delete("\(number)", store)
        }
        let reader: String? = "reader"
        let token = first.token
        var descriptor = Descriptor(predicate: #Predicate { $0.token > token && $0.author == reader })
        descriptor.requiresCompleteHistory = true
        #expect(try store.history(descriptor).isEmpty)
        try store.add("last", author: "another")
        try delete("another", store)
        #expect(try row(store)?.authors == nil)
        #expect(throws: SwiftDataError.historyTokenExpired) { try store.history(descriptor) }
        #expect(try store.history(.after(token)).isEmpty)
    }

    /// The header that would have grouped the changes was deleted, too, so the reader has missed nothing.
    @Test func tokenOfUngroupedChangesBeforeADeletedHeader() throws {
        let (store, _) = try filled(.file, "a", "b")
        try store.foreign("DELETE FROM Trip WHERE id = 1")
        let token = try #require(try store.store.currentHistoryToken())
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.isExternal }))
        try store.add("new", author: "a")
        #expect(try store.history(.after(token)).map(\.followsDeletion) == [false])
        #expect(try store.store.fetchHistoryWithoutChanges(.after(token)).map(\.followsDeletion) == [false])
        #expect(try store.history().map(\.followsDeletion) == [false, false, true])
    }

    /// Where recording was interrupted, nothing was deleted.
    @Test func aGapIsNoDeletion() throws {
        let (store, _) = try filled(.file, "a", "b")
        let configuration = ModelConfiguration(url: store.url, recordsHistory: false)
        _ = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let context = ModelContext(try store.reopened())
        context.insert(Trip(name: "new", destination: ""))
        try context.save()
        #expect(try context.fetchHistory().map(\.followsDeletion) == [false, false, false])
        #expect(try context.fetchHistoryWithoutChanges(HistoryDescriptor<Transaction>()).count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func mergingAfterADeletionReadsAllModels(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        let trips = try store.add("1", "2", in: context)
        let token = try context.currentHistoryToken()
        let other = store.context(author: "b")
        for trip in try other.fetch(FetchDescriptor<Trip>()) {
            trip.destination = "Oslo"
            other.author = trip.name == "1" ? "deleted" : "b"
            try other.save()
        }
        try delete("deleted", store)
        try store.add("3", author: "b")
        try context.merge(context.fetchHistory(.after(token)))
        #expect(trips.map(\.destination) == ["Oslo", "Oslo"])
    }

    @Test(arguments: StoreKind.allCases)
    func aPurgeHoldsWhatAConsumerBelowTheFloorCanRead(_ kind: StoreKind) throws {
        let (store, all) = try filled(kind, "a", "b", "a", "b", "a")
        let filter = HistoryFilter(authors: .except(["b"]))
        let consumer = try store.container.historyConsumer(named: "reader", filter: filter, startingNewAt: .beginning)
        let batch = try #require(try consumer.nextBatch(limit: 1))
        #expect(batch.token == all[0].token)
        try consumer.acknowledge(batch)
        try delete("b", store)
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 0), at: .now)
        #expect(plan.newest == all[0].token && plan.keptFor == ["reader"])
        #expect(try consumer.nextBatch(limit: 10)?.changes.count == 2)
    }
}
