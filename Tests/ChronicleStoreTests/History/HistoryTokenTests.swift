import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Where reading can continue, and the five reasons for which it cannot.
@Suite struct HistoryTokenTests {
    // MARK: Continuing

    @Test(arguments: StoreKind.allCases)
    func readingContinuesAfterTheTransactionOfTheToken(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c", "d")
        let history = try store.history()
        for (index, transaction) in history.enumerated() {
            let rest = try store.history(.after(transaction.token))
            #expect(rest.map(\.id) == history.dropFirst(index + 1).map(\.id))
            let token = transaction.token
            let including = try store.history(Descriptor(predicate: #Predicate { $0.token >= token }))
            #expect(including.map(\.id) == history.dropFirst(index).map(\.id))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func emptyStoreHasATokenForTheBeginning(_ kind: StoreKind) throws {
        let context = try TestStore(kind).context()
        let beginning = try context.currentHistoryToken()
        #expect(beginning.tokenValue?.values.map { $0 } == [0])
        #expect(try context.fetchHistory(.after(beginning)).isEmpty)
        context.insert(Trip(name: "Rome", destination: "Italy"))
        try context.save()
        #expect(try context.fetchHistory(.after(beginning)).count == 1)
        #expect(try context.currentHistoryToken() > beginning)
    }

    @Test(arguments: StoreKind.allCases)
    func tokenRemainsValidAfterCodingAndReopening(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let token = try #require(try store.store.currentHistoryToken())
        let decoded = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
        try store.add("b")
        let reader = kind == .file ? ModelContext(try store.reopened()) : store.context()
        #expect(try reader.fetchHistory(.after(decoded)).map(\.line) == ["insert Trip/2"])
    }

    @Test func descriptionContainsThePositions() throws {
        let token = DefaultHistoryToken(storeIdentifier: "b", position: 2, checkValue: 77)
        #expect("\(token)" == "2 in b")
        #expect("\(token.merging(DefaultHistoryToken(storeIdentifier: "a", position: 1)))" == "1 in a, 2 in b")
    }

    @Test(arguments: StoreKind.allCases)
    func predicateWithTokenAndAuthor(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", author: "widget")
        let token = try #require(try store.store.currentHistoryToken())
        try store.add("b", author: "app")
        try store.add("c", author: "widget")
        let author = "widget"
        let found = try store.lines(
            Descriptor(
                predicate: #Predicate { transaction in (transaction.token > token) && (transaction.author == author) }))
        #expect(found == ["widget: insert Trip/3"])
    }

    @Test(arguments: StoreKind.allCases)
    func currentTokenIsThatOfTheNewestTransaction(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let token = try store.store.currentHistoryToken()
        #expect(token == (try store.history().last?.token))
        #expect(try store.context().currentHistoryToken() == token)
        #expect(try store.history(.after(#require(token))).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func positionZeroIsTheBeginning(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let beginning = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        #expect(try store.history(.after(beginning)).isEmpty)
        try store.add("a")
        #expect(try store.lines(.after(beginning)) == ["insert Trip/1"])
        try store.store.deleteHistory(Descriptor())
        #expect(try failure(of: { try store.history(.after(beginning)) }) == .historyTokenExpired)
    }

    // MARK: Failing

    private func expect(
        _ kind: SwiftDataError, _ store: TestStore, _ token: DefaultHistoryToken,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let descriptor = Descriptor.after(token)
        let readers: [() throws -> Void] = [
            { _ = try store.history(descriptor) },
            { _ = try store.history(descriptor.limited(1)) },
            { _ = try store.store.fetchHistoryWithoutChanges(descriptor) },
            { _ = try store.store.fetchHistoryCount(descriptor) },
            { _ = try store.store.fetchHistoryIdentifiers(descriptor) },
            { _ = try store.history(Descriptor(predicate: #Predicate { $0.token > token && $0.author == nil })) },
            { _ = try store.history(Descriptor(predicate: #Predicate { $0.author == nil || $0.token >= token })) },
            { try store.store.deleteHistory(descriptor) },
        ]
        for read in readers {
            let error = try #require(try failure(of: read), sourceLocation: sourceLocation)
            #expect(error == kind, "\(error)", sourceLocation: sourceLocation)
            #expect(SwiftDataError.historyTokenExpired ~= error, sourceLocation: sourceLocation)
            #expect(error.detail?.isEmpty == false, sourceLocation: sourceLocation)
            #expect(error.storeIdentifier == (try store.store.identifier), sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func tokenOfAnotherStoreThrows(_ kind: StoreKind) throws {
        let (store, other) = (try TestStore(kind), try TestStore(kind))
        try store.add("a")
        try other.add("a")
        try expect(.historyTokenStoreMismatch, store, try #require(try other.store.currentHistoryToken()))
        let empty = try JSONDecoder().decode(
            DefaultHistoryToken.self, from: Data(#"{"positions": {}, "checks": {}}"#.utf8))
        try expect(.historyTokenStoreMismatch, store, empty)
    }

    @Test(arguments: StoreKind.allCases)
    func tokenOfSeveralStoresIsValidInEach(_ kind: StoreKind) throws {
        let (store, other) = (try TestStore(kind), try TestStore(kind))
        try store.add("a")
        try other.add("a")
        let tokens = try [store, other].map { try #require(try $0.store.currentHistoryToken()) }
        try store.add("b")
        #expect(try store.lines(.after(tokens[0].merging(tokens[1]))) == ["insert Trip/2"])
        #expect(try other.lines(.after(tokens[0].merging(tokens[1]))).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func tokenAfterTheNewestPositionThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a")
        let identifier = try store.store.identifier
        try expect(
            .historyTokenAhead, store, DefaultHistoryToken(storeIdentifier: identifier, position: 3, checkValue: 1))
        try expect(
            .historyTokenAhead, store, DefaultHistoryToken(storeIdentifier: identifier, position: .max, checkValue: nil)
        )
    }

    @Test(arguments: StoreKind.allCases)
    func tokenBeforeTheFloorThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b", "c")
        let history = try store.history()
        try store.store.deleteHistory(.before(history[1].token))
        try expect(.historyTokenExpired, store, history[0].token)
        #expect(try store.lines(.after(history[1].token)) == ["insert Trip/3"])
    }

    @Test(arguments: StoreKind.allCases)
    func tokenOfALostTransactionThrows(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", "b")
        let identifier = try store.store.identifier
        for position in [1, 2, 3, 4] as [Int64] {
            try expect(
                .historyTokenForked, store,
                DefaultHistoryToken(storeIdentifier: identifier, position: position, checkValue: 1))
        }
    }

    @Test func restoringABackupForksTheHistory() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let kept = try #require(try store.store.currentHistoryToken())
        let backup = store.directory.file("backup.store")
        try store.shell("VACUUM INTO '\(backup.path)'")
        try store.add("b")
        let lost = try #require(try store.store.currentHistoryToken())

        let restored = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: backup))
        let context = ModelContext(restored)
        #expect(try failure(of: { try context.fetchHistory(.after(lost)) }) == .historyTokenAhead)
        context.insert(Trip(name: "c", destination: ""))
        try context.save()
        #expect(try failure(of: { try context.fetchHistory(.after(lost)) }) == .historyTokenForked)
        context.insert(Trip(name: "d", destination: ""))
        try context.save()
        #expect(try failure(of: { try context.fetchHistory(.after(lost)) }) == .historyTokenForked)
        #expect(try context.fetchHistory(.after(kept)).map(\.line) == ["insert Trip/2", "insert Trip/3"])
    }

    @Test func disablingTheHistoryIsAGap() throws {
        let store = try TestStore(.file)
        try store.add("a")
        let before = try #require(try store.store.currentHistoryToken())
        func open(_ recordsHistory: Bool) throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Trip.self,
                    configurations: ModelConfiguration(
                        url: store.url, durability: .relaxed, recordsHistory: recordsHistory)))
        }
        let off = try open(false)
        off.insert(Trip(name: "b", destination: ""))
        try off.save()
        #expect(try failure(of: { try off.fetchHistory(Descriptor()) }) == .historyDisabled)
        #expect(try failure(of: { try off.currentHistoryToken() }) == .historyDisabled)
        #expect(try failure(of: { try off.deleteHistory(Descriptor()) }) == .historyDisabled)
        // A store that was already open does not record the current changes and must report it.
        #expect(try failure(of: { try store.history() }) == .historyDisabled)
        #expect(try failure(of: { try store.store.currentHistoryToken() }) == .historyDisabled)

        let on = try open(true)
        try expect(.historyTokenGap, store, before)
        let after = try on.currentHistoryToken()
        on.insert(Trip(name: "c", destination: ""))
        try on.save()
        #expect(try on.fetchHistory(.after(after)).map(\.line) == ["insert Trip/3"])
        #expect(try on.fetchHistory(Descriptor()).map(\.line) == ["insert Trip/1", "insert Trip/3"])
        #expect(try on.fetchHistoryCount(Descriptor()) == 2)
        try expect(.historyTokenGap, store, before)
    }

    @Test func ungroupedChangesEndAtAGap() throws {
        let store = try TestStore(.file)
        try store.foreign("INSERT INTO Trip(name, destination, startDate, endDate) VALUES ('a', '', 0, 0)")
        for recordsHistory in [false, true] {
            _ = try ModelContainer(
                for: Trip.self,
                configurations: ModelConfiguration(url: store.url, recordsHistory: recordsHistory))
        }
        #expect(try store.lines() == ["insert Trip/1"])
        #expect(try store.history().first?.isExternal == true)
    }
}
