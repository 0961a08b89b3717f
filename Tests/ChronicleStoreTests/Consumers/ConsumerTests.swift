import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Reading and acknowledging with consumers.
@Suite struct ConsumerTests {
    @Test(arguments: StoreKind.allCases)
    func consumerContinuesAfterTheLastAcknowledgement(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let consumer = try store.consumer()
        #expect(try consumer.take() == ["insert Trip/1", "insert Trip/2"])
        #expect(try consumer.take() == nil)
        try store.add("c")
        consumer.release()
        #expect(try store.consumer().take() == ["insert Trip/3"])
    }

    @Test func consumerContinuesInAnotherContainer() throws {
        let store = try TestStore(.file)
        try store.add("a")
        #expect(try store.consumer().take() == ["insert Trip/1"])
        try store.add("b")
        let other = try store.reopened()
        #expect(try other.historyConsumer(named: "reader", startingNewAt: .beginning).take() == ["insert Trip/2"])
    }

    @Test(arguments: StoreKind.allCases)
    func newConsumerBeginsAtItsStart(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let token = try store.history()[0].token
        let starts: [(HistoryStart<DefaultHistoryToken>, [[String]])] = [
            (.beginning, [["insert Trip/1", "insert Trip/2", "insert Trip/3"]]),
            (.now, [["insert Trip/3"]]), (.token(token), [["insert Trip/2", "insert Trip/3"]]),
            (.snapshot, [["reset: requested"], ["model Trip/1", "model Trip/2", "model Trip/3"]]),
        ]
        let consumers = try starts.indices.map { try store.consumer("\($0)", at: starts[$0].0) }
        try store.add("c")
        for (consumer, (_, expected)) in zip(consumers, starts) {
            var found: [[String]] = []
            while let lines = try consumer.take() { found.append(lines) }
            #expect(found == expected)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func batchesContainWholeTransactions(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        for count in [1, 3, 2] {
            let context = store.context()
            for number in 0..<count { context.insert(Trip(name: "\(count) \(number)", destination: "there")) }
            try context.save()
        }
        let consumer = try store.consumer()
        #expect(try consumer.take(limit: 2) == ["insert Trip/1", "insert Trip/2", "insert Trip/3", "insert Trip/4"])
        #expect(try consumer.take(limit: 2) == ["insert Trip/5", "insert Trip/6"])
        #expect(try consumer.take(limit: 2) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func attemptsAreCountedAcrossInstances(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        for attempt in 1...3 {
            let consumer = try store.consumer()
            #expect(try consumer.nextBatch()?.attempt == 2 * attempt - 1)
            #expect(try consumer.nextBatch()?.attempt == 2 * attempt)
            consumer.release()
        }
        #expect(try store.status().attempts == 6)
        #expect(try store.consumer().take() == ["insert Trip/1"])
        #expect(try store.status().attempts == 0)
        try store.add("b")
        #expect(try store.consumer().nextBatch()?.attempt == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func skippedBatchIsRecorded(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let consumer = try store.consumer()
        _ = try consumer.nextBatch(limit: 1)
        let batch = try #require(try consumer.nextBatch(limit: 1))
        try consumer.skip(batch, reason: "cannot be indexed")
        #expect(try consumer.take() == ["insert Trip/2"])
        let status = try store.status()
        let skip = try #require(status.skips.first)
        #expect(status.skipCount == 1)
        #expect((skip.reason, skip.attempts) == ("cannot be indexed", 2))
        let through = try #require(skip.through)
        #expect(try store.lines(.before(through)) == ["insert Trip/1"])
    }

    @Test(arguments: StoreKind.allCases)
    func partOfABatchIsAcknowledged(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        let part = try batch.prefix(through: store.history()[1].token)
        #expect(try part.lines == ["insert Trip/1", "insert Trip/2"])
        try consumer.acknowledge(part)
        #expect(try consumer.take() == ["insert Trip/3"])
    }

    @Test(arguments: StoreKind.allCases)
    func consumerMovesInBothDirections(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        try consumer.seek(to: .now)
        #expect(try failure { try consumer.acknowledge(batch) } == .historyConsumerEvicted)
        #expect(try consumer.take() == nil)
        try consumer.seek(to: .token(store.history()[0].token))
        #expect(try consumer.take() == ["insert Trip/2"])
    }

    @Test(arguments: StoreKind.allCases)
    func statusDescribesTheLag(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let consumer = try store.consumer()
        try store.add("a", "b", "c")
        #expect(try store.status().lag?.transactions == 3)
        #expect(try store.status().lag?.changes == 3)
        #expect(try consumer.take(limit: 2) == ["insert Trip/1", "insert Trip/2"])
        let status = try store.status()
        #expect(status.lag?.transactions == 1 && status.lag?.changes == 1)
        #expect(try status.position == store.history()[1].token)
        #expect(try consumer.take() == ["insert Trip/3"])
        #expect(try store.status().lag?.transactions == 0)
        #expect(try store.status().lag?.age == .zero)
        #expect(status.resetReason == nil && !status.isReadingSnapshot)
    }

    // MARK: Saving

    @Test(arguments: StoreKind.allCases)
    func saveAcknowledgesItsBatch(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let filter = HistoryFilter(authors: .except(["reader"]))
        let consumer = try store.consumer(filter: filter)
        let context = store.context(author: "reader")
        let batch = try #require(try consumer.nextBatch())
        context.insert(Trip(name: "work", destination: "there"))
        try context.save(acknowledging: batch)
        #expect(try consumer.nextBatch() == nil)

        context.insert(Trip(name: "again", destination: "there"))
        #expect(try failure { try context.save(acknowledging: batch) } == .invalidHistoryAcknowledgement)
        #expect(context.hasChanges)
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func saveWithoutChangesAcknowledgesAndRecordsNothing(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        try store.context().save(acknowledging: batch)
        #expect(try consumer.nextBatch() == nil)
        #expect(try store.history().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func failedSaveAcknowledgesNothing(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let consumer = try store.consumer()
        let batch = try #require(try consumer.nextBatch())
        let existing = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first)
        let context = store.context()
        context.mergePolicy = .error
        context.insert(
            Trip(name: "a", destination: "there", startDate: existing.startDate, endDate: existing.endDate))
        #expect(try failure { try context.save(acknowledging: batch) } == .uniquenessViolation)
        #expect(try consumer.nextBatch()?.attempt == 2)
    }

    @Test func saveOfAnotherContainerIsRejected() throws {
        let (store, other) = (try TestStore(.inMemory), try TestStore(.inMemory))
        try store.add("a")
        let batch = try #require(try store.consumer().nextBatch())
        let context = other.context()
        context.insert(Trip(name: "b", destination: "there"))
        #expect(try failure { try context.save(acknowledging: batch) } == .invalidHistoryAcknowledgement)
        #expect(try other.history().isEmpty)
    }
}
