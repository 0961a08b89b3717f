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
            harness in
            let transactions = try harness.write("a", "b", "c", "d")
            try harness.context().deleteHistory(Descriptor.before(transactions[1].token))
            try expect(.historyTokenExpired, of: "reading on from before what was deleted") {
                try harness.history(.after(transactions[0].token))
            }
            try expect(
                harness.titles(harness.history(.after(transactions[1].token))), is: ["c", "d"],
                "what comes after the last deleted transaction")
            try expect(harness.titles(harness.history()), is: ["c", "d"], "what is left")
        }
    }

    static var ofAnotherStore: StoreRule {
        StoreRule("a token of another store is an error, not an answer") { harness in
            try harness.write("a", "b")
            let other = try harness.another()
            let token = try require(other.write("x", "y").first, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "reading on from a token of another store") {
                try harness.history(.after(token))
            }
        }
    }

    static var foreignDelete: StoreRule {
        StoreRule("nothing is deleted up to a token of another store", needs: .deletingHistory) { harness in
            try harness.write("a", "b")
            let other = try harness.another()
            let token = try require(other.write("x", "y").last, "a transaction for a save").token
            try expect(.historyTokenExpired, of: "deleting the history up to a token of another store") {
                try harness.context().deleteHistory(Descriptor.before(token))
            }
            try expect(harness.titles(harness.history()), is: ["a", "b"], "what is left of the history")
        }
    }

    static var modelsStay: StoreRule {
        StoreRule("deleting history leaves the models alone", needs: .deletingHistory) { harness in
            try harness.write("a", "b", "c")
            try harness.context().deleteHistory(Descriptor())
            try expect(harness.history().count, is: 0, "the number of transactions")
            try expect(harness.context().books().map(\.title), is: ["a", "b", "c"], "the books")
        }
    }

    static var positionsAreNotReused: StoreRule {
        StoreRule("a position is never given twice, whatever was deleted", needs: .deletingHistory) { harness in
            let last = try require(harness.write("a", "b").last, "a transaction for a save")
            try harness.context().deleteHistory(Descriptor())
            try expect(harness.store.currentHistoryToken(), is: last.token, "the current token after everything went")
            let next = try require(harness.write("c").first, "a transaction for a save")
            try expect(
                last.token < next.token,
                "the token of a save to come after all that were given before: after \(last.token), not \(next.token)")
            try expect(
                harness.titles(harness.history(.after(last.token))), is: ["c"], "what comes after the deleted history")
        }
    }

    private typealias Descriptor = StoreHarness<Store>.Descriptor
}
