public import Chronicle
import Foundation

extension StoreRule {
    /// Rules about batch deletes and batch updates, whose result is that of deleting or changing each matching model,
    /// whether the store performs them (`DataStoreBatching`) or the context does.
    public static var batches: [StoreRule] { [batchDeletes, batchUpdates] }

    static var batchUpdates: StoreRule {
        StoreRule("a batch update changes the matching models, from their values before", needs: .updates) { harness in
            try harness.context().add("a", "b", "c")
            let context = harness.context()
            let count = try context.update(
                model: Book.self, where: #Predicate { $0.title != "c" },
                set: [
                    PropertyUpdate(\.pages, to: \.pages + 10), PropertyUpdate(\.rating, to: 2.5),
                    PropertyUpdate(\.title, to: #Expression<Book, String> { $0.pages == 1 ? "thin" : $0.title }),
                ])
            try expect(count, is: 2, "the number of updated books")
            let books = try harness.context().books()
            let changed = books.filter { $0.rating == 2.5 }
            try expect(changed.map(\.title), is: ["thin", "thin"], "the titles of the updated books")
            try expect(changed.map(\.pages), is: [11, 11], "the pages of the updated books")
            try expect(
                books.filter { $0.pages > 10 }.count, is: 2, "the number of books with more pages after the update")
            let none = try context.update(
                model: Book.self, where: #Predicate { $0.title == "nobody's" }, set: \.pages, to: 0)
            try expect(none, is: 0, "the number of updated books when none matched")
        }
    }

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
    /// Rules about batch deletes and batch updates in the history.
    public static var batchChanges: [StoreRule] { [batchTransactions, batchUpdateTransactions] }

    static var batchUpdateTransactions: StoreRule {
        StoreRule(
            "a batch update is one transaction with every model whose values changed",
            needs: [.updates, .updateHistory]
        ) { harness in
            try harness.context().add("a", "b", "c")
            let count = try harness.history().count
            try harness.context("me").update(
                model: Book.self, where: #Predicate { $0.title != "c" }, set: \.pages, to: \.pages + 1)
            try harness.context().update(model: Book.self, where: #Predicate { $0.title == "a" }, set: \.pages, to: 2)
            let transactions = try harness.history().dropFirst(count)
            try expect(
                transactions.map(\.author), is: ["me"], "the authors of a batch update and of one without changes")
            let attributes = transactions.flatMap(\.changes).map { change -> [String] in
                guard case .update(let update as any HistoryUpdate<Book>) = change else { return [change.line] }
                return update.updatedAttributes.map { $0 == \Book.pages ? "pages" : "another attribute" }
            }
            try expect(attributes, is: [["pages"], ["pages"]], "the updated attributes")
        }
    }

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
