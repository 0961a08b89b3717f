import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// What consumers and readers of several stores mean for each other.
@Suite struct ConsumerHoldTests {
    private static let everything = HistoryRetention(maximumChanges: 1)

    /// The consumer would have to start over in any case, so keeping more history does not help it.
    @Test(arguments: StoreKind.allCases)
    func consumerWithoutAValidPositionHoldsNothing(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        _ = try store.consumer("late")
        try store.deleteHistory()
        try store.add("c", "d", "e")
        let result = try #require(try await store.container.purgeHistory(Self.everything).first)
        #expect(result.keptFor.isEmpty && result.transactions == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfOtherProgramsAloneArePurged(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        for number in 0..<5 {
            try store.foreign(
                "INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('\(number)', '', \(number), 0, '[]')"
            )
        }
        try store.add("newest")
        for number in 5..<9 {
            try store.foreign(
                "INSERT INTO Trip(name, destination, startDate, endDate, tags) VALUES ('\(number)', '', \(number), 0, '[]')"
            )
        }
        _ = try await store.container.purgeHistory(Self.everything)
        // The newest transaction is kept.
        #expect(try store.history().map(\.changes.count) == [4])
    }

    @Test func consumersOfSeveralStoresAreDistinguished() throws {
        let container = try ModelContainer(
            for: Schema([Trip.self, GraphSeat.self]),
            configurations: [
                ModelConfiguration("trips", schema: Schema([Trip.self]), isStoredInMemoryOnly: true),
                ModelConfiguration("seats", schema: Schema([GraphSeat.self]), isStoredInMemoryOnly: true),
            ])
        for name in ["trips", "seats"] {
            _ =
                try container.historyConsumer(named: "reader", startingNewAt: .now, storeName: name)
                as HistoryConsumer<DefaultHistoryTransaction>
        }
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try container.removeHistoryConsumer(named: "reader")
        }
        try container.renameHistoryConsumer(named: "reader", to: "seats", storeName: "seats")
        try container.removeHistoryConsumer(named: "reader")
        #expect(try container.historyConsumers().map(\.name) == ["seats"])
    }
}
