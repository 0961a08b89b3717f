import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Transactions that consumers receive without their changes.
@Suite struct LargeTransactionTests {
    /// The writer of a transaction of deletes.
    enum Writer: CaseIterable {
        /// A context.
        case context
        /// A program without Chronicle, whose changes no save has grouped yet.
        case ungrouped
        /// A program without Chronicle, followed by a save.
        case grouped
    }

    /// Inserts trips as another program, which is faster than with a context.
    private func insert(_ count: Int, _ store: TestStore) throws {
        let columns = "name, destination, startDate, endDate"
        try store.foreign(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
            INSERT INTO Trip(\(columns)) SELECT 'trip ' || i, 'somewhere', 0, 0 FROM n
            """)
    }

    /// A store whose history is small, large, small.
    private func filled(_ kind: StoreKind, _ count: Int = 12_000) throws -> TestStore {
        let store = try TestStore(kind)
        try store.add("first", author: "app")
        let context = store.context(author: "import")
        for number in 0..<count { context.insert(Trip(name: "\(number)", destination: "somewhere")) }
        try context.save()
        try store.add("last", author: "app")
        return store
    }

    private func isLarge(_ batch: Batch) -> Bool {
        if case .largeTransaction(let transaction) = batch.content { transaction.changes.isEmpty } else { false }
    }

    /// Reads a batch in pages, and checks that no page is larger than the limit.
    private func count(_ batch: Batch, limit: Int = 5_000) throws -> Int {
        var reader = batch.changeReader()
        var count = 0
        while let page = try reader.nextChanges(limit: limit) {
            #expect(!page.isEmpty && page.count <= limit)
            count += page.count
        }
        #expect(try reader.nextChanges() == nil)
        return count
    }

    @Test(arguments: StoreKind.allCases, Writer.allCases)
    func changesAreReadInPages(_ kind: StoreKind, _ writer: Writer) throws {
        let store = try TestStore(kind)
        try insert(300_000, store)
        if writer == .context {
            try store.add("grouping")
            let consumer = try store.consumer(at: .now)
            try store.context(author: "app").delete(model: Trip.self)
            let batch = try #require(try consumer.nextBatch())
            #expect(isLarge(batch))
            #expect(try count(batch) == 300_001)
            try consumer.acknowledge(batch)
            #expect(try consumer.nextBatch() == nil)
        } else {
            if writer == .grouped { try store.add("grouping") }
            let consumer = try store.consumer()
            let batch = try #require(try consumer.nextBatch())
            #expect(isLarge(batch))
            #expect(try count(batch) == 300_000)
            try consumer.acknowledge(batch)
            #expect(try consumer.take() == (writer == .grouped ? ["insert Trip/300001"] : nil))
        }
    }

    @Test(arguments: StoreKind.allCases, [1, 100, 20_000])
    func orderAndLimits(_ kind: StoreKind, _ limit: Int) throws {
        let store = try filled(kind)
        let expected = try store.history().flatMap(\.changes).map(\.text)
        let filters = [
            HistoryFilter(), HistoryFilter(authors: .only(["app", "import"])),
            HistoryFilter(changeKinds: [.insert]),
        ]
        for (index, filter) in filters.enumerated() {
            let consumer = try store.consumer("\(index)", filter: filter)
            var found: [String] = []
            var large = 0
            while let batch = try consumer.nextBatch(limit: limit) {
                if isLarge(batch) { large += 1 }
                var reader = batch.changeReader()
                var lines: [String] = []
                while let page = try reader.nextChanges(limit: 999) { lines += page.map(\.text) }
                // The whole array is the same.
                #expect(try batch.changes.map(\.text) == lines)
                found += lines
                try consumer.acknowledge(batch)
            }
            #expect(found == expected)
            #expect(large == (limit == 20_000 ? 0 : 1))
        }
    }

    /// The largest transaction that is delivered with its changes has 10,000.
    @Test(arguments: StoreKind.allCases)
    func threshold(_ kind: StoreKind) throws {
        for count in [10_000, 10_001] {
            let store = try filled(kind, count)
            for authors in [HistoryFilter.Authors.all, .only(["import"])] {
                let filter = HistoryFilter(authors: authors)
                let consumer = try store.consumer("\(authors)", filter: filter)
                if authors == .all { _ = try consumer.take(limit: 1) }
                let batch = try #require(try consumer.nextBatch(limit: 1))
                #expect(isLarge(batch) == (count > 10_000))
                #expect(try batch.changes.count == count)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func pagesContainMatchingChanges(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        for number in 0..<12_000 {
            context.insert(Trip(name: "\(number)", destination: "somewhere"))
            if number % 4_000 == 0 { context.insert(BucketListItem(title: "\(number)")) }
        }
        try context.save()
        let items = try store.consumer("items", filter: HistoryFilter(models: [BucketListItem.self]))
        let batch = try #require(try items.nextBatch())
        #expect(isLarge(batch))
        #expect(try count(batch) == 3)
        #expect(try batch.changes.count == 3)
        // No change matches, and the position moves past the transaction.
        let deletes = try store.consumer("deletes", filter: HistoryFilter(changeKinds: [.delete]))
        #expect(try deletes.nextBatch() == nil)
        #expect(try store.status("deletes").position == store.store.currentHistoryToken())
    }

    /// A damaged change of an excluded author does not matter.
    @Test func changesOfExcludedAuthorsAreNotRead() throws {
        let store = try filled(.file)
        try store.foreign("UPDATE chronicle_change SET primary_key = 'x' WHERE id = 100")
        let others = try store.consumer(
            "others", filter: HistoryFilter(authors: .except(["import"])))
        #expect(try others.take() == ["insert Trip/1", "insert Trip/12002"])
        let all = try store.consumer("all", filter: HistoryFilter(authors: .only(["import"])))
        let batch = try #require(try all.nextBatch())
        var reader = batch.changeReader()
        #expect(try reader.nextChanges(limit: 50)?.count == 50)
        #expect(throws: SwiftDataError.damagedFile) { try reader.nextChanges(limit: 50) }
        #expect(throws: SwiftDataError.damagedFile) { try batch.changes }
        try all.skip(batch, reason: "damaged")
        #expect(try all.nextBatch() == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func workIsSavedWithTheAcknowledgement(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let filter = HistoryFilter(authors: .only(["import"]))
        let consumer = try store.consumer(filter: filter)
        let batch = try #require(try consumer.nextBatch())
        #expect(isLarge(batch))
        let context = store.context(author: "reader")
        try store.add("\(count(batch)) changes", in: context)
        context.insert(Trip(name: "work", destination: "somewhere"))
        try context.save(acknowledging: batch)
        #expect(try consumer.nextBatch() == nil)
        #expect(try failure(of: { try consumer.acknowledge(batch) }) == .invalidHistoryAcknowledgement)
        // A prefix of the batch is the whole transaction.
        try consumer.seek(to: .beginning)
        let again = try #require(try consumer.nextBatch())
        let token = try #require(again.token)
        try consumer.acknowledge(again.prefix(through: try store.history()[1].token))
        #expect(try store.status().position == token)
    }

    /// Reading throws when the history is deleted, and the next batch is a reset.
    @Test(arguments: StoreKind.allCases)
    func deletedWhileReading(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let consumer = try store.consumer()
        _ = try consumer.take(limit: 1)
        let batch = try #require(try consumer.nextBatch(limit: 1))
        #expect(isLarge(batch))
        var reader = batch.changeReader()
        #expect(try reader.nextChanges(limit: 10)?.count == 10)
        try store.deleteHistory()
        #expect(throws: SwiftDataError.historyTokenExpired) { try reader.nextChanges(limit: 10) }
        #expect(throws: SwiftDataError.historyTokenExpired) { try batch.changes }
        #expect(try consumer.take() == ["reset: expired"])
    }

    /// A purge does not wait for a reader that is silent, even in the middle of a transaction.
    @Test(arguments: StoreKind.allCases)
    func evictedWhileReading(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let consumer = try store.consumer()
        _ = try consumer.take(limit: 1)
        let batch = try #require(try consumer.nextBatch(limit: 1))
        var reader = batch.changeReader()
        #expect(try reader.nextChanges(limit: 10)?.count == 10)
        var retention = HistoryRetention(maximumChanges: 1, maximumSilence: .seconds(60))
        let kept = try #require(try await store.container.purgeHistory(retention).first)
        #expect(kept.keptFor == ["reader"] && kept.evicted == [])
        #expect(try reader.nextChanges(limit: 10)?.count == 10)
        retention.maximumSilence = .seconds(10)
        try store.store.updateConsumer(named: "reader", isDurable: true) { $0?.seen = .now - 11 }
        let purged = try #require(try await store.container.purgeHistory(retention).first)
        #expect(purged.transactions == 1 && purged.evicted == ["reader"])
        #expect(throws: SwiftDataError.historyTokenExpired) { try reader.nextChanges(limit: 10) }
        #expect(try consumer.take(limit: 1) == ["reset: expired"])
    }

    @Test func redeliveredWhenTheProcessIsKilled() throws {
        let store = try filled(.file)
        let consumer = try store.consumer()
        _ = try consumer.take(limit: 1)
        consumer.release()
        let worker = try Worker("hold-consumer", store.url.path, "reader")
        try worker.wait(forBytes: 1)
        worker.kill()
        let batch = try #require(try consumer.nextBatch())
        #expect(isLarge(batch) && batch.attempt == 2)
        #expect(try count(batch) == 12_000)
        try consumer.acknowledge(batch)
        #expect(try consumer.take() == ["insert Trip/12002"])
    }
}
