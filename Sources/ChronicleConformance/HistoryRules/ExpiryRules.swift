public import Chronicle

extension StoreRule where Store: HistoryProviding {
    /// Tokens that are of no more use are errors, never a shorter answer; history ends where it is deleted, and the models
    /// and the positions do not.
    public static var expiry: [StoreRule] {
        [expired, ofAnotherStore, foreignDelete, modelsStay, positionsAreNotReused]
    }

    static var expired: StoreRule {
        StoreRule(
            "a token with something deleted after it is expired, the one at the end is not", needs: .deletingHistory
        ) {
            bench in
            let transactions = try bench.write("a", "b", "c", "d")
            try bench.context().deleteHistory(Descriptor.before(transactions[1].token))
            try expect(.historyTokenExpired, of: "reading on from before what was deleted") {
                try bench.history(.after(transactions[0].token))
            }
            try expect(
                bench.titles(bench.history(.after(transactions[1].token))), is: ["c", "d"],
                "what comes after the last deleted transaction")
            try expect(bench.titles(bench.history()), is: ["c", "d"], "what is left")
        }
    }

    static var ofAnotherStore: StoreRule {
        StoreRule("a token of another store is an error, not an answer") { bench in
            try bench.write("a", "b")
            let other = try bench.another()
            let token = try require(other.write("x", "y").first, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "reading on from a token of another store") {
                try bench.history(.after(token))
            }
        }
    }

    static var foreignDelete: StoreRule {
        StoreRule("nothing is deleted up to a token of another store", needs: .deletingHistory) { bench in
            try bench.write("a", "b")
            let other = try bench.another()
            let token = try require(other.write("x", "y").last, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "deleting the history up to a token of another store") {
                try bench.context().deleteHistory(Descriptor.before(token))
            }
            try expect(bench.titles(bench.history()), is: ["a", "b"], "what is left of the history")
        }
    }

    static var modelsStay: StoreRule {
        StoreRule("deleting history leaves the models alone", needs: .deletingHistory) { bench in
            try bench.write("a", "b", "c")
            try bench.context().deleteHistory(Descriptor())
            try expect(bench.history().count, is: 0, "the number of transactions")
            try expect(bench.context().books().map(\.title), is: ["a", "b", "c"], "the books")
        }
    }

    static var positionsAreNotReused: StoreRule {
        StoreRule("a position is never given twice, whatever was deleted", needs: .deletingHistory) { bench in
            let last = try require(bench.write("a", "b").last, "a transaction for a save")
            try bench.context().deleteHistory(Descriptor())
            try expect(bench.store.currentHistoryToken(), is: last.token, "the current token after everything went")
            let next = try require(bench.write("c").first, "a transaction for a save")
            try expect(
                last.token < next.token,
                "the token of a save to come after all that were given before: after \(last.token), not \(next.token)")
            try expect(
                bench.titles(bench.history(.after(last.token))), is: ["c"], "what comes after the deleted history")
        }
    }

    private typealias Descriptor = StoreBench<Store>.Descriptor
}
