import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The sources of transactions, which are deleted with the history.
@Suite struct SourceTests {
    private func sources(_ store: TestStore) throws -> Int64 {
        try store.number("SELECT count(*) FROM chronicle_source WHERE id > 1") ?? -1
    }

    @Test func manySourcesAreDeletedWithTheirTransactions() throws {
        let store = try TestStore(.inMemory)
        let context = store.context(author: "app")
        for number in 0..<3_000 {
            context.name = "request \(number)"
            context.insert(BucketListItem(title: "item"))
            try context.save()
        }
        #expect(try sources(store) == 3_000)
        let plan = try store.database.read { connection in
            let statement = try connection.prepare(
                "EXPLAIN QUERY PLAN SELECT id FROM chronicle_source WHERE author IS ? AND context IS ? AND program IS ?"
            )
            return try statement.step() ? statement.text(3) : ""
        }
        #expect(plan.contains("USING COVERING INDEX chronicle_source_index (author=? AND context=? AND program=?)"))
        let all = try store.store.fetchHistoryWithoutChanges(Descriptor())
        try store.store.deleteHistory(.before(all[1_999].token))
        #expect(try sources(store) == 1_000)
        #expect(try store.historyFailures().isEmpty)
        #expect(
            try store.store.fetchHistoryWithoutChanges(Descriptor()).map(\.contextName)
                == all[2_000...].map(\.contextName))
        // Deletes everything. Then the context of the newest transaction saves again.
        try store.store.deleteHistory(Descriptor())
        #expect(try sources(store) <= 1)
        context.insert(BucketListItem(title: "again"))
        try context.save()
        #expect(try sources(store) == 1)
        #expect(try store.store.fetchHistoryWithoutChanges(Descriptor()).map(\.contextName) == ["request 2999"])
    }

    /// A store must not use a cached number of a source after another store deleted the source.
    @Test(arguments: 0..<4)
    func deletedSourcesAreNotUsed(_ number: Int) throws {
        var random = TestSeed.generator(number)
        let store = try TestStore(.file)
        let containers = [store.container, try store.reopened()]
        var expected: [String] = []
        for step in 0..<150 {
            let comment: Comment = "\(TestSeed.description), step \(step)"
            let context = ModelContext(random.pick(containers))
            switch random.below(10) {
            case 0..<7:
                let author = "author \(random.below(3))"
                context.author = author
                for _ in 0..<random.pick([1, 1, 1, 40, 600]) { context.insert(BucketListItem(title: "item")) }
                try context.save()
                expected.append(author)
            case 7:
                // Everything, with the newest transaction.
                try context.deleteHistory(Descriptor())
                expected = []
            case 8:
                guard let last = try context.fetchHistoryWithoutChanges(Descriptor()).last else { continue }
                let identifier = last.id
                try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier == identifier }))
                expected.removeLast()
            default:
                guard let first = try context.fetchHistoryWithoutChanges(Descriptor()).first else { continue }
                try context.deleteHistory(.before(first.token))
                expected.removeFirst()
            }
            let failures = try store.historyFailures()
            try #require(failures.isEmpty, "\(comment): \(failures)")
            for container in containers {
                let authors = try ModelContext(container).fetchHistoryWithoutChanges(Descriptor()).map {
                    $0.author ?? "-"
                }
                try #require(authors == expected, comment)
            }
        }
    }
}
