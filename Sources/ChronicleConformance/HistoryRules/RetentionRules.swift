public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about the size and the retention of the history, and about pages of changes. They are skipped without
    /// `HistoryRetaining`, `HistoryValueRetaining` or `HistoryPaging`.
    public static var retention: [StoreRule] { [statistics, purging, erasedValues, paging, largeTransactions] }

    private typealias Retaining = any HistoryRetaining<Store.HistoryType>

    static var statistics: StoreRule {
        StoreRule("statistics describe the transactions in the history") { harness in
            let store = try require(harness.store as? Retaining, "a store that adopts HistoryRetaining")
            let empty = try store.historyStatistics()
            try expect(empty.transactions, is: 0, "the number of transactions in a new store")
            try expect(empty.oldest, is: nil, "the oldest timestamp in a new store")
            let transactions = try harness.write("a", "b", "c")
            let statistics = try store.historyStatistics()
            try expect(statistics.storeIdentifier, is: harness.store.identifier, "the store of the statistics")
            try expect(statistics.transactions, is: 3, "the number of transactions")
            try expect(statistics.changes, is: 3, "the number of changes")
            try expect(statistics.bytes > 0, "a size of the history, found \(statistics.bytes)")
            try expect(statistics.oldest, is: transactions.first?.timestamp, "the oldest timestamp")
            try expect(statistics.newest, is: transactions.last?.timestamp, "the newest timestamp")
        }
        .requiring("HistoryRetaining", Store.self is any HistoryRetaining.Type)
    }

    static var purging: StoreRule {
        StoreRule("a purge deletes the oldest transactions that exceed a limit") { harness in
            let store = try require(harness.store as? Retaining, "a store that adopts HistoryRetaining")
            let transactions = try harness.write("a", "b", "c", "d")
            let none = try store.planHistoryPurge(.unlimited, at: .distantFuture)
            try expect(none.newest, is: nil, "the newest transaction to delete without a limit")
            let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: 2), at: .now)
            try expect(plan.newest, is: transactions[1].token, "the newest transaction that exceeds two changes")
            try expect(harness.history().count, is: 4, "the number of transactions before the purge")
            // A transaction after the plan was made does not belong to it.
            try harness.write("e")
            var (steps, deleted, isDone) = (0, 0, false)
            while !isDone {
                let step = try store.purgeHistory(plan)
                (steps, deleted, isDone) = (steps + 1, deleted + step.transactions, step.isLast)
                try expect(steps < 1_000, "a last step of the purge of two transactions")
            }
            try expect(deleted, is: 2, "the number of deleted transactions")
            try expect(harness.titles(harness.history()), is: ["c", "d", "e"], "the remaining transactions")
            try expect(
                harness.titles(harness.history(.after(transactions[1].token))), is: ["c", "d", "e"],
                "the transactions after the last deleted one")
            try expect(.historyTokenExpired, of: "reading on from before deleted transactions") {
                try harness.history(.after(transactions[0].token))
            }
        }
        .requiring("HistoryRetaining", Store.self is any HistoryRetaining.Type)
    }

    static var erasedValues: StoreRule {
        StoreRule(
            "a purge erases the values of a rule, and keeps the changes and their other values",
            needs: [.deletes, .deleteHistory, .tombstones]
        ) { harness in
            let store = try require(
                harness.store as? any HistoryValueRetaining<Store.HistoryType>,
                "a store that adopts HistoryValueRetaining")
            let context = harness.context()
            for book in try context.add("a", "b") {
                context.delete(book)
                try context.save()
            }
            let before = try harness.history()
            // A store may determine the age by another clock.
            let date = Date.now + 3_600
            let misspelled = PreservedValueRule(entityName: "Book", attributeName: "titel", maximumAge: .zero)
            try expect(.unknownSchema, of: "a rule for an unknown attribute") {
                _ = try store.planHistoryPurge(HistoryRetention(valueRules: [misspelled]), at: date)
            }
            let retention = HistoryRetention(valueRules: [PreservedValueRule(\Book.title, maximumAge: .seconds(60))])
            let early = try store.planHistoryPurge(retention, at: .now)
            try expect(early.erasures.count, is: 0, "the number of rules that apply to new changes")
            try expect(erase(store, store.planHistoryPurge(retention, at: date)) > 0, "values that a purge erased")
            let after = try harness.history()
            try expect(after.map(\.token), is: before.map(\.token), "the transactions after the purge")
            try expect(
                after.map { $0.changes.map(\.line) }, is: before.map { $0.changes.map(\.line) },
                "the changes after the purge")
            let deletes = after.flatMap(\.changes).compactMap { change -> (any HistoryDelete<Book>)? in
                if case .delete(let delete) = change { delete as? any HistoryDelete<Book> } else { nil }
            }
            try expect(deletes.map { $0.tombstone[\.title] }, is: [nil, nil], "the titles of deleted books")
            try expect(deletes.filter { $0.tombstone[\.printed] != nil }.count, is: 2, "the number of kept values")
            let again = try store.planHistoryPurge(retention, at: date)
            try expect(store.preservedValueCounts(again).reduce(0, +), is: 0, "the number of values that are left")
        }
        .requiring("HistoryValueRetaining", Store.self is any HistoryValueRetaining.Type)
    }

    private static func erase<Retaining: HistoryValueRetaining>(
        _ store: Retaining, _ plan: HistoryPurgePlan<Retaining.HistoryType.TokenType>
    ) throws -> Int {
        let expected = try store.preservedValueCounts(plan).reduce(0, +)
        var values = 0
        for _ in 0..<1_000 {
            let step = try store.purgeHistory(plan)
            values += step.values
            guard step.isLast else { continue }
            try expect(values, is: expected, "the number of erased values")
            return values
        }
        throw ConformanceFailure("a last step of the purge of a few values")
    }

    static var paging: StoreRule {
        StoreRule("the pages of a transaction contain each of its changes once, in order") { harness in
            try harness.context().add("a", "b", "c", "d", "e")
            try harness.write("f")
            let expected = try harness.history().map { $0.changes.map(\.line) }
            for limit in [1, 2, 5, 6] {
                var reader = try harness.context().historyReader(for: Store.HistoryType.self)
                var read: [[String]] = []
                while try reader.nextTransaction() != nil {
                    var changes: [String] = []
                    while let page = try reader.nextChanges(limit: limit), changes.count < 100 {
                        try expect(page.count <= limit, "at most \(limit) changes in a page, found \(page.count)")
                        changes += page.map(\.line)
                    }
                    read.append(changes)
                }
                try expect(read, is: expected, "the changes of each transaction, in pages of \(limit)")
            }
        }
        .requiring("HistoryPaging", Store.self is any HistoryPaging.Type)
    }

    static var largeTransactions: StoreRule {
        let isPaging = Store.self is any HistoryPaging.Type
        return StoreRule("a consumer receives each change before, in and after a large transaction once") { harness in
            try harness.write("a", "b")
            let context = harness.context()
            for number in 0...HistoryPage<Store.HistoryType>.largestTransaction(inPageOf: 1) {
                context.insert(Book("\(number)"))
            }
            try context.save()
            try harness.write("c")
            let expected = try harness.history().flatMap(\.changes).map(\.line)
            let consumer = try harness.consumer("reader")
            var received: [String] = []
            while let batch = try consumer.nextBatch(), received.count <= expected.count {
                var reader = batch.changeReader()
                while let page = try reader.nextChanges(), received.count <= expected.count {
                    received += page.map(\.line)
                }
                try consumer.acknowledge(batch)
            }
            try expect(received.count, is: expected.count, "the number of changes")
            try expect(received == expected, "the changes in the order of the history")
        }
        .requiring(
            isPaging ? "DataStoreConsuming" : "HistoryPaging", isPaging && Store.self is any DataStoreConsuming.Type)
    }
}
