import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Limits, offsets, orders, and fetches without changes.
@Suite struct HistoryPagingTests {
    /// Transactions of different sizes, by different authors and kinds of writers.
    private func filled(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind)
        for round in 1...12 {
            let context = store.context(author: round % 3 == 0 ? nil : "author \(round % 3)")
            let trips = (0..<round).map { Trip(name: "\(round).\($0)", destination: "x") }
            for trip in trips { context.insert(trip) }
            try context.save()
            if round % 4 == 0 {
                try store.foreign("UPDATE Trip SET note = \(round) WHERE id <= \(round)")
                try store.foreign("DELETE FROM Trip WHERE id = \(round)")
            }
        }
        return store
    }

    /// A page is the beginning of what a fetch returns, and all of it if there is no more.
    @Test(arguments: StoreKind.allCases, [1, 7, 30, 1_000])
    func pageBeginsTheResultOfAFetch(_ kind: StoreKind, _ changeCount: Int) throws {
        let store = try filled(kind)
        let third = try store.history()[2].token
        let descriptors = [
            Descriptor(), .after(third), Descriptor(predicate: #Predicate { $0.author == "author 1" }),
            Descriptor(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]),
        ]
        for descriptor in descriptors {
            for limit in [0, 1, 2, 4, 100] as [UInt64] {
                for offset in [0, 1, 3, 20] as [UInt64] {
                    let descriptor = descriptor.limited(limit, offset: offset)
                    let expected = try store.lines(descriptor)
                    let page = try store.store.fetchHistoryPage(descriptor, changeCount: changeCount)
                    let found = page.transactions.map(\.line)
                    let message: Comment = "\(descriptor), limit \(limit), offset \(offset)"
                    #expect(found == Array(expected.prefix(found.count)), message)
                    #expect(page.hasMore || found.count == expected.count, message)
                    #expect(!found.isEmpty || expected.isEmpty, message)
                    if UInt64(found.count) == limit { #expect(!page.hasMore || !descriptor.isPlain, message) }
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [1, 2, 5, 100] as [UInt64])
    func pagesCoverTheHistory(_ kind: StoreKind, _ size: UInt64) throws {
        let store = try filled(kind)
        let whole = try store.lines()
        #expect(whole.count == 15)

        var token = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        var byToken: [String] = []
        while let page = try Optional(store.history(.after(token).limited(size))), let last = page.last {
            #expect(page.count <= size)
            byToken += page.map(\.line)
            token = last.token
        }
        #expect(byToken == whole)

        var byOffset: [String] = []
        while let page = try Optional(store.lines(Descriptor().limited(size, offset: UInt64(byOffset.count)))),
            !page.isEmpty
        { byOffset += page }
        #expect(byOffset == whole)
    }

    @Test(arguments: StoreKind.allCases)
    func filteredPagesCoverAllMatches(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let filter = Descriptor(predicate: #Predicate { $0.author != "author 1" })
        let whole = try store.lines(filter)
        #expect(whole.count == 11)
        var token = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        var pages: [String] = []
        while true {
            let after = token
            let page = try store.history(
                Descriptor(predicate: #Predicate { $0.token > after && $0.author != "author 1" }).limited(2))
            guard let last = page.last else { break }
            pages += page.map(\.line)
            token = last.token
        }
        #expect(pages == whole)
        #expect(try store.store.fetchHistoryCount(filter) == 11)
        #expect(try store.store.fetchHistoryCount(filter.limited(4)) == 4)
        #expect(try store.store.fetchHistoryCount(filter.limited(0, offset: 10)) == 1)
    }

    /// The recommended loop of a reader that filters, and must not visit the other transactions again and again.
    @Test(arguments: StoreKind.allCases)
    func filteringReaderAdvancesPastOtherTransactions(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        var position = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 0, checkValue: nil)
        var seen: [String] = []

        /// - Parameter meanwhile: Code to run between the two reads.
        func read(limit: Int, meanwhile: () throws -> Void = {}) throws {
            let (after, bookmark) = (position, try store.store.currentHistoryToken())
            try meanwhile()
            let page = try store.history(
                Descriptor(predicate: #Predicate { $0.token > after && $0.author == "me" }).limited(UInt64(limit)))
            seen += page.map(\.line)
            if let last = page.last { position = last.token }
            if page.count < limit, let bookmark, bookmark > position { position = bookmark }
        }

        try read(limit: 2)
        try store.add("1", author: "you")
        try store.add("2", author: "me")
        try store.add("3", author: "you")
        try read(limit: 2) { try store.add("4", author: "me") }
        #expect(seen == ["me: insert Trip/2", "me: insert Trip/4"])
        try read(limit: 2)
        try store.add("5", author: "you")
        try read(limit: 2) { try store.add("6", author: "me") }
        #expect(position == (try store.store.currentHistoryToken()))
        try store.add("7", author: "you")
        try store.foreign("UPDATE Trip SET note = 'x' WHERE id = 1")
        try read(limit: 2)
        // The token is past everything, although nothing matched.
        #expect(position == (try store.store.currentHistoryToken()))
        try store.foreign("UPDATE Trip SET note = 'y' WHERE id = 1")
        for name in ["8", "9", "10"] { try store.add(name, author: "me") }
        try read(limit: 2)
        #expect(position < (try #require(try store.store.currentHistoryToken())))
        try read(limit: 2)
        #expect(seen == [2, 4, 6, 8, 9, 10].map { "me: insert Trip/\($0)" })
    }

    @Test(arguments: StoreKind.allCases, [0, UInt64.max])
    func limitOfZeroOrMaximumIsNoLimit(_ kind: StoreKind, _ limit: UInt64) throws {
        let store = try filled(kind)
        #expect(try store.history(Descriptor().limited(limit)).count == 15)
        #expect(try store.history(Descriptor(predicate: #Predicate { $0.author == nil }).limited(limit)).count == 7)
        #expect(try store.store.fetchHistoryCount(Descriptor().limited(limit)) == 15)
        #expect(try store.history(Descriptor().limited(limit, offset: .max)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func countsIdentifiersAndTransactionsAgree(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let token = try store.history()[4].token
        let descriptors: [Descriptor] = [
            Descriptor(), .after(token), .before(token), Descriptor().limited(3, offset: 2),
            Descriptor(predicate: #Predicate { $0.author == "author 2" }),
            Descriptor(sortBy: [SortDescriptor(\.author), SortDescriptor(\.token, order: .reverse)]),
            Descriptor(
                predicate: #Predicate { $0.token > token && $0.author == nil },
                sortBy: [SortDescriptor(\.timestamp, order: .reverse)]
            ).limited(2),
        ]
        for (index, descriptor) in descriptors.enumerated() {
            let whole = try store.history(descriptor)
            #expect(try store.store.fetchHistoryIdentifiers(descriptor) == whole.map(\.id), "\(index)")
            #expect(try store.store.fetchHistoryCount(descriptor) == whole.count, "\(index)")
            let plain = try store.store.fetchHistoryWithoutChanges(descriptor)
            #expect(plain.map(\.token) == whole.map(\.token), "\(index)")
            #expect(plain.map(\.author) == whole.map(\.author), "\(index)")
            #expect(plain.allSatisfy { $0.changes.isEmpty }, "\(index)")
            #expect(!whole.isEmpty && whole.allSatisfy { !$0.changes.isEmpty }, "\(index)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func ordersMatchFoundation(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let orders: [[SortDescriptor<Transaction>]] = [
            [SortDescriptor(\.token, order: .reverse)], [SortDescriptor(\.transactionIdentifier)],
            [SortDescriptor(\.author)],
            [SortDescriptor(\.author, order: .reverse), SortDescriptor(\.id, order: .reverse)],
            [SortDescriptor(\.timestamp, order: .reverse)], [SortDescriptor(\.processIdentifier)],
        ]
        // The ungrouped transaction has the current time as its timestamp.
        try store.add("last")
        let grouped = try store.history()
        #expect(grouped.count == all.count + 1)
        for (index, order) in orders.enumerated() {
            let expected = grouped.sorted(using: order).map(\.line)
            #expect(try store.lines(Descriptor(sortBy: order)) == expected, "\(index)")
            #expect(
                try store.lines(Descriptor(sortBy: order).limited(4, offset: 3)) == Array(expected[3..<7]), "\(index)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func descriptorsByDateAndTransaction(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let middle = all[7]
        #expect(try store.history(.after(middle)).map(\.id) == all.dropFirst(8).map(\.id))
        #expect(try store.history(.before(middle)).map(\.id) == all.prefix(7).map(\.id))
        #expect(
            try store.history(.after(middle.timestamp)).map(\.id)
                == all.filter { $0.timestamp > middle.timestamp }.map(\.id))
        #expect(try store.history(.before(.distantPast)).isEmpty)
        #expect(try store.history(.after(.distantPast)).count == all.count)
    }

    @Test(arguments: StoreKind.allCases)
    func contextFetchesTheSameHistory(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let context = store.context()
        let page = Descriptor(predicate: #Predicate { $0.author == nil }).limited(2, offset: 1)
        let whole = try context.fetchHistory(page)
        #expect(whole.map(\.line) == (try store.lines(page)))
        #expect(try context.fetchHistoryCount(page) == 2)
        #expect(try context.fetchHistoryIdentifiers(page) == whole.map(\.id))
        #expect(try context.fetchHistoryWithoutChanges(page).map(\.token) == whole.map(\.token))
        try context.deleteHistory(page)
        #expect(try context.fetchHistory(Descriptor()).count == 13)
    }
}

extension Descriptor {
    /// Whether the transactions are those after a token, in commit order.
    fileprivate var isPlain: Bool { sortBy.isEmpty && predicate == nil }
}
