public import Chronicle
import Foundation

// The six guarantees of reading on from a token: ordered, unique, reliable, atomic, resumable, and bookmarkable.
extension StoreRule where Store: HistoryProviding {
    /// Rules about reading the history from a token: every later transaction once, complete, and in commit order, even
    /// while other threads, stores, and processes write.
    public static var cursor: [StoreRule] {
        [
            ordered, unique, reliable, reliableDuringWrites, sharedHistory, processHistory, atomic, resumable,
            bookmarkable,
        ]
    }

    static var ordered: StoreRule {
        StoreRule("ordered: transactions are fetched in commit order") { harness in
            let transactions = try harness.write("a", "b", "c", "d", by: ["z", "a", nil])
            try expect(harness.titles(transactions), is: ["a", "b", "c", "d"], "the order of the transactions")
            for (one, next) in zip(transactions, transactions.dropFirst()) {
                try expect(one.token < next.token, "increasing tokens")
                try expect(one.transactionIdentifier < next.transactionIdentifier, "increasing transaction identifiers")
            }
            let store = try harness.store.identifier
            for transaction in transactions {
                try expect(transaction.storeIdentifier, is: store, "the store of a transaction")
            }
        }
    }

    static var unique: StoreRule {
        StoreRule("unique: reading on from the last token returns no change twice") { harness in
            let first = try require(harness.write("a", "b", "c", "d", "e").first, "a transaction for a save")
            var lines = first.changes.map(\.line)
            lines += try read(after: first.token, pages: 2, harness).flatMap(\.changes).map(\.line)
            try expect(Set(lines).count, is: lines.count, "the number of different changes")
        }
    }

    static var reliable: StoreRule {
        StoreRule("reliable: no transaction after a token is missing") { harness in
            let first = try require(harness.write("a", "b", "c", "d", "e", "f").first, "a transaction for a save")
            for limit: UInt64 in [1, 2, 3, 0] {
                let read = try read(after: first.token, pages: limit, harness)
                try expect(harness.titles(read), is: ["b", "c", "d", "e", "f"], "the changes by pages of \(limit)")
            }
        }
    }

    static var reliableDuringWrites: StoreRule {
        StoreRule("reliable: a reader concurrent with writers receives every change once") { harness in
            let start = try require(harness.write("start").first, "a transaction for a save").token
            let container = harness.container
            let lines = try linesDuringWrites(after: start, in: container) { _ in container }
            try expect(lines.count, is: 45, "the number of changes")
            try expect(Set(lines).count, is: 45, "the number of different changes")
        }
    }

    static var atomic: StoreRule {
        StoreRule("atomic: no page splits a transaction") { harness in
            let first = try require(harness.write("a").first, "a transaction for a save")
            try harness.context().add("b", "c", "d", "e")
            try harness.context().add("f", "g")
            let pages = try [0, 1].map { try harness.history(Descriptor.after(first.token).limited(1, offset: $0)) }
            try expect(pages.map(\.count), is: [1, 1], "the number of transactions in a page of one")
            try expect(pages.map { $0[0].changes.count }, is: [4, 2], "the number of changes in two transactions")
        }
    }

    static var resumable: StoreRule {
        StoreRule("resumable: reading can continue from any token, including one decoded from JSON") { harness in
            let transactions = try harness.write("a", "b", "c", "d")
            let titles = ["a", "b", "c", "d"]
            for (index, transaction) in transactions.enumerated() {
                let kept = try JSONDecoder().decode(Token.self, from: JSONEncoder().encode(transaction.token))
                try expect(kept, is: transaction.token, "a token decoded from JSON")
                let rest = try harness.titles(harness.history(.after(kept)))
                try expect(rest, is: Array(titles.dropFirst(index + 1)), "the transactions after token \(index + 1)")
            }
        }
    }

    static var bookmarkable: StoreRule {
        StoreRule("bookmarkable: a filtering reader can advance past transactions that do not match") { harness in
            var token = try require(harness.write("start").first, "a transaction for a save").token
            let author = "me"
            var found: [String] = []
            for (title, other) in [("a", "you"), ("b", "me"), ("c", "you"), ("d", "me")] {
                try harness.write(title, by: [other])
                // The token is read before the fetch, so that transactions committed in between are fetched the next
                // time.
                let bookmark = try require(harness.store.currentHistoryToken(), "a current token after a save")
                let position = token
                let page = try harness.history(
                    Descriptor(predicate: #Predicate { $0.token > position && $0.author == author }))
                found += try harness.titles(page)
                token = bookmark
                try expect(
                    harness.history(.after(bookmark)).count, is: 0, "the number of transactions after the current token"
                )
                try expect(harness.history().last?.token, is: bookmark, "the token of the newest transaction")
            }
            try expect(found, is: ["b", "d"], "the transactions that the reader fetched")
        }
    }

    private typealias Descriptor = StoreHarness<Store>.Descriptor
    typealias Token = StoreHarness<Store>.Token

    /// Ends with an empty page.
    private static func read(
        after start: Token, pages limit: UInt64, _ harness: StoreHarness<Store>
    ) throws -> [Store.HistoryType] {
        var (token, read) = (start, [Store.HistoryType]())
        // Limits the number of pages, in case a store returns the same page forever.
        for _ in 0..<20 {
            let page = try harness.history(Descriptor.after(token).limited(limit))
            guard let last = page.last else { break }
            read += page
            token = last.token
        }
        return read
    }
}
