import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The size of the history, counted and estimated.
@Suite struct HistoryStatisticsTests {
    @Test(arguments: StoreKind.allCases)
    func emptyHistory(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let expected = HistoryStatistics(
            storeIdentifier: try store.store.identifier, transactions: 0, changes: 0, bytes: 0, oldest: nil, newest: nil
        )
        #expect(try store.container.historyStatistics() == [expected])
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func shortHistoriesAreCounted(_ kind: StoreKind, _ preservesValues: Bool) throws {
        let store = try TestStore(kind, preservesValues: preservesValues)
        let context = store.context()
        let trips = try store.add("a", "b", "c", in: context)
        trips[0].name = "d"
        trips[1].note = "n"
        try context.save()
        context.delete(trips[2])
        try context.save()
        try store.foreign("UPDATE Trip SET note = 'x'")
        // The transaction of another program has the present time until it is grouped.
        let before = Date()
        var history = try store.history()
        var statistics = try store.store.historyStatistics()
        #expect(statistics.transactions == 6 && history.count == 6)
        #expect(statistics.changes == history.reduce(0) { $0 + $1.changes.count })
        #expect(!statistics.isEstimated && statistics.bytes > 0)
        #expect(statistics.oldest == history[0].timestamp)
        #expect(try #require(statistics.newest) >= before && #require(statistics.newest) <= Date())
        try context.deleteHistory(.before(history[1].token))
        history = try store.history()
        let bytes = statistics.bytes
        statistics = try store.store.historyStatistics()
        #expect(statistics.transactions == 4 && statistics.bytes < bytes)
        #expect(statistics.changes == history.reduce(0) { $0 + $1.changes.count })
        #expect(statistics.oldest == history[0].timestamp)
    }

    /// Each history ends with nothing, with a save, or with changes by another program that no save has grouped.
    @Test(arguments: StoreKind.allCases)
    func newestTransactionIsTheLastOfTheHistory(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.foreign(
            "INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('x', '', 0, 0, '[]')")
        let statistics = try store.store.historyStatistics()
        #expect(statistics.transactions == 1 && statistics.newest != nil && statistics.newest == statistics.oldest)
        try store.add("a")
        #expect(try store.store.historyStatistics().newest == store.history().last?.timestamp)
        let before = Date()
        try store.foreign("DELETE FROM Trip")
        #expect(try #require(store.store.historyStatistics().newest) >= before)
        try store.add("b")
        try store.context().deleteHistory(Descriptor())
        #expect(try store.store.historyStatistics().newest == nil)
        try store.foreign("DELETE FROM Trip")
        let deleted = try store.store.historyStatistics()
        #expect(deleted.newest != nil && deleted.newest == deleted.oldest)
    }

    @Test(arguments: StoreKind.allCases)
    func longHistoriesAreEstimated(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        for number in 0..<400 {
            for item in 0..<100 { context.insert(BucketListItem(title: "\(number) \(item)")) }
            try context.save()
        }
        let statistics = try store.store.historyStatistics()
        #expect(statistics.transactions == 400 && statistics.isEstimated)
        #expect((39_000...41_000).contains(statistics.changes))
        let exact = try #require(try store.number("SELECT total(\(HistorySize.rowBytes)) FROM chronicle_change"))
        #expect(abs(Double(statistics.bytes) / Double(exact) - 1) < 0.03)
    }

    /// A limit within the last 8,192 rows is exact, and one before them is estimated.
    @Test(arguments: StoreKind.allCases)
    func limitsOfLongHistories(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        for number in 0..<400 {
            for item in 0..<100 { context.insert(BucketListItem(title: "\(number) \(item)")) }
            try context.save()
        }
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 20_000))
        #expect((195...205).contains(try store.history().count))
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 5_050))
        #expect(try store.history().count == 50)
    }

    /// Consumers with unread transactions, unless they were silent for too long.
    @Test(arguments: StoreKind.allCases)
    func consumersThatHoldTransactions(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let readers = try ["second", "first"].map { try store.consumer($0) }
        #expect(try store.store.historyStatistics().holds.map(\.consumer) == ["first", "second"])
        try readers[1].acknowledge(try #require(try readers[1].nextBatch()))
        #expect(try store.store.historyStatistics().holds.map(\.consumer) == ["second"])
        try store.add("b")
        let holds = try store.store.historyStatistics().holds
        #expect(holds.map(\.consumer) == ["second", "first"])
        #expect(
            try holds.map(\.lastSeen)
                == ["second", "first"].map { name in
                    try #require(store.container.historyConsumers().first { $0.name == name }).lastSeen
                })
    }

    @Test func consumersThatWereSilentForTooLongHoldNothing() throws {
        let store = try TestStore(.file)
        try store.add("a")
        _ = try store.consumer()
        let configuration = ModelConfiguration(
            url: store.url, historyRetention: HistoryRetention(maximumSilence: .zero))
        let reopened = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        #expect(try reopened.historyStatistics().map(\.holds) == [[]])
    }

    @Test func withoutHistory() async throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true, recordsHistory: false)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        #expect(throws: SwiftDataError.historyDisabled) { try container.historyStatistics() }
        await #expect(throws: SwiftDataError.historyDisabled) { try await container.purgeHistory() }
        let store = try #require(container.stores.first as? DefaultStore)
        #expect(throws: SwiftDataError.historyDisabled) { try store.historyStatistics() }
        #expect(throws: SwiftDataError.historyDisabled) { try store.purgeHistory(HistoryPurgePlan(newest: nil)) }
    }
}
