public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about the authors of transactions.
    public static var authors: [StoreRule] { [signatures, unsigned] }

    static var signatures: StoreRule {
        StoreRule("a transaction has the author of its context at the save") { harness in
            let context = harness.context("first")
            try context.add("a")
            context.insert(Book("b"))
            context.author = "second"
            try context.save()
            context.author = nil
            try context.add("c")
            try expect(harness.history().map(\.author), is: ["first", "second", nil], "the authors")
        }
    }

    static var unsigned: StoreRule {
        StoreRule("transactions without an author are fetched like any others") { harness in
            try harness.write("a", "b", "c", by: ["x", nil, "y"])
            func titles(_ predicate: Predicate<Store.HistoryType>) throws -> [String] {
                try harness.titles(harness.history(HistoryDescriptor(predicate: predicate)))
            }
            let (author, none) = ("x", String?.none)
            try expect(titles(#Predicate { $0.author == author }), is: ["a"], "the transactions by x")
            try expect(titles(#Predicate { $0.author != author }), is: ["b", "c"], "the transactions not by x")
            try expect(titles(#Predicate { $0.author == none }), is: ["b"], "the transactions without an author")
        }
    }
}
