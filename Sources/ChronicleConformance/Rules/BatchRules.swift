public import Chronicle
import Foundation

extension StoreRule {
    /// Rules about batch deletes.
    ///
    /// A batch delete has the same result as deleting each matching model, whether the store performs it
    /// (``DataStoreBatching``) or the context does.
    public static var batches: [StoreRule] { [batchDeletes] }

    static var batchDeletes: StoreRule {
        StoreRule("a batch delete deletes the matching models and applies their delete rules", needs: .deletes) {
            harness in
            try insertLibrary(harness)
            let context = harness.context()
            try context.delete(model: Shelf.self, where: #Predicate { $0.name == "left" })
            let books = ["", "Dick", "moby-dick", "right"]
            try expect(harness.context().books().map(\.title).sorted(), is: books, "the remaining books")
            try context.delete(model: Topic.self, where: #Predicate { $0.rank == 1 })
            try expect(harness.context().fetchCount(FetchDescriptor<Topic>()), is: 0, "the number of topics")
            try context.delete(model: Book.self, where: #Predicate { $0.title == "nobody's" })
            try expect(harness.context().books().map(\.title).sorted(), is: books, "the books when none matched")
            try context.delete(model: Book.self)
            try expect(harness.context().books().count, is: 0, "the number of books after deleting all of them")
            try expect(harness.context().fetchCount(FetchDescriptor<Shelf>()), is: 2, "the number of shelves")
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Rules about batch deletes in the history.
    public static var batchChanges: [StoreRule] { [batchTransactions] }

    static var batchTransactions: StoreRule {
        StoreRule(
            "a batch delete is one transaction with every deleted model",
            needs: [.deletes, .deleteHistory, .tombstones]
        ) { harness in
            let added = harness.context()
            for name in ["left", "right"] {
                try added.add("\(name) a", "\(name) b", on: Shelf(name))
            }
            let count = try harness.history().count
            try harness.context("me").delete(model: Shelf.self)
            try harness.context().delete(model: Shelf.self)
            let transactions = try harness.history().dropFirst(count)
            try expect(
                transactions.map(\.author), is: ["me"], "the authors of a batch delete and of one without matches")
            let kept = transactions.flatMap(\.changes).map { change in
                guard case .delete(let delete) = change else { return change.line }
                let name: String? = (delete as? any HistoryDelete<Shelf>)?.tombstone[\.name]
                let title: String? = (delete as? any HistoryDelete<Book>)?.tombstone[\.title]
                return name ?? title ?? change.line
            }
            let expected = ["left", "left a", "left b", "right", "right a", "right b"]
            try expect(kept.sorted(), is: expected, "the preserved values of the deletes")
        }
    }
}
