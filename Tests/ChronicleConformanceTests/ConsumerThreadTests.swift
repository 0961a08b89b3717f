import Chronicle
import ChronicleTestSupport
import Synchronization
import Testing

@Suite struct ConsumerThreadTests {
    /// The consumer has read its record when another thread acknowledges a batch.
    @Test func acknowledgingWhileABatchIsReadIsNoReset() throws {
        let container = try ModelContainer(
            for: Schema(Trip.self), configurations: [FaultyStore.Configuration(fault: nil)])
        let store = try #require(container.stores.first as? FaultyStore)
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning)
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: "b"))
        try context.save()
        let batch = try #require(try consumer.nextBatch())
        store.didReadConsumers.withLock { $0 = { #expect(throws: Never.self) { try consumer.acknowledge(batch) } } }
        // It may be the same batch, but not a reset.
        #expect(try consumer.nextBatch()?.changes.map(\.text) != [])
        #expect(try consumer.nextBatch() == nil)
    }
}
