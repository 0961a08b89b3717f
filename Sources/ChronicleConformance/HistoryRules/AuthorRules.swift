public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Who saved.
    public static var authors: [StoreRule] { [signatures, unsigned] }

    static var signatures: StoreRule {
        StoreRule("a transaction has the author that the context had at the save") { harness in
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
        StoreRule("unsigned transactions are found like any other") { harness in
            try harness.write("a", "b", "c", by: ["x", nil, "y"])
            func titles(_ predicate: Predicate<Store.HistoryType>) throws -> [String] {
                try harness.titles(harness.history(HistoryDescriptor(predicate: predicate)))
            }
            let (author, none) = ("x", String?.none)
            try expect(titles(#Predicate { $0.author == author }), is: ["a"], "what x wrote")
            try expect(titles(#Predicate { $0.author != author }), is: ["b", "c"], "what x did not write")
            try expect(titles(#Predicate { $0.author == none }), is: ["b"], "what nobody signed")
        }
    }
}
