import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Deletions of sealed transactions keep their hashes and are events.
@Suite struct SealDeletionTests {
    /// A seal for each group of authors, each of whom saves a transaction of two rows.
    private func filled(_ kind: StoreKind, _ groups: String...) throws -> TestStore {
        let store = try TestStore(kind)
        try store.beginSealing()
        for group in groups {
            for author in group { try store.add("trip", author: String(author)) }
            try store.seal()
        }
        return store
    }

    private func delete(_ author: String, _ store: TestStore, by deleter: String? = nil) throws {
        try store.context(author: deleter).deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
    }

    @Test(arguments: StoreKind.allCases) func theEventHasABitForEachTransaction(_ kind: StoreKind) throws {
        let store = try filled(kind, "ab", "aaaaaaaaab", "bab", "a")
        try delete("b", store, by: "ann")
        #expect(
            try store.events() == [
                .init(
                    kind: "deletion", detail: #"{"transactions":4}"#, author: "ann",
                    parts: [1: "02", 2: "0002", 3: "05"])
            ])
        #expect(try store.seals == [1, 2, 3, 4])
        // Only the keys of the deleted descriptions are gone.
        #expect(
            try store.integers("SELECT position FROM chronicle_commitment ORDER BY 1")
                == store.integers("SELECT id FROM chronicle_change WHERE kind < 0 ORDER BY 1"))
        #expect(try store.problems().isEmpty)
    }

    /// The task has an author if the context has none.
    @Test func theAuthorIsThatOfTheTask() throws {
        let store = try filled(.file, "aba")
        try HistoryAuthor.withValue("ann") { try delete("b", store) }
        try HistoryAuthor.withValue("ann") { try delete("a", store, by: "bob") }
        #expect(try store.events().map(\.author) == ["ann", "bob"])
    }

    @Test(arguments: StoreKind.allCases) func deletingTheBeginningIsADeletion(_ kind: StoreKind) throws {
        let store = try filled(kind, "aaa", "aaa")
        try store.context().deleteHistory(.before(try store.history()[3].token))
        #expect(
            try store.events() == [
                .init(kind: "deletion", detail: #"{"transactions":4}"#, parts: [1: "07", 2: "01"])
            ])
        #expect(try store.seals == [1, 2])
    }

    @Test(arguments: StoreKind.allCases) func unsealedTransactionsAreUnproven(_ kind: StoreKind) throws {
        let store = try filled(kind, "ab")
        for author in ["a", "b", "a", "b"] { try store.add("trip", author: author) }
        try delete("b", store)
        // The header of the newest transaction remains, and is sealed as a void one.
        #expect(
            try store.events() == [
                .init(kind: "deletion", detail: #"{"transactions":1}"#, parts: [1: "02"]),
                .init(kind: "unproven", detail: #"{"ranges":[[7,8],[11,11]],"transactions":2}"#),
            ])
        try store.seal()
        try store.add("trip", author: "a")
        try delete("a", store)
        #expect(
            try store.events() == [
                .init(kind: "deletion", detail: #"{"transactions":3}"#, parts: [1: "01", 2: "07"]),
                .init(kind: "unproven", detail: #"{"ranges":[[13,13]],"transactions":1}"#),
            ])
        #expect(try store.problems().isEmpty)
    }

    @Test func manyRangesAreSeveralEvents() throws {
        let store = try filled(.file, "a")
        for number in 0..<2_100 { try store.add("trip", author: number % 2 == 0 ? "b" : "a") }
        try delete("b", store)
        let events = try store.events()
        #expect(events.map(\.kind) == ["unproven", "unproven"])
        #expect(events.map { $0.detail.contains("\"transactions\":1000") } == [true, false])
        #expect(events.map { $0.detail.contains("\"transactions\":50}") } == [false, true])
    }

    /// Its void header has the check value of the sealed transaction.
    @Test(arguments: StoreKind.allCases) func theNewestTransactionBecomesVoid(_ kind: StoreKind) throws {
        let store = try filled(kind, "ab")
        try delete("b", store)
        #expect(
            try store.events() == [.init(kind: "deletion", detail: #"{"transactions":1}"#, parts: [1: "02"])])
        #expect(try store.integers("SELECT position FROM chronicle_commitment") == [2])
        try store.add("trip", author: "a")
        try delete("a", store)
        // The entry of the void header was marked, which is no difference.
        #expect(try store.events().last?.kind == "unproven")
        #expect(try store.events()[1].parts == [1: "03"])
    }

    @Test(arguments: StoreKind.allCases) func aDeletionOfNothingIsNoEvent(_ kind: StoreKind) throws {
        let store = try filled(kind, "a")
        try delete("x", store)
        #expect(try store.events().isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func rowsOfErasedValuesRemain(_ kind: StoreKind) throws {
        let store = try filled(kind, "aba")
        try store.foreign("UPDATE chronicle_commitment SET event = 1, key = NULL WHERE position = 4")
        try delete("b", store)
        #expect(try store.integers("SELECT position FROM chronicle_commitment ORDER BY 1") == [2, 4, 6])
        #expect(
            try store.integers(
                "SELECT position FROM chronicle_commitment WHERE coalesce(attribute, key, commitment) IS NULL") == [4])
    }

    @Test(arguments: ["x'00'", "x''", "'text'", "zeroblob(39)"])
    func aDamagedListIsReported(_ list: String) throws {
        let store = try filled(.file, "aba")
        try store.foreign("UPDATE chronicle_seal SET transactions = \(list)")
        let error = try failure(of: { try delete("b", store) })
        // An empty list has none of the transactions, which verification reports.
        #expect(error == (list == "x''" ? nil : .damagedFile))
        #expect(try store.events().isEmpty)
        #expect(try store.history().count == (list == "x''" ? 2 : 3))
    }

    @Test(arguments: StoreKind.allCases) func erasingAStoreIsAnEvent(_ kind: StoreKind) throws {
        let store = try filled(kind, "ab", "a")
        try store.add("unsealed")
        try HistoryAuthor.withValue("ann") { try store.container.erase() }
        let newest = try #require(try store.number("SELECT max(id) FROM chronicle_change"))
        #expect(
            try store.events() == [
                .init(
                    kind: "purge",
                    detail: #"{"boundary":2,"reason":{"kind":"erase"},"through":6,"transactions":3}"#, author: "ann"),
                // With the transaction of the deletes, whose header remains as a void one.
                .init(
                    kind: "unproven",
                    detail: #"{"ranges":[[7,\#(newest - 1)]],"reason":{"kind":"erase"},"transactions":2}"#,
                    author: "ann"),
            ])
        #expect(try store.seals == [2])
        #expect(try store.integers("SELECT id FROM chronicle_change") == [newest])
        #expect(try store.integers("SELECT position FROM chronicle_commitment").isEmpty)
        try store.add("new")
        try store.seal()
        try store.container.erase()
        #expect(try store.problems().isEmpty)
    }

    @Test(arguments: StoreKind.allCases) func erasingASealedStoreWithoutModels(_ kind: StoreKind) throws {
        let store = try filled(kind, "a")
        try store.container.erase()
        try store.seal()
        let newest = try #require(try store.number("SELECT max(id) FROM chronicle_change"))
        try store.container.erase()
        #expect(try store.events().map(\.kind) == ["purge"])
        #expect(try store.events()[0].detail.contains("\"through\":\(newest),"))
        #expect(try store.integers("SELECT id FROM chronicle_change") == [newest])
    }
}
