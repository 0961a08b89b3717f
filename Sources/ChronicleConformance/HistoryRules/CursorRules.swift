public import Chronicle
import Foundation

// The six guarantees: whoever reads on from a token gets everything after it, once, in order and whole.
extension StoreRule where Store: HistoryProviding {
    /// The contract of reading on: from a token on everything comes, in the order of the commits, once, whole, also beside
    /// writers on other threads, in other stores on the same place and in other processes.
    public static var cursor: [StoreRule] {
        [
            ordered, unique, reliable, reliableBesideWriters, sharedHistory, processHistory, atomic, resumable,
            bookmarkable,
        ]
    }

    static var ordered: StoreRule {
        StoreRule("ordered: transactions come in the order of their commits") { harness in
            let transactions = try harness.write("a", "b", "c", "d", by: ["z", "a", nil])
            try expect(harness.titles(transactions), is: ["a", "b", "c", "d"], "the transactions in their order")
            for (one, next) in zip(transactions, transactions.dropFirst()) {
                try expect(one.token < next.token, "tokens that grow")
                try expect(one.transactionIdentifier < next.transactionIdentifier, "transaction identifiers that grow")
            }
            let store = try harness.store.identifier
            for transaction in transactions {
                try expect(transaction.storeIdentifier, is: store, "the store of a transaction")
            }
        }
    }

    static var unique: StoreRule {
        StoreRule("unique: who goes on from the last token gets nothing twice") { harness in
            let first = try require(harness.write("a", "b", "c", "d", "e").first, "a transaction for a save")
            var lines = first.changes.map(\.line)
            lines += try read(after: first.token, pages: 2, harness).flatMap(\.changes).map(\.line)
            try expect(Set(lines).count, is: lines.count, "the number of different changes")
        }
    }

    static var reliable: StoreRule {
        StoreRule("reliable: nothing between two tokens is left out") { harness in
            let first = try require(harness.write("a", "b", "c", "d", "e", "f").first, "a transaction for a save")
            for limit: UInt64 in [1, 2, 3, 0] {
                let read = try read(after: first.token, pages: limit, harness)
                try expect(harness.titles(read), is: ["b", "c", "d", "e", "f"], "the changes by pages of \(limit)")
            }
        }
    }

    static var reliableBesideWriters: StoreRule {
        StoreRule("reliable: a reader beside writers gets every change once") { harness in
            let start = try require(harness.write("start").first, "a transaction for a save").token
            let container = harness.container
            let lines = try linesBesideWriters(after: start, in: container) { _ in container }
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
        StoreRule("resumable: any token can be continued from, also one that was kept as JSON") { harness in
            let transactions = try harness.write("a", "b", "c", "d")
            let titles = ["a", "b", "c", "d"]
            for (index, transaction) in transactions.enumerated() {
                let kept = try JSONDecoder().decode(Token.self, from: JSONEncoder().encode(transaction.token))
                try expect(kept, is: transaction.token, "a token that was kept as JSON")
                let rest = try harness.titles(harness.history(.after(kept)))
                try expect(rest, is: Array(titles.dropFirst(index + 1)), "what comes after token \(index + 1)")
            }
        }
    }

    static var bookmarkable: StoreRule {
        StoreRule("bookmarkable: a reader that filters moves past what does not match") { harness in
            var token = try require(harness.write("start").first, "a transaction for a save").token
            let author = "me"
            var found: [String] = []
            for (title, other) in [("a", "you"), ("b", "me"), ("c", "you"), ("d", "me")] {
                try harness.write(title, by: [other])
                // First where the history ends, then what matches: what is written in between is for the next time.
                let bookmark = try require(harness.store.currentHistoryToken(), "a current token after a save")
                let position = token
                let page = try harness.history(
                    Descriptor(predicate: #Predicate { $0.token > position && $0.author == author }))
                found += try harness.titles(page)
                token = bookmark
                try expect(harness.history(.after(bookmark)).count, is: 0, "the number of transactions after now")
                try expect(harness.history().last?.token, is: bookmark, "the token of the newest transaction")
            }
            try expect(found, is: ["b", "d"], "what the reader found")
        }
    }

    private typealias Descriptor = StoreHarness<Store>.Descriptor
    typealias Token = StoreHarness<Store>.Token

    /// Reads on page by page until there is no more.
    private static func read(
        after start: Token, pages limit: UInt64, _ harness: StoreHarness<Store>
    ) throws -> [Store.HistoryType] {
        var (token, read) = (start, [Store.HistoryType]())
        // More pages than there can be: a store that repeats itself is no reason to go on for ever.
        for _ in 0..<20 {
            let page = try harness.history(Descriptor.after(token).limited(limit))
            guard let last = page.last else { break }
            read += page
            token = last.token
        }
        return read
    }
}
