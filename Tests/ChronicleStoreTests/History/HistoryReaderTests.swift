import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Transactions whose changes are read in pages.
@Suite struct HistoryReaderTests {
    /// A history with inserts, updates, and deletes, with and without preserved values, and an ungrouped transaction.
    private func filled(_ kind: StoreKind, preservesValues: Bool) throws -> TestStore {
        let store = try TestStore(kind, preservesValues: preservesValues)
        let context = store.context(author: "app")
        let trips = (0..<7).map { Trip(name: "\($0)", destination: "somewhere") }
        trips.forEach(context.insert)
        try context.save()
        for trip in trips { (trip.name, trip.note) = ("new \(trip.name)", "note") }
        try context.save()
        context.author = "other"
        trips.prefix(3).forEach(context.delete)
        try context.save()
        try store.foreign("UPDATE Trip SET note = 'x'; UPDATE Trip SET destination = 'y'")
        return store
    }

    private func read(_ reader: inout HistoryReader<Transaction>, limit: Int) throws -> [[String]] {
        var transactions: [[String]] = []
        while let transaction = try reader.nextTransaction() {
            #expect(transaction.changes.isEmpty)
            var changes: [String] = []
            while let page = try reader.nextChanges(limit: limit) {
                #expect(!page.isEmpty && page.count <= limit)
                changes += page.map(description)
            }
            transactions.append(changes)
        }
        return transactions
    }

    private func description(_ change: HistoryChange) -> String {
        let values =
            switch change {
            case .insert(let insert as DefaultHistoryInsert<Trip>): insert.preservedValues.map { "\($0.name)" }
            case .update(let update as DefaultHistoryUpdate<Trip>):
                update.preservedValues.map { "\($0.name) \($0.previousValue as Any) \($0.value as Any)" }
            case .delete(let delete as DefaultHistoryDelete<Trip>):
                delete.tombstone.namedValues.map { "\($0.name) \($0.value)" }
            default: ["another type"]
            }
        return "\(change.changeIdentifier ?? 0) \(change.text) \(values)"
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func pagesContainAllChanges(_ kind: StoreKind, _ preservesValues: Bool) throws {
        let store = try filled(kind, preservesValues: preservesValues)
        let history = try store.history()
        #expect(history.map(\.changes.count) == [7, 7, 3, 8])
        let expected = history.map { $0.changes.map(description) }
        for limit in [1, 2, 3, 7, 8, 1_000, .max] {
            var reader = try store.context().historyReader()
            #expect(try read(&reader, limit: limit) == expected)
        }
        var reader = try store.context().historyReader(after: history[1].token)
        #expect(try read(&reader, limit: 2) == Array(expected.dropFirst(2)))
    }

    /// Skipped transactions are not read: damaged changes do not matter.
    @Test func skippedChangesAreNotRead() throws {
        let store = try filled(.file, preservesValues: false)
        try store.foreign("UPDATE chronicle_change SET primary_key = 'x' WHERE id = 2")
        var reader = try store.context().historyReader()
        #expect(try reader.nextTransaction()?.author == "app")
        #expect(try reader.nextChanges(limit: 1)?.count == 1)
        #expect(try reader.nextTransaction()?.author == "app")
        #expect(try reader.nextChanges()?.count == 7)
        #expect(try reader.nextChanges() == nil)
        var damaged = try store.context().historyReader()
        _ = try damaged.nextTransaction()
        #expect(throws: SwiftDataError.damagedFile) { try damaged.nextChanges() }
    }

    /// A part of a transaction of another program was read, then more changes were made, and a save grouped all of them.
    @Test func growingExternalTransactions() throws {
        let store = try filled(.file, preservesValues: true)
        var reader = try store.context().historyReader()
        for _ in 0..<3 { _ = try reader.nextTransaction() }
        let external = try #require(try reader.nextTransaction())
        #expect(external.isExternal)
        var changes = try #require(try reader.nextChanges(limit: 3)).map(description)
        try store.foreign("UPDATE Trip SET note = 'z'")
        try store.add("grouping")
        while let page = try reader.nextChanges(limit: 3) { changes += page.map(description) }
        #expect(changes.count == 8)
        let rest = try #require(try reader.nextTransaction())
        #expect(rest.isExternal)
        while let page = try reader.nextChanges(limit: 3) { changes += page.map(description) }
        let all = try store.history().filter(\.isExternal).flatMap(\.changes).map(description)
        #expect(changes == all && all.count == 12)
        #expect(try reader.nextTransaction()?.isExternal == false)
        #expect(try reader.nextTransaction() == nil)
        // Later transactions continue.
        try store.add("later")
        #expect(try reader.nextTransaction() != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func deletedTransactionsThrow(_ kind: StoreKind) throws {
        let store = try filled(kind, preservesValues: false)
        let history = try store.history()
        let context = store.context()
        var reader = try context.historyReader()
        _ = try reader.nextTransaction()
        #expect(try reader.nextChanges(limit: 2)?.count == 2)
        try context.deleteHistory(.before(history[1].token))
        #expect(throws: SwiftDataError.historyTokenExpired) { try reader.nextChanges(limit: 2) }
        // A transaction that a purge has deleted in part, of which some changes are still in the file.
        var other = try context.historyReader()
        _ = try other.nextTransaction()
        #expect(try other.nextChanges(limit: 1)?.count == 1)
        try store.foreign(
            """
            INSERT INTO chronicle_meta(name, value) VALUES ('purged', \(history[2].id));
            UPDATE chronicle_meta SET value = \(history[2].id) WHERE name = 'floor'
            """)
        #expect(throws: SwiftDataError.historyTokenExpired) { try other.nextChanges(limit: 1) }
    }

    @Test func invalidRequestsThrow() throws {
        let store = try filled(.file, preservesValues: false)
        let history = try store.history()
        func request(_ index: Int, _ change: HistoryChange) -> HistoryChangesRequest<Transaction> {
            HistoryChangesRequest(history[index], after: nil, lastChange: change, limit: 1)
        }
        #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
            try store.store.fetchHistoryChanges(request(0, history[1].changes[0]))
        }
        let other = try filled(.file, preservesValues: false)
        #expect(throws: SwiftDataError.historyTokenStoreMismatch) {
            try other.store.fetchHistoryChanges(request(0, history[0].changes[0]))
        }
        try store.foreign("UPDATE chronicle_change SET attributes = 1 WHERE id = \(history[0].id)")
        #expect(throws: SwiftDataError.historyTokenForked) {
            try store.store.fetchHistoryChanges(request(0, history[0].changes[0]))
        }
    }

    @Test func missingRowsThrow() throws {
        let store = try filled(.file, preservesValues: false)
        try store.foreign("DELETE FROM chronicle_change WHERE id = 4")
        for limit in [1, 3, 100] {
            var reader = try store.context().historyReader()
            _ = try reader.nextTransaction()
            #expect(throws: SwiftDataError.damagedFile) { while try reader.nextChanges(limit: limit) != nil {} }
        }
    }
}
