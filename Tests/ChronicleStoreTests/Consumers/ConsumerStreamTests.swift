import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

/// Batches and transactions as asynchronous sequences that wait for commits.
@Suite("Streams of the history", .timeLimit(.minutes(5)))
struct ConsumerStreamTests {
    /// Reads batches until `count` changes arrived, and acknowledges each.
    private func changes(of consumer: Consumer, _ count: Int, limit: Int = 1_000) async throws -> [String] {
        var lines: [String] = []
        for try await batch in consumer.batches(limit: limit) {
            lines += try batch.lines
            try consumer.acknowledge(batch)
            if lines.count >= count { break }
        }
        return lines
    }

    @Test(arguments: StoreKind.allCases)
    func batchesWaitForCommits(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        async let lines = changes(of: consumer, 40, limit: 3)
        for number in 0..<39 {
            try store.add("\(number)")
            await Task.yield()
        }
        #expect(try await lines == (1...40).map { "insert Trip/\($0)" })
        #expect(try consumer.nextBatch() == nil)
    }

    @Test func batchesContainChangesOfOtherPrograms() async throws {
        let store = try TestStore(.file)
        let consumer = try store.consumer(at: .now)
        async let lines = changes(of: consumer, 2)
        let other = ModelContext(try store.reopened())
        try store.add("a", in: other)
        try store.foreign("UPDATE Trip SET name = 'b'")
        #expect(try await lines == ["insert Trip/1", "update Trip/1 name"])
    }

    @Test(arguments: StoreKind.allCases)
    func batchIsRepeatedUntilItIsAcknowledged(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        var attempts: [Int] = []
        for try await batch in consumer.batches() {
            attempts.append(batch.attempt)
            if batch.attempt == 3 { break }
        }
        #expect(attempts == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func cancelledTaskEndsTheBatches(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer()
        let task = Task { try await changes(of: consumer, 1) }
        task.cancel()
        #expect(try await task.value.isEmpty)
        // The consumer can still be used.
        try store.add("a")
        #expect(try await changes(of: consumer, 1) == ["insert Trip/1"])
    }

    @Test(arguments: StoreKind.allCases)
    func cancelledTaskStopsSkipping(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer(filter: HistoryFilter(changeKinds: [.delete]))
        for name in ["a", "b", "c"] { try store.add(name) }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try consumer.nextBatch(limit: 1)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try consumer.nextBatch(limit: 1) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func instanceTakesOverWhenTheOtherOneEnds(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a")
        let first = try store.consumer()
        let batch = try #require(try first.nextBatch())
        let second = try store.consumer()
        async let lines = changes(of: second, 1)
        try first.acknowledge(batch)
        first.release()
        try store.add("b")
        #expect(try await lines == ["insert Trip/2"])
    }

    @Test(arguments: StoreKind.allCases)
    func errorEndsTheBatches(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer()
        try store.container.removeHistoryConsumer(named: "reader")
        await #expect(throws: SwiftDataError.historyConsumerNotFound) { try await changes(of: consumer, 1) }
    }

    // MARK: Without a name

    private typealias Stream = HistoryStream<DefaultHistoryTransaction>

    /// Reads elements until the history was read up to the current token.
    private func lines(_ stream: Stream, of store: TestStore) async throws -> [String] {
        var lines: [String] = []
        for try await element in stream {
            let token: DefaultHistoryToken?
            switch element {
            case .changes(let transactions, let position):
                lines += transactions.map(\.line)
                token = position
            case .reset(let reason, let position):
                lines.append("reset: \(reason)")
                token = position
            }
            if try token == store.store.currentHistoryToken() { break }
        }
        return lines
    }

    @Test(arguments: StoreKind.allCases)
    func streamContainsTransactionsAfterTheToken(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a")
        let token = try #require(try store.store.currentHistoryToken())
        let current = try store.container.historyChanges()
        try store.add("b", author: "app")
        try store.add("c", author: "widget")
        let expected = ["app: insert Trip/2", "widget: insert Trip/3"]
        #expect(try await lines(current, of: store) == expected)
        #expect(try await lines(try store.container.historyChanges(after: token), of: store) == expected)
    }

    @Test(arguments: StoreKind.allCases)
    func streamOmitsOwnTransactions(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let filter = HistoryFilter(authors: .except(["app"]))
        let stream = try store.container.historyChanges(filter: filter)
        // More than one page of transactions that do not match.
        for number in 0..<250 { try store.add("\(number)", author: "app") }
        try store.add("other")
        #expect(try await lines(stream, of: store) == ["insert Trip/251"])
    }

    @Test(arguments: StoreKind.allCases)
    func streamContinuesAfterAReset(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let stream = try store.container.historyChanges()
        try store.add("a", "b")
        try store.deleteHistory()
        var iterator = stream.makeAsyncIterator()
        guard case .reset(.expired, let token)? = try await iterator.next() else {
            Issue.record("the first element is not a reset")
            return
        }
        #expect(try token == store.store.currentHistoryToken())
        try store.add("c")
        guard case .changes(let transactions, _)? = try await iterator.next() else {
            Issue.record("the second element has no changes")
            return
        }
        #expect(transactions.map(\.line) == ["insert Trip/3"])
    }

    @Test func streamRequiresOneStoreWithAHistory() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true, recordsHistory: false)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        #expect(throws: SwiftDataError.historyDisabled) {
            _ = try container.historyChanges(of: DefaultHistoryTransaction.self)
        }
    }
}
