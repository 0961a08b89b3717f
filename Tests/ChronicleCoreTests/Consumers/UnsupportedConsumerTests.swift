import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Containers whose stores cannot keep a consumer, or of which several could.
@Suite struct UnsupportedConsumerTests {
    @Test func storeOfTheFilterIsUsed() throws {
        let container = try ModelContainer(
            for: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Diary.self]),
            configurations: [
                ModelConfiguration(
                    "trips", schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self]),
                    isStoredInMemoryOnly: true),
                ModelConfiguration("diaries", schema: Schema([Diary.self]), isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        context.insert(Trip(name: "a", destination: "there"))
        context.insert(Diary("b"))
        try context.save()
        let error = try failure { try container.historyConsumer(named: "reader", startingNewAt: .beginning) }
        #expect(error == .invalidTransactionFetchRequest)
        let trips = try container.historyConsumer(
            named: "reader", filter: HistoryFilter(models: [Trip.self]), startingNewAt: .beginning)
        let diaries = try container.historyConsumer(named: "reader", startingNewAt: .beginning, storeName: "diaries")
        #expect(try trips.nextBatch()?.changes.map(\.text) == ["insert Trip/1"])
        #expect(try diaries.nextBatch()?.changes.map(\.text) == ["insert Diary/1"])
        #expect(try container.historyConsumers().count == 2)
    }

    @Test func storeWithoutConsumersIsReported() throws {
        let container = try ScriptedContainer().container
        let error = try failure { try container.historyConsumer(named: "reader", startingNewAt: .beginning) }
        #expect(error == .unsupportedFeature)
        #expect(try container.historyConsumers().isEmpty)
        #expect(try failure { try container.removeHistoryConsumer(named: "reader") } == .historyConsumerNotFound)
    }

    @Test func storeWithoutRetentionIsReported() async throws {
        let container = try ScriptedContainer().container
        #expect(try failure { try container.historyStatistics() } == .unsupportedFeature)
        await #expect(throws: SwiftDataError.unsupportedFeature) { try await container.purgeHistory() }
    }

    /// The changes of the consumer's store and its acknowledgement are saved after those of other stores.
    @Test func storeOfTheConsumerIsSavedLast() throws {
        let container = try ModelContainer(
            for: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self, Diary.self]),
            configurations: [
                ModelConfiguration("diaries", schema: Schema([Diary.self]), isStoredInMemoryOnly: true),
                ModelConfiguration(
                    "trips", schema: Schema([Trip.self, BucketListItem.self, LivingAccommodation.self]),
                    isStoredInMemoryOnly: true),
            ])
        let context = ModelContext(container)
        context.insert(Diary("a"))
        try context.save()
        let consumer = try container.historyConsumer(named: "reader", startingNewAt: .beginning, storeName: "diaries")
        let batch = try #require(try consumer.nextBatch())
        // The save of the trips fails, so that nothing is acknowledged.
        context.mergePolicy = .error
        context.insert(Trip(name: "same", destination: "x", startDate: .distantPast))
        context.insert(Trip(name: "same", destination: "y", startDate: .distantPast))
        context.insert(Diary("b"))
        #expect(try failure { try context.save(acknowledging: batch) } == .uniquenessViolation)
        #expect(try consumer.nextBatch()?.attempt == 2)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Diary>()) == 1)
    }
}
