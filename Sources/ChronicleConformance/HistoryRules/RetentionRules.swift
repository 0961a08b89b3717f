public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about the size and the retention of the history, and about pages of changes. They are skipped without
    /// `HistoryRetaining` or `HistoryPaging`.
    public static var retention: [StoreRule] { [statistics, purging, paging, largeTransactions] }

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
