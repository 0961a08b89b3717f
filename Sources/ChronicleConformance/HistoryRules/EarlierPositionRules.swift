public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about models as of an earlier position. They are skipped without the capability `earlierPositions`.
    public static var earlierPositions: [StoreRule] { [earlierModels] }

    static var earlierModels: StoreRule {
        StoreRule("a context as of a position returns the models as they were", needs: [.updates, .deletes]) {
            harness in
            var kept: [(token: Token, models: [String])] = []
            let writer = harness.context()
            func save(_ change: () throws -> Void) throws {
                try change()
                try writer.save()
                let token = try require(harness.history().last?.token, "a transaction for a save")
                kept.append((token, try models(harness.context())))
            }
            let books = ["a", "b", "c"].map { Book($0) }
            try save { for book in books { writer.insert(book) } }
            try save { books[0].pages += 1 }
            try save { writer.delete(books[1]) }
            try save { writer.insert(Book("d")) }
            try save { books[0].title = "z" }

            let container = writer.container
            for (index, (token, models)) in kept.enumerated() {
                let past = try ModelContext(container, asOf: token)
                // A store need not keep the values before later changes.
                let isNewest = index == kept.count - 1
                do {
                    try expect(self.models(past), is: models, "the models as of transaction \(index + 1)")
                } catch SwiftDataError.historyValueMissing where !isNewest {
                    continue
                }
                try expect(past.fetchCount(FetchDescriptor<Book>()), is: models.count, "the number of models")
            }
        }
        .requiring(.earlierPositions, "earlierPositions")
    }

    private static func models(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Book>()).map { "\($0.persistentModelID) \($0.title) \($0.pages)" }.sorted()
    }
}
