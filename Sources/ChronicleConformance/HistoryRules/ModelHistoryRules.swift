public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about the history of one model.
    public static var modelHistory: [StoreRule] { [modelHistoryPages, expiredModelHistory] }

    private typealias Request = ModelHistoryRequest<Store.HistoryType>

    private static func write(_ harness: StoreHarness<Store>) throws -> PersistentIdentifier {
        let context = harness.context()
        let books = try context.add("a", "b")
        for number in 1...5 {
            for book in books { book.pages += number }
            try context.save()
            if number % 2 == 0 { try harness.write("c\(number)") }
        }
        context.delete(books[0])
        try context.save()
        return books[0].persistentModelID
    }

    static var modelHistoryPages: StoreRule {
        StoreRule(
            "the pages of the history of a model contain each of its changes once, in both orders",
            needs: [.updates, .deletes, .updateHistory, .deleteHistory]
        ) { harness in
            let store = try harness.store
            let model = try write(harness)
            let expected = try harness.history().flatMap { transaction in
                transaction.changes.filter { $0.changedPersistentIdentifier == model }
                    .map { "\($0.line) in \(transaction.transactionIdentifier)" }
            }
            for (order, limit) in [
                (SortOrder.forward, 1), (.forward, 3), (.forward, 100), (.reverse, 2), (.reverse, 100),
            ] {
                var request = Request(model, order: order, limit: limit)
                var found: [String] = []
                var pages = 0
                repeat {
                    let page = try store.fetchModelHistory(request)
                    let isWhole = order == .reverse && pages == 0 && page.continuation == nil
                    try expect(
                        page.entries.count <= limit || isWhole,
                        "at most \(limit) changes in a page, found \(page.entries.count)")
                    found += page.entries.map { "\($0.change.line) in \($0.transaction.transactionIdentifier)" }
                    request.continuation = page.continuation
                    pages += 1
                } while request.continuation != nil && pages < 100
                try expect(
                    found, is: order == .forward ? expected : expected.reversed(),
                    "the changes of the model in pages of \(limit)")
            }
        }
    }

    static var expiredModelHistory: StoreRule {
        StoreRule(
            "a page of the history of a model after deleted history is rejected",
            needs: [.updates, .deletes, .updateHistory, .deleteHistory, .deletingHistory]
        ) { harness in
            let store = try harness.store
            let model = try write(harness)
            var request = Request(model, limit: 2)
            request.continuation = try require(
                store.fetchModelHistory(request).continuation, "a second page of a history of seven changes")
            let newest = try require(harness.history().last?.token, "a transaction for a save")
            try harness.context().deleteHistory(HistoryDescriptor<Store.HistoryType>.before(newest))
            try expect(.historyTokenExpired, of: "the page after deleted history") {
                try store.fetchModelHistory(request)
            }
        }
    }
}
