import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What remains after deleting history, and which tokens expire.
@Suite struct HistoryDeletingTests {
    private func filled(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind)
        try store.add("1", author: "a")
        try store.add("2", author: "b")
        try store.add("3", author: "a")
        try store.add("4", author: "b")
        try store.add("5", author: "a")
        return store
    }

    private func numbers(_ store: TestStore) throws -> [Int64?] {
        try store.history().map { $0.changes.first?.changedPersistentIdentifier.integerPrimaryKey }
    }

    private func isGood(_ token: DefaultHistoryToken, _ store: TestStore) throws -> Bool {
        let error = try failure(of: { try store.history(.after(token)) })
        if let error, error != .historyTokenExpired { throw error }
        return error == nil
    }

    // MARK: From the beginning

    @Test(arguments: StoreKind.allCases)
    func deletingUpToAToken(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.store.deleteHistory(.before(all[2].token))
        #expect(try numbers(store) == [4, 5])
        #expect(try all.map { try isGood($0.token, store) } == [false, false, true, true, true])
        #expect(try store.number("SELECT min(id) FROM chronicle_change") == 7)
        #expect(try store.history(.after(all[2].token)).map(\.id) == [8, 10])
        // Repeating the deletion, or deleting less, deletes nothing and expires nothing.
        try store.store.deleteHistory(.before(all[2].token))
        try store.store.deleteHistory(.before(all[0].token))
        #expect(try all.map { try isGood($0.token, store) } == [false, false, true, true, true])
        #expect(try store.number("SELECT count(*) FROM Trip") == 5)
    }

    @Test(arguments: StoreKind.allCases)
    func deletingBeforeADate(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let date = all[3].timestamp
        try store.store.deleteHistory(.before(date))
        let kept = all.filter { $0.timestamp >= date }
        #expect(try store.history().map(\.id) == kept.map(\.id))
        #expect(kept.count <= 2)
    }

    @Test(arguments: StoreKind.allCases)
    func deletingBeforeATransaction(_ kind: StoreKind) throws {
        let store = try filled(kind)
        try store.store.deleteHistory(.before(store.history()[3]))
        #expect(try numbers(store) == [4, 5])
    }

    // MARK: Everything

    @Test(arguments: StoreKind.allCases)
    func positionsAreNotReused(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.store.deleteHistory(Descriptor())
        #expect(try store.history().isEmpty)
        #expect(try store.store.fetchHistoryCount(Descriptor()) == 0)
        #expect(try store.number("SELECT count(*) FROM chronicle_change") == 1)
        #expect(try store.number("SELECT count(*) FROM chronicle_change WHERE kind = 0 AND primary_key IS NULL") == 1)
        #expect(try store.store.currentHistoryToken() == all.last?.token)
        #expect(try all.map { try isGood($0.token, store) } == [false, false, false, false, true])

        try store.add("6")
        #expect(try store.history().map(\.id) == [12])
        #expect(try store.history(.after(all[4].token)).map(\.id) == [12])
        #expect(try store.history(Descriptor(predicate: #Predicate { $0.author == nil })).map(\.id) == [12])
        // The void header is not a transaction, and is deleted with later ones.
        try store.store.deleteHistory(Descriptor())
        #expect(try store.number("SELECT count(*) FROM chronicle_change") == 1)
        #expect(try store.number("SELECT id FROM chronicle_change") == 12)
        #expect(try isGood(all[4].token, store) == false)
        try store.store.deleteHistory(Descriptor())
        #expect(try store.store.currentHistoryToken()?.tokenValue?.values.first == 12)
    }

    @Test(arguments: StoreKind.allCases)
    func floorOfAnotherHistoryIsDetected(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let last = try #require(store.history().last)
        try store.store.deleteHistory(Descriptor())
        try store.add("6")
        #expect(try isGood(last.token, store))
        let forged = DefaultHistoryToken(storeIdentifier: last.storeIdentifier, position: last.id, checkValue: 1)
        #expect(try failure(of: { try store.history(.after(forged)) }) == .historyTokenForked)
        let token = last.token
        let including = Descriptor(predicate: #Predicate { $0.token >= token })
        #expect(try failure(of: { try store.history(including) }) == .historyTokenExpired)
    }

    @Test func floorIsStoredInTheFile() throws {
        let store = try filled(.file)
        let all = try store.history()
        try store.store.deleteHistory(.before(all[3].token))
        let context = ModelContext(try store.reopened())
        #expect(try context.fetchHistory(.after(all[3].token)).map(\.id) == [10])
        #expect(try failure(of: { try context.fetchHistory(.after(all[2].token)) }) == .historyTokenExpired)
    }

    // MARK: In the middle

    @Test(arguments: StoreKind.allCases)
    func deletingTheTransactionsOfAnAuthor(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        #expect(try numbers(store) == [1, 3, 5])
        #expect(try store.store.fetchHistoryCount(Descriptor()) == 3)
        #expect(try store.lines(Descriptor(predicate: #Predicate { $0.author == "a" })).count == 3)
        // The highest deleted transaction is the fourth.
        #expect(try all.map { try isGood($0.token, store) } == [true, false, true, true, true])
        // The rows next to a deleted range, and the rest of a beginning, are deleted too.
        try store.store.deleteHistory(.before(all[2].token))
        #expect(try numbers(store) == [5])
        #expect(try store.number("SELECT min(id) FROM chronicle_change") == 9)
        #expect(try isGood(all[3].token, store))
    }

    @Test(arguments: StoreKind.allCases)
    func deletingTheNewestTransactionLeavesAVoidHeader(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "a" }))
        #expect(try numbers(store) == [2, 4])
        // The first transaction is the deleted beginning.
        #expect(try all.map { try isGood($0.token, store) } == [true, true, false, true, true])
        try store.add("6")
        #expect(try numbers(store) == [2, 4, 6])
        // A void header in the middle is deleted with its neighbor.
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == nil || $0.author == "b" }))
        #expect(try numbers(store) == [])
        #expect(try store.number("SELECT count(*) FROM chronicle_change") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func limitDeletesTheFirstTransactions(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.store.deleteHistory(Descriptor().limited(2))
        #expect(try numbers(store) == [3, 4, 5])
        try store.store.deleteHistory(Descriptor().limited(1, offset: 1))
        #expect(try numbers(store) == [3, 5])
        var newest = Descriptor(sortBy: [SortDescriptor(\.token, order: .reverse)])
        newest.fetchLimit = 1
        try store.store.deleteHistory(newest)
        #expect(try numbers(store) == [3])
        #expect(try isGood(all[4].token, store))
        #expect(try !isGood(all[3].token, store))
    }

    // MARK: Without matches

    @Test(arguments: StoreKind.allCases)
    func deleteWithoutMatchesChangesNothing(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let token = try #require(try store.store.currentHistoryToken())
        let all = try store.history()
        for nothing in [
            Descriptor(predicate: #Predicate { $0.author == "nobody" }), .after(token), .before(.distantPast),
            Descriptor().limited(3, offset: 5),
        ] {
            try store.store.deleteHistory(nothing)
        }
        #expect(try store.history().map(\.id) == all.map(\.id))
        #expect(try all.allSatisfy { try isGood($0.token, store) })
        #expect(try store.number("SELECT count(*) FROM chronicle_meta WHERE name LIKE 'floor%'") == 0)
        let empty = try TestStore(kind)
        try empty.store.deleteHistory(Descriptor())
        #expect(try empty.store.currentHistoryToken()?.tokenValue == [empty.store.identifier: 0])
    }

    @Test(arguments: StoreKind.allCases)
    func deletionIsNotRecorded(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let token = try #require(try store.store.currentHistoryToken())
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "b" }))
        #expect(try store.history(.after(token)).isEmpty)
        #expect(try store.store.currentHistoryToken() == token)
    }

    // MARK: Other programs and replaced histories

    @Test(arguments: StoreKind.allCases)
    func externalChangesAreGroupedBeforeADeletion(_ kind: StoreKind) throws {
        let store = try filled(kind)
        try store.foreign("DELETE FROM Trip WHERE id = 1")
        let token = try #require(try store.store.currentHistoryToken())
        try store.foreign("DELETE FROM Trip WHERE id = 2")
        // A transaction that ends after the token is not before it.
        try store.store.deleteHistory(.before(token))
        #expect(try store.lines() == ["delete Trip/1, delete Trip/2"])
        #expect(try store.lines(.after(token)) == ["delete Trip/2"])
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.isExternal }))
        #expect(try store.history().isEmpty)
        #expect(try failure(of: { try store.history(.after(token)) }) == .historyTokenExpired)
    }

    @Test(arguments: StoreKind.allCases)
    func readerOfUngroupedChangesMayDeleteThem(_ kind: StoreKind) throws {
        let store = try filled(kind)
        try store.foreign("DELETE FROM Trip WHERE id = 1")
        let token = try #require(try store.store.currentHistoryToken())
        try store.store.deleteHistory(Descriptor())
        #expect(try store.history(.after(token)).isEmpty)
        try store.add("6")
        #expect(try store.lines(.after(token)) == ["insert Trip/6"])
    }

    @Test(arguments: StoreKind.allCases)
    func deletingUpToAForkedTokenThrows(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let identifier = try store.store.identifier
        let refusals: [(DefaultHistoryToken, SwiftDataError)] = [
            (DefaultHistoryToken(storeIdentifier: identifier, position: 4, checkValue: 1), .historyTokenForked),
            (DefaultHistoryToken(storeIdentifier: identifier, position: 99, checkValue: 1), .historyTokenAhead),
            (DefaultHistoryToken(storeIdentifier: "another", position: 4, checkValue: 1), .historyTokenStoreMismatch),
        ]
        for (token, error) in refusals {
            #expect(try failure(of: { try store.store.deleteHistory(.before(token)) }) == error)
        }
        #expect(try numbers(store) == [1, 2, 3, 4, 5])
    }

    @Test func readOnlyStoreRejectsTheDeletion() throws {
        let store = try filled(.file)
        let readOnly = try ModelContainer(
            for: Trip.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
        let error = try failure(of: { try ModelContext(readOnly).deleteHistory(Descriptor()) })
        #expect(error == .storeReadOnly)
        #expect(try numbers(store) == [1, 2, 3, 4, 5])
    }
}
