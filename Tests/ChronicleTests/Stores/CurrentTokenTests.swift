import Chronicle
import ExampleStore
import Foundation
import Testing

/// The position of now in containers with stores of several types.
@Suite struct CurrentTokenTests {
    private let script = ScriptedStore.Script()
    private let context: ModelContext
    /// The identifiers of the stores.
    private let (trips, diary, scripted): (String, String, String)

    init() throws {
        let container = try ModelContainer(
            for: Trip.self, Entry.self, Hotel.self,
            configurations: ModelConfiguration(
                schema: Schema(Trip.self, BucketListItem.self, LivingAccommodation.self), isStoredInMemoryOnly: true),
            MemoryStoreConfiguration(schema: Schema(Entry.self)),
            ScriptedStore.Configuration(schema: Schema(Hotel.self), script: script))
        (trips, diary, scripted) = (
            container.stores[0].identifier, container.stores[1].identifier, container.stores[2].identifier
        )
        context = ModelContext(container)
    }

    private func save(_ models: any PersistentModel...) throws {
        for model in models { context.insert(model) }
        try context.save()
    }

    @Test func storesThatRecordedNothingAreAbsent() throws {
        #expect(try context.currentHistoryTokens(for: DefaultHistoryTransaction.self).isEmpty)
        #expect(try context.currentHistoryTokens(for: MemoryTransaction.self).isEmpty)
    }

    @Test func eachTypeHasItsStores() throws {
        try save(Trip(name: "Rome", destination: "Italy"))
        #expect(try context.currentHistoryTokens(for: MemoryTransaction.self).isEmpty)
        try save(Entry("Monday"))
        try save(Entry("Tuesday"))

        let positions = try context.currentHistoryTokens(for: MemoryTransaction.self)
        #expect(positions == [diary: MemoryToken(storeIdentifier: diary, position: 2)])
        let tokens = try context.currentHistoryTokens(for: DefaultHistoryTransaction.self)
        #expect(tokens.keys.sorted() == [trips])
        #expect(tokens[trips]?.tokenValue == [trips: 2])
    }

    @Test func theDefaultTokenHasAPlaceInAllStoresOfDefaultHistory() throws {
        try save(Trip(name: "Rome", destination: "Italy"))
        let token = try context.currentHistoryToken()
        #expect(token.tokenValue == [trips: 2, scripted: 0])
    }

    @Test func itIsThePositionToReadOnFrom() throws {
        try save(Entry("Monday"))
        let token = try #require(try context.currentHistoryTokens(for: MemoryTransaction.self)[diary])
        #expect(try context.fetchHistory(HistoryDescriptor<MemoryTransaction>.after(token)).isEmpty)
        try save(Entry("Tuesday"))
        let news = try context.fetchHistory(HistoryDescriptor<MemoryTransaction>.after(token))
        #expect(news.map(\.transactionIdentifier) == [2])
        #expect(try context.currentHistoryTokens(for: MemoryTransaction.self) == [diary: news[0].token])
    }

    @Test func deletingHistoryLeavesThePosition() throws {
        try save(Entry("Monday"))
        let before = try context.currentHistoryTokens(for: MemoryTransaction.self)
        try context.deleteHistory(HistoryDescriptor<MemoryTransaction>())
        #expect(try context.currentHistoryTokens(for: MemoryTransaction.self) == before)
        #expect(before.count == 1)
    }

    @Test func whatAStoreFailsWithNamesTheStore() throws {
        script.change { $0.failure = DataStoreError.unsupportedFeature }
        for ask in [
            { _ = try $0.currentHistoryToken() },
            { _ = try $0.currentHistoryTokens(for: DefaultHistoryTransaction.self) },
        ] as [(ModelContext) throws -> Void] {
            let error = #expect(throws: SwiftDataError.self) { try ask(context) }
            #expect(error == .unsupportedFeature && error?.storeName == "scripted")
        }
        #expect(try context.currentHistoryTokens(for: MemoryTransaction.self).isEmpty)
    }

    @Test func aTypeThatNoStoreProvides() throws {
        let hotels = try ScriptedContainer().context
        let error = #expect(throws: SwiftDataError.self) {
            try hotels.currentHistoryTokens(for: MemoryTransaction.self)
        }
        #expect(error == .invalidTransactionFetchRequest)
    }
}

private final class Entry: PersistentModel {
    @Attribute var text: String

    static let properties: PropertyMap<Entry> = ["text": \.text]
    let persistentBackingData: BackingData
    init(backingData: BackingData) { persistentBackingData = backingData }

    init(_ text: String) {
        persistentBackingData = BackingData()
        self.text = text
    }
}
