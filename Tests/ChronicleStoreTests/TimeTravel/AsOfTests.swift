import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Contexts as of a position show the models as they were then.
@Suite struct AsOfTests {
    /// All positions of a random history have the state that was kept when they were current.
    @Test(arguments: StoreKind.allCases, TestSeed.rounds(1))
    func positionsShowTheStateThen(_ kind: StoreKind, _ number: Int) throws {
        let test = try TestStore(kind, RandomJourneys.types, preservesValues: true)
        let store = try #require(test.container.stores.first as? DefaultStore)
        var writer = RandomJourneys(test.container, store, TestSeed.generator(number))
        var kept = KeptStates<JourneyState>()
        var open: [(context: ModelContext, state: JourneyState)] = []
        for step in 0..<40 {
            let context = ModelContext(test.container)
            try kept.keep(JourneyState(context), context)
            if step % 12 == 5 {
                let past = try ModelContext(test.container, asOf: kept.all[step / 2].token)
                open.append((past, kept.all[step / 2].state))
            }
            // Contexts that were created before the latest changes.
            for (past, state) in open { expect(past, state, "open after \(step) steps") }
            try writer.step()
        }
        kept.expectPositions(in: test.container) { try JourneyState($0).differences(from: $1) }
    }

    private func expect(_ context: ModelContext, _ state: JourneyState, _ place: String) {
        do {
            let found = try JourneyState(context)
            let differences = found.differences(from: state)
            #expect(differences == "", "\(place), \(TestSeed.description)")
        } catch {
            Issue.record(error, "\(place), \(TestSeed.description)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreNotSaved(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context()
        let trip = Trip(name: "Rome", destination: "Rome")
        context.insert(trip)
        try context.save()
        let token = try context.currentHistoryToken()
        trip.name = "Oslo"
        try context.save()

        let past = try ModelContext(test.container, asOf: token)
        let before = try #require(try past.existingModel(for: trip.persistentModelID) as? Trip)
        #expect(before.name == "Rome")
        try past.save()
        before.name = "Paris"
        #expect(throws: SwiftDataError.storeReadOnly) { try past.save() }
        past.rollback()
        #expect(before.name == "Rome")
        #expect(throws: SwiftDataError.storeReadOnly) { try past.delete(model: Trip.self) }
        #expect(throws: SwiftDataError.storeReadOnly) {
            try past.update(model: Trip.self, set: \.name, to: "Paris")
        }
        #expect(throws: SwiftDataError.storeReadOnly) {
            try past.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo"])
    }

    @Test(arguments: StoreKind.allCases)
    func transactionsAndDatesArePositions(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context()
        let trip = Trip(name: "0", destination: "Rome")
        context.insert(trip)
        try context.save()
        for number in 1...5 {
            trip.name = "\(number)"
            try context.save()
        }
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        for (number, transaction) in transactions.enumerated() {
            func name(_ context: ModelContext) throws -> String? {
                try context.fetch(FetchDescriptor<Trip>()).first?.name
            }
            #expect(try name(ModelContext(test.container, asOf: transaction)) == "\(number)")
            // Timestamps may be equal.
            let last = transactions.lastIndex { $0.timestamp <= transaction.timestamp }
            #expect(
                try name(ModelContext(test.container, asOf: transaction.timestamp)) == last.map { "\($0)" })
        }
        let past = try ModelContext(test.container, asOf: Date.distantPast)
        #expect(try past.fetchCount(FetchDescriptor<Trip>()) == 0)
        let future = try ModelContext(test.container, asOf: Date.distantFuture)
        #expect(try future.fetch(FetchDescriptor<Trip>()).map(\.name) == ["5"])
    }

    /// The changes after the token are those that the context does not show.
    @Test(arguments: StoreKind.allCases)
    func theCurrentTokenIsThePosition(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context()
        try test.add("a", "b", in: context)
        let token = try context.currentHistoryToken()
        try test.add("c", in: context)
        let past = try ModelContext(test.container, asOf: token)
        try test.add("d", in: context)
        #expect(try past.currentHistoryToken() == token)
        let store = try #require(test.container.stores.first).identifier
        #expect(try past.currentHistoryTokens(for: DefaultHistoryTransaction.self) == [store: token])
        #expect(try past.fetchHistoryCount(.after(past.currentHistoryToken())) == 2)
        #expect(try past.changes(between: past.currentHistoryToken(), and: context.currentHistoryToken()).count == 2)
        #expect(try context.currentHistoryToken() != token)
        let date = try ModelContext(test.container, asOf: Date.distantPast)
        #expect(try date.fetchHistoryCount(.after(date.currentHistoryToken())) == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func incompleteHistoryThrows(_ kind: StoreKind) throws {
        let test = try TestStore(kind, preservesValues: true)
        let context = test.context()
        let trip = Trip(name: "0", destination: "Rome")
        context.insert(trip)
        try context.save()
        let first = try context.currentHistoryToken()
        let open = try ModelContext(test.container, asOf: first)
        trip.name = "1"
        try context.save()
        let second = try context.currentHistoryToken()
        #expect(try open.fetch(FetchDescriptor<Trip>()).map(\.name) == ["0"])
        trip.name = "2"
        try context.save()
        let third = try context.currentHistoryToken()
        try context.deleteHistory(.before(second))

        #expect(throws: SwiftDataError.historyTokenExpired) { try ModelContext(test.container, asOf: first) }
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try ModelContext(test.container, asOf: Date.distantPast)
        }
        #expect(try ModelContext(test.container, asOf: second).fetch(FetchDescriptor<Trip>()).map(\.name) == ["1"])
        // The deleted changes were read before.
        #expect(try open.fetch(FetchDescriptor<Trip>()).map(\.name) == ["0"])
        try context.deleteHistory(.before(third))
        trip.name = "3"
        try context.save()
        let late = try ModelContext(test.container, asOf: third)
        #expect(try late.fetch(FetchDescriptor<Trip>()).map(\.name) == ["2"])

        let other = try TestStore(.inMemory, preservesValues: true).context()
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
            try ModelContext(test.container, asOf: other.currentHistoryToken())
        }
        let store = try #require(test.container.stores.first)
        let ahead = DefaultHistoryToken(storeIdentifier: store.identifier, position: 4_711)
        #expect(throws: SwiftDataError.historyTokenAhead) { try ModelContext(test.container, asOf: ahead) }
        let forked = DefaultHistoryToken(
            storeIdentifier: store.identifier, position: try #require(third.position(in: store.identifier)),
            checkValue: 5)
        #expect(throws: SwiftDataError.historyTokenForked) { try ModelContext(test.container, asOf: forked) }
    }

    /// Values that were not preserved are errors where they matter, and only there.
    @Test(arguments: StoreKind.allCases)
    func unknownValuesThrow(_ kind: StoreKind) throws {
        let test = try TestStore(kind, [Memo.self], preservesValues: false)
        let context = test.context()
        let memos = ["a", "b"].map { Memo(name: $0, text: $0) }
        for memo in memos { context.insert(memo) }
        try context.save()
        let token = try context.currentHistoryToken()
        context.insert(Memo(name: "c", text: "c"))
        try context.save()
        let past = try ModelContext(test.container, asOf: token)
        #expect(try past.fetch(FetchDescriptor<Memo>()).map(\.name) == ["a", "b"])
        memos[0].text = "z"
        try context.save()

        do {
            let found = try past.fetch(FetchDescriptor<Memo>())
            Issue.record("\(found.map(\.text))")
        } catch let error as SwiftDataError {
            #expect(error == .historyValueMissing)
            #expect(error.entityName == "Memo")
            #expect(error.propertyName == "text")
            #expect(error.persistentIdentifier == memos[0].persistentModelID)
            #expect(error.detail?.contains("as of position \(try #require(token.tokenValue?.values.first))") == true)
        }
        #expect(throws: SwiftDataError.historyValueMissing) {
            try past.fetchCount(FetchDescriptor<Memo>(predicate: #Predicate { $0.text == "a" }))
        }
        #expect(throws: SwiftDataError.historyValueMissing) {
            try past.fetchIdentifiers(FetchDescriptor<Memo>(sortBy: [SortDescriptor(\.text)]))
        }
        #expect(try past.fetchCount(FetchDescriptor<Memo>()) == 2)
        let second = FetchDescriptor<Memo>(predicate: #Predicate { $0.name == "b" })
        #expect(try past.fetch(second).map(\.text) == ["b"])
        #expect(try past.fetchCount(second) == 1)
    }

    /// Deletes preserve the destinations of lists without an inverse, and links of a model to itself.
    @Test(arguments: StoreKind.allCases)
    func listsOfDeletedModelsAreRead(_ kind: StoreKind) throws {
        let test = try TestStore(kind, [LinkItem.self, LinkTag.self, LinkPhoto.self], preservesValues: true)
        let context = test.context()
        let (kept, deleted, empty) = (LinkItem("kept"), LinkItem("deleted"), LinkItem("empty"))
        for item in [kept, deleted, empty] { context.insert(item) }
        kept.idols = [deleted]
        deleted.photos = [LinkPhoto("a"), LinkPhoto("b")]
        (deleted.friends, deleted.idols, deleted.teachers) = ([deleted, kept], [deleted, kept], [deleted])
        try context.save()
        let token = try context.currentHistoryToken()
        for item in [deleted, empty] { context.delete(item) }
        try context.save()
        kept.photos = [LinkPhoto("new")]
        try context.save()
        let past = try ModelContext(test.container, asOf: token)
        let items = try past.items().sorted { $0.name < $1.name }
        #expect(items.map(\.name) == ["deleted", "empty", "kept"])
        #expect(items[0].photos.names == ["a", "b"])
        #expect(items[0].friends.names == ["deleted", "kept"] && items[0].idols.names == ["deleted", "kept"])
        #expect(items[0].teachers.names == ["deleted"] && items[0].students.names == ["deleted"])
        #expect(items[1].photos.isEmpty && items[1].idols.isEmpty)
        #expect(items[2].idols.names == ["deleted"] && items[2].photos.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func unknownListsThrow(_ kind: StoreKind) throws {
        let test = try TestStore(kind, [LinkItem.self, LinkTag.self, LinkPhoto.self], preservesValues: true)
        let context = test.context()
        let (kept, deleted) = (LinkItem("kept"), LinkItem("deleted"))
        for item in [kept, deleted] { context.insert(item) }
        kept.idols = [deleted]
        deleted.idols = [kept]
        try context.save()
        let token = try context.currentHistoryToken()
        kept.idols = []
        kept.name = "renamed"
        try context.save()
        let past = try ModelContext(test.container, asOf: token)
        let before = try #require(try past.items().first { $0.name == "kept" })
        #expect(before.idols.names == ["deleted"])
        context.delete(deleted)
        try context.save()
        try test.store.erasePreservedValues(of: [deleted.persistentModelID], attributes: ["idols"])
        #expect(throws: SwiftDataError.historyValueMissing) { try past.items() }
        // The items of a tag are reachable, and photos have no relationships.
        #expect(throws: SwiftDataError.historyValueMissing) { try past.linkTags() }
        #expect(try past.photos().isEmpty)
    }
}

@Model private final class Memo {
    var name: String
    var text: String

    init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}
