import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The names that programs choose for consumers, tags, authors, contexts and metadata, and texts that are no names.
@Suite struct NameTests {
    private static let name = "a\0b"

    /// A name that is given to something new, and what else the store then contains.
    private static let uses: [@Sendable (TestStore) throws -> Void] = [
        { _ = try $0.container.historyConsumer(named: name, startingNewAt: .beginning) },
        { try $0.container.renameHistoryConsumer(named: "reader", to: name) },
        { try $0.context().tag(name) },
        { try $0.context().tag(name, replacing: true) },
        { try $0.add("b", author: name) },
        { store in try write(store) { $0.author = name } },
        { store in try write(store) { $0.name = name } },
        { store in try write(store) { $0.transactionMetadata = [name: ""] } },
        { store in
            let context = store.context(author: name)
            try context.delete(model: Trip.self)
        },
        { store in
            let context = store.context(author: name)
            try context.update(model: Trip.self, set: [.init(\.note, to: "x")])
        },
        { store in
            let context = store.context(author: name)
            try context.insert(model: Trip.self, from: [Trip(name: "b", destination: "")])
        },
    ]

    private static func write(_ store: TestStore, _ change: (ModelContext) -> Void) throws {
        let context = store.context()
        change(context)
        context.insert(Trip(name: "b", destination: ""))
        try context.save()
    }

    @Test(arguments: StoreKind.allCases, uses.indices)
    func namesWithNULAreRejected(_ kind: StoreKind, _ use: Int) throws {
        let store = try TestStore(kind)
        try store.add("a")
        _ = try store.consumer()
        let before = try store.lines()
        #expect(try failure { try Self.uses[use](store) } == .valueOutOfRange)
        #expect(try store.lines() == before)
        #expect(try store.container.historyConsumers().map(\.name) == ["reader"])
        #expect(try store.context().tags().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func emptyNamesAreRejected(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        _ = try store.consumer()
        let uses: [() throws -> Void] = [
            { _ = try store.container.historyConsumer(named: "", startingNewAt: .beginning) },
            { try store.container.renameHistoryConsumer(named: "reader", to: "") },
            { try store.context().tag("") },
        ]
        for use in uses { #expect(try failure { try use() } == .valueOutOfRange) }
        #expect(try store.container.historyConsumers().map(\.name) == ["reader"])
        #expect(try store.context().tags().isEmpty)
        // An author may be unknown to the program that passes it on.
        try store.add("b", author: "")
        #expect(try store.history().last?.author == "")
    }

    /// The rule is that for names, so a context with a valid one continues.
    @Test(arguments: StoreKind.allCases)
    func contextCanBeSavedWithAnotherName(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context(author: Self.name)
        context.insert(Trip(name: "a", destination: ""))
        #expect(try failure { try context.save() } == .valueOutOfRange)
        context.author = "a"
        try context.save()
        #expect(try store.history().map(\.author) == ["a"])
    }

    @Test(arguments: StoreKind.allCases)
    func otherTextsMayContainNUL(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        context.transactionMetadata = ["reason": Self.name]
        try store.add("a", in: context)
        #expect(try store.history().map(\.metadata) == [["reason": Self.name]])
        let consumer = try store.consumer()
        try consumer.skip(#require(try consumer.nextBatch()), reason: Self.name)
        #expect(try store.status().skips.map(\.reason) == [Self.name])
    }

    /// Earlier versions accepted every name, as the stores still do.
    @Test(arguments: StoreKind.allCases)
    func namesOfEarlierVersionsCanBeUsed(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let name = Self.name
        try store.add("a")
        let trip = try #require(try store.context().fetch(FetchDescriptor<Trip>()).first).persistentModelID
        let model = try #require(
            try store.store.fetch(
                DataStoreFetchRequest<Trip>(descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()))
            ).fetchedSnapshots.first)
        _ = try store.store.save(
            DataStoreSaveChangesRequest(
                editingState: EditingState(id: UUID(), author: name, contextName: name, metadata: [name: name]),
                inserted: [], updated: [], deleted: [model]))
        _ = try store.store.tagHistory(name, replacing: false)
        let start = try store.store.initialHistoryToken
        try store.store.updateConsumer(named: name, isDurable: true) { record in
            record = HistoryConsumerRecord(
                name: name, place: HistoryConsumerPlace(position: start), fence: 1,
                attempts: 0, acknowledged: nil, seen: Date(), skipCount: 0, skips: [])
        }

        let last = try #require(try store.history().last)
        #expect(last.author == name && last.contextName == name && last.metadata == [name: name])
        #expect(last.changes.map(\.changedPersistentIdentifier) == [trip])
        let consumer = try store.consumer(name)
        #expect(try consumer.take() == ["insert Trip/1", "delete Trip/1"])
        #expect(try store.container.historyConsumers().map(\.name) == [name])
        _ = try await store.container.purgeHistory(HistoryRetention(maximumChanges: 1))
        if kind == .file { #expect(try VerificationTests.problems(in: store.url) == []) }
        try store.container.resetHistoryConsumer(named: name, to: .now)
        try store.container.renameHistoryConsumer(named: name, to: "reader")
        try store.container.renameHistoryConsumer(named: "reader", to: "other")
        try store.container.removeHistoryConsumer(named: "other")
        #expect(try store.container.historyConsumers().isEmpty)
        let context = store.context()
        #expect(try context.tags().map(\.name) == [name])
        try context.deleteTag(name)
        #expect(try context.tags().isEmpty)
    }
}
