import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Reads of headers by ranges of the history.
@Suite struct SummaryTests {
    // MARK: Random histories

    @Test(arguments: 0..<3)
    func readsAgreeWithFoundation(_ number: Int) throws {
        let comment: Comment = "\(TestSeed.description), history \(number)"
        var history = try RandomHistory(TestSeed.generator(number))
        for step in 0..<60 {
            try history.step()
            let failures = try history.store.historyFailures()
            try #require(failures.isEmpty, "\(comment), step \(step): \(failures.prefix(3))")
        }
        let container = try history.store.reopened([BucketListItem.self, Trip.self])
        let store = try #require(container.stores.first as? DefaultStore)
        let all = try store.fetchHistory(Descriptor())
        #expect(try store.historyStatistics().transactions == all.count, comment)
        var queries = try HistoryQueries(store, all, history.random)
        for query in 0..<150 {
            let difference = try queries.difference()
            #expect(difference == nil, "\(comment), query \(query): \(difference ?? "")")
        }
        for query in 0..<50 {
            let difference = try queries.differenceWithinTransactions()
            #expect(difference == nil, "\(comment), token \(query): \(difference ?? "")")
        }
    }

    // MARK: Query plans

    private func store(transactions: Int, changes: Int) throws -> TestStore {
        let store = try TestStore(.inMemory)
        let context = store.context()
        for number in 0..<transactions {
            context.author = "author \(number % 3)"
            for change in 0..<changes { context.insert(BucketListItem(title: "\(change)")) }
            try context.save()
        }
        return store
    }

    /// Runs the statement of a query.
    private func run<Result>(
        _ selection: String, _ descriptor: Descriptor, _ store: DefaultStore, _ body: (Statement) throws -> Result
    ) throws -> Result? {
        try store.database.read { connection in
            let query = try HistoryQuery(descriptor, store, connection)
            let range = try HistoryRange(query, storeIdentifier: store.identifier, connection)
            let search = HeaderSearch(query: query, range: range, connection: connection)
            return try search.statement(selection).map(body)
        }
    }

    private func plan(_ descriptor: Descriptor, _ store: TestStore) throws -> [String]? {
        try run("EXPLAIN QUERY PLAN SELECT h.id", descriptor, store.store) { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(3)) }
            return lines
        }
    }

    /// The steps of SQLite's virtual machine.
    private func steps(_ descriptor: Descriptor, _ store: TestStore) throws -> Int? {
        try run("SELECT h.id", descriptor, store.store) { statement in
            let before = statement.steps
            while try statement.step() {}
            return statement.steps - before
        }
    }

    private let newestFirst = [SortDescriptor(\Transaction.token, order: .reverse)]

    @Test func commitOrderNeedsNoSorting() throws {
        let store = try store(transactions: 2, changes: 1)
        let token = try #require(try store.history().first?.token)
        for descriptor in [
            Descriptor(), .after(token), Descriptor(predicate: #Predicate { $0.author == "author 1" }),
            Descriptor(predicate: #Predicate { $0.token > token && $0.author == "author 1" }),
            Descriptor(predicate: #Predicate { !$0.isExternal }),
        ] {
            var newest = descriptor
            newest.sortBy = newestFirst
            for descriptor in [descriptor, descriptor.limited(3), newest, newest.limited(1)] {
                let plan = try #require(try plan(descriptor, store))
                #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
                #expect(plan.first == "SEARCH r USING INTEGER PRIMARY KEY (rowid>?)", "\(plan)")
                #expect(plan.contains("SEARCH c USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"), "\(plan)")
            }
        }
    }

    /// Each transaction crosses a multiple of the interval.
    @Test func limitEndsTheScan() throws {
        let (few, many) = (try store(transactions: 4, changes: 1_023), try store(transactions: 40, changes: 1_023))
        for sortBy in [[], newestFirst] {
            let descriptor = Descriptor(sortBy: sortBy).limited(1)
            let counts = try [few, many].map { try #require(try steps(descriptor, $0)) }
            #expect(counts[0] == counts[1] && counts[0] < 1_000, "\(counts)")
        }
    }

    @Test func headersAreFoundWithoutVisitingChanges() throws {
        let (short, long) = (try store(transactions: 40, changes: 40), try store(transactions: 40, changes: 1_023))
        let descriptors = [
            Descriptor(), Descriptor(predicate: #Predicate { $0.author == "author 1" }),
            Descriptor(predicate: #Predicate { $0.metadata["reason"] == "none" }),
        ]
        for descriptor in descriptors {
            let count = try #require(try steps(descriptor, long))
            #expect(count < 40 * 150, "\(count)")
        }
        // Long transactions in the open range do not have their own ranges yet.
        #expect(try #require(try steps(Descriptor(), short)) < 40 * 150 + 1_024 * 25)
    }

    @Test func unknownAuthorVisitsNothing() throws {
        let store = try store(transactions: 3, changes: 2)
        let nobody = Descriptor(predicate: #Predicate { $0.author == "nobody" })
        #expect(try steps(nobody, store) == nil)
        #expect(try store.history(nobody).isEmpty)
        #expect(try store.store.fetchHistoryCount(nobody) == 0)
        // A range is skipped as a whole.
        let many = try self.store(transactions: 20, changes: 1_023)
        try many.add("rare", author: "rare")
        let rare = Descriptor(predicate: #Predicate { $0.author == "rare" })
        #expect(try many.history(rare).count == 1)
        #expect(try #require(try steps(rare, many)) < #require(try steps(Descriptor(), many)))
    }

    @Test func countWithoutAPredicateVisitsTheEnds() throws {
        let store = try store(transactions: 30, changes: 1_023)
        let ranges = try store.number("SELECT count(*) FROM chronicle_summary")
        #expect(ranges == 31)
        let all = try store.history()
        #expect(try store.store.fetchHistoryCount(Descriptor()) == 30)
        for index in all.indices {
            #expect(try store.store.fetchHistoryCount(.after(all[index].token)) == 29 - index)
        }
        // Counting does not read the ranges between its ends.
        try store.foreign("UPDATE chronicle_change SET kind = 17 WHERE id = \(all[15].id)")
        #expect(try store.store.fetchHistoryCount(.after(all[3].token)) == 26)
    }
}
