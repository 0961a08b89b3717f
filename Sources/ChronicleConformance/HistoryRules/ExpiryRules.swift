public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about expired tokens and deleted history: tokens from which reading cannot continue throw an error instead of
    /// returning incomplete results. Deleting history changes neither the models nor later positions.
    public static var expiry: [StoreRule] {
        [
            expired, expiredBetweenOthers, ofAnotherStore, startOfAnotherStore, deletingWithForeignToken, modelsRemain,
            positionsAreNotReused,
        ]
    }

    static var expired: StoreRule {
        StoreRule(
            "a token is expired if transactions after it were deleted, and otherwise valid", needs: .deletingHistory
        ) {
            harness in
            let transactions = try harness.write("a", "b", "c", "d")
            try harness.context().deleteHistory(Descriptor.before(transactions[1].token))
            try expect(.historyTokenExpired, of: "reading on from before deleted transactions") {
                try harness.history(.after(transactions[0].token))
            }
            try expect(
                harness.titles(harness.history(.after(transactions[1].token))), is: ["c", "d"],
                "the transactions after the last deleted one")
            try expect(harness.titles(harness.history()), is: ["c", "d"], "the remaining transactions")
        }
    }

    static var expiredBetweenOthers: StoreRule {
        StoreRule(
            "a token is expired for a reader that requires the complete history if a transaction between others was deleted",
            needs: .deletingHistory
        ) { harness in
            let transactions = try harness.write("a", "b", "c", by: ["reader", "writer", "reader"])
            let (author, token): (String?, _) = ("writer", transactions[0].token)
            do {
                try harness.context().deleteHistory(Descriptor(predicate: #Predicate { $0.author == author }))
            } catch SwiftDataError.unsupportedFeature, DataStoreError.unsupportedFeature { return }
            var descriptor = Descriptor.after(token)
            descriptor.requiresCompleteHistory = true
            try expect(.historyTokenExpired, of: "reading on from before a deleted transaction") {
                try harness.history(descriptor)
            }
            // Other readers may continue, without repeating or losing what remains.
            do {
                let read = try harness.titles(harness.history(.after(token)))
                try expect(read, is: ["c"], "the transactions that remain after a token")
            } catch SwiftDataError.historyTokenExpired {}
        }
    }

    static var ofAnotherStore: StoreRule {
        StoreRule("reading on from a token of another store throws") { harness in
            try harness.write("a", "b")
            let other = try harness.another()
            let token = try require(other.write("x", "y").first, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "reading on from a token of another store") {
                try harness.history(.after(token))
            }
        }
    }

    static var startOfAnotherStore: StoreRule {
        StoreRule("reading on from the earliest token of another store throws") { harness in
            try harness.write("a", "b")
            // A store may have no token for this position.
            guard let token = try harness.another().store.earliestHistoryToken() else { return }
            try expect(.historyTokenExpired, of: "reading on from the earliest token of another store") {
                try harness.history(.after(token))
            }
        }
    }

    static var deletingWithForeignToken: StoreRule {
        StoreRule("deleting up to a token of another store deletes nothing", needs: .deletingHistory) { harness in
            try harness.write("a", "b")
            let other = try harness.another()
            let token = try require(other.write("x", "y").last, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "deleting the history up to a token of another store") {
                try harness.context().deleteHistory(Descriptor.before(token))
            }
            try expect(harness.titles(harness.history()), is: ["a", "b"], "the remaining transactions")
        }
    }

    static var modelsRemain: StoreRule {
        StoreRule("deleting history does not change the models", needs: .deletingHistory) { harness in
            try harness.write("a", "b", "c")
            try harness.context().deleteHistory(Descriptor())
            try expect(harness.history().count, is: 0, "the number of transactions")
            try expect(harness.context().books().map(\.title), is: ["a", "b", "c"], "the books")
        }
    }

    static var positionsAreNotReused: StoreRule {
        StoreRule("history positions are not reused after a deletion", needs: .deletingHistory) { harness in
            let last = try require(harness.write("a", "b").last, "a transaction for a save")
            try harness.context().deleteHistory(Descriptor())
            try expect(
                harness.store.currentHistoryToken(), is: last.token, "the current token after deleting the history")
            let next = try require(harness.write("c").first, "a transaction for a save")
            try expect(
                last.token < next.token,
                "the token of a save to be greater than \(last.token), found \(next.token)")
            try expect(
                harness.titles(harness.history(.after(last.token))), is: ["c"],
                "the transactions after the deleted ones")
        }
    }

    private typealias Descriptor = StoreHarness<Store>.Descriptor
}
