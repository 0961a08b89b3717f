import Chronicle
import Foundation
import JournalStore
import Testing

@testable import JournalWorker

/// Journals and the default store in one container: each type of transactions has its own history.
@Suite struct MixedContainerTests {
    private let directory: TemporaryDirectory
    private let context: ModelContext
    /// The identifiers of the stores.
    private let (notes, entries, pages): (String, String, String)

    init() throws {
        directory = try TemporaryDirectory()
        let container = try ModelContainer(
            for: Note.self, Entry.self, Leaf.self,
            configurations: ModelConfiguration(schema: Schema(Note.self), isStoredInMemoryOnly: true),
            JournalStoreConfiguration("entries", schema: Schema(Entry.self), url: directory.file()),
            JournalStoreConfiguration("pages", schema: Schema(Leaf.self), url: directory.file()))
        (notes, entries, pages) = (
            container.stores[0].identifier, container.stores[1].identifier, container.stores[2].identifier
        )
        context = ModelContext(container)
    }

    private func save(_ models: any PersistentModel...) throws {
        for model in models { context.insert(model) }
        try context.save()
    }

    private func positions() throws -> [String: Int] {
        try context.currentHistoryTokens(for: JournalTransaction.self).mapValues(\.position)
    }

    @Test func eachTransactionTypeHasItsOwnHistory() throws {
        #expect(try positions() == [entries: 0, pages: 0])
        try save(Note("one"), Entry("Monday"), Leaf("1"))
        try save(Entry("Tuesday"))
        #expect(try positions() == [entries: 2, pages: 1])
        #expect(try context.currentHistoryToken().tokenValue == [notes: 2])

        let own = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(own.map(\.storeIdentifier) == [notes])
        let others = try context.fetchHistory(HistoryDescriptor<JournalTransaction>())
        #expect(others.filter { $0.storeIdentifier == entries }.map(\.transactionIdentifier) == [1, 2])
        #expect(others.filter { $0.storeIdentifier == pages }.map(\.transactionIdentifier) == [1])
        #expect(others.flatMap(\.changes).allSatisfy { $0.changedPersistentIdentifier.storeIdentifier != notes })
    }

    @Test func readingContinuesFromTheCurrentToken() throws {
        let single = try Fixture(directory)
        let reader = single.context()
        let start = try #require(try reader.currentHistoryTokens(for: JournalTransaction.self).values.first)
        #expect(start == .start(of: single.store.identifier))
        try single.write("Monday", "Tuesday")
        let news = try reader.fetchHistory(HistoryDescriptor<JournalTransaction>.after(start))
        #expect(news.map(\.transactionIdentifier) == [1, 2])
        #expect(
            try reader.currentHistoryTokens(for: JournalTransaction.self) == [single.store.identifier: news[1].token])

        try reader.deleteHistory(HistoryDescriptor<JournalTransaction>())
        #expect(
            try reader.currentHistoryTokens(for: JournalTransaction.self) == [single.store.identifier: news[1].token])
        // A reader that had read an empty history gets an error if transactions were added and deleted.
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try reader.fetchHistory(HistoryDescriptor<JournalTransaction>.after(start))
        }
    }

    @Test func transactionTypeOfNoStoreThrows() throws {
        let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContext(container).currentHistoryTokens(for: JournalTransaction.self)
        }
        #expect(error == .invalidTransactionFetchRequest)
    }

    @Test func failingStoreKeepsSavesOfEarlierStores() throws {
        try save(Note("one"), Entry("Monday"), Leaf("1"))
        let pagesURL = try #require(
            (context.container.stores[2].configuration as? JournalStoreConfiguration)?.url)
        // Put another file in the place of the journal.
        try Data("nothing of the kind".utf8).write(to: pagesURL)
        let (entry, page) = (Entry("Tuesday"), Leaf("2"))
        let error = #expect(throws: SwiftDataError.self) { try save(page, entry, Note("two")) }
        #expect(error?.storeName == "pages" && error?.storeIdentifier == pages)
        #expect(error?.detail?.contains("\"default\", \"entries\" were saved before") == true)
        #expect(!entry.persistentModelID.isTemporary && page.persistentModelID.isTemporary)
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Entry>()) == 2)
        #expect(context.insertedModelsArray.count == 1)
    }
}

private final class Entry: PersistentModel {
    @Attribute var text: String
    static let properties: PropertyMap<Entry> = ["text": \.text]
    let persistentBackingData: any BackingData<Entry>
    init(backingData: any BackingData<Entry>) { persistentBackingData = backingData }
    init(_ text: String) {
        persistentBackingData = Entry.createBackingData()
        self.text = text
    }
}

private final class Leaf: PersistentModel {
    @Attribute var number: String
    static let properties: PropertyMap<Leaf> = ["number": \.number]
    let persistentBackingData: any BackingData<Leaf>
    init(backingData: any BackingData<Leaf>) { persistentBackingData = backingData }
    init(_ number: String) {
        persistentBackingData = Leaf.createBackingData()
        self.number = number
    }
}
