public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about tokens of saves, counts, and sorting, and about reading on after reopening a store.
    public static var positions: [StoreRule] {
        [
            saveResult, counting, sorting, earliestToken, tokensSurvive, deletionsSurvive,
        ]
    }

    static var saveResult: StoreRule {
        StoreRule("the result of a save contains its history token", needs: .deletes) { harness in
            try harness.write("a", "b")
            let store = try harness.store
            let state = EditingState(id: UUID(), author: "direct", contextName: nil)
            let request = DataStoreFetchRequest<Book>(descriptor: FetchDescriptor(), editingState: state)
            let row = try require(store.fetch(request).fetchedSnapshots.first, "the row of a book")
            let result = try store.save(
                DataStoreSaveChangesRequest(editingState: state, inserted: [], updated: [], deleted: [row]))
            let token = try require(
                result.historyToken as? Store.HistoryType.TokenType, "a token of the history's type")
            try expect(store.currentHistoryToken(), is: token, "the current token")
            try expect(harness.history().last?.token, is: token, "the token of the newest transaction")
        }
    }

    static var counting: StoreRule {
        StoreRule("counts, identifiers, and transactions without changes agree with a fetch") { harness in
            let first = try require(harness.write("a", "b", "c", by: ["x", nil]).first, "a transaction for a save")
            for descriptor in [Descriptor(), Descriptor.after(first.token), Descriptor().limited(2, offset: 1)] {
                let (context, identifiers) = (
                    harness.context(), try harness.history(descriptor).map(\.transactionIdentifier)
                )
                try expect(context.fetchHistoryCount(descriptor), is: identifiers.count, "the count")
                try expect(context.fetchHistoryIdentifiers(descriptor), is: identifiers, "the identifiers")
                let headers = try context.fetchHistoryWithoutChanges(descriptor).map(\.transactionIdentifier)
                try expect(headers, is: identifiers, "the transactions without changes")
            }
        }
    }

    static var earliestToken: StoreRule {
        StoreRule("the earliest token precedes every transaction") { harness in
            try harness.write("a", "b", "c")
            // A store may have no token for this position.
            guard let beginning = try harness.store.earliestHistoryToken() else { return }
            try expect(
                harness.titles(harness.history(.after(beginning))), is: ["a", "b", "c"],
                "the transactions after the earliest token")
            guard harness.features.contains(.deletingHistory) else { return }
            let first = try require(harness.history().first, "a transaction for a save")
            try harness.context().deleteHistory(Descriptor.before(first.token))
            let token = try require(harness.store.earliestHistoryToken(), "an earliest token after a deletion")
            try expect(
                harness.titles(harness.history(.after(token))), is: ["b", "c"],
                "the transactions after the earliest token when the first was deleted")
        }
    }

    static var sorting: StoreRule {
        StoreRule("a history fetch respects sort order, limit, and offset") { harness in
            try harness.write("a", "b", "c", "d")
            let newest = Descriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
            try expect(
                harness.titles(harness.history(newest)), is: ["d", "c", "b", "a"], "the newest transactions first")
            let (newestPage, page) = (newest.limited(2, offset: 1), Descriptor().limited(2, offset: 1))
            try expect(
                harness.titles(harness.history(newestPage)), is: ["c", "b"], "a page of the newest transactions")
            try expect(harness.titles(harness.history(page)), is: ["b", "c"], "a page of transactions")
        }
    }

    static var tokensSurvive: StoreRule {
        StoreRule("a reopened store continues its history", needs: .reopening) { harness in
            let configuration = try harness.newConfiguration()
            let token = try harness.opening(configuration) { first in
                try require(first.write("a", "b").first, "a transaction for a save").token
            }
            try harness.opening(configuration) { again in
                try again.write("c")
                let read = try again.titles(again.history(.after(token)))
                try expect(read, is: ["b", "c"], "the transactions after an earlier token")
            }
        }
    }

    static var deletionsSurvive: StoreRule {
        StoreRule(
            "a reopened store rejects tokens before its deleted history", needs: [.reopening, .deletingHistory]
        ) { harness in
            let configuration = try harness.newConfiguration()
            let tokens = try harness.opening(configuration) { first in
                let tokens = try first.write("a", "b").map(\.token)
                try first.context().deleteHistory(Descriptor())
                return tokens
            }
            try harness.opening(configuration) { again in
                try expect(
                    again.store.currentHistoryToken(), is: tokens[1], "the current token after deleting the history")
                try expect(.historyTokenExpired, of: "reading on from before deleted transactions") {
                    try again.history(.after(tokens[0]))
                }
                try again.write("c")
                let read = try again.titles(again.history(.after(tokens[1])))
                try expect(read, is: ["c"], "the transactions after the deleted ones")
            }
        }
    }

    private typealias Descriptor = StoreHarness<Store>.Descriptor
}
