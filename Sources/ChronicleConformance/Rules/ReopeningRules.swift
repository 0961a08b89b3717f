import Chronicle

extension StoreRule {
    /// Rules about reopening a store with the same models, after every container of it was released.
    public static var reopening: [StoreRule] { [savedModels] }

    static var savedModels: StoreRule {
        StoreRule("a reopened store has the same models and identifiers", needs: .reopening) {
            harness in
            let configuration = try harness.newConfiguration()
            let identifier = try harness.opening(configuration) { first in
                try first.context().add("a", "b", on: Shelf("left"))
                return try first.context().book("b").persistentModelID
            }
            try harness.opening(configuration) { again in
                let context = again.context()
                try expect(context.books().map(\.title).sorted(), is: ["a", "b"], "the books")
                try expect(context.book("b").persistentModelID, is: identifier, "the identifier of a book")
                try expect(context.book("b").shelf?.name, is: "left", "the shelf of a book")
                let new = try context.add("c")[0].persistentModelID
                try expect(new != identifier, "a new identifier for a new model, found \(identifier) again")
            }
            let count = try harness.opening(configuration) { try $0.context().books().count }
            try expect(count, is: 3, "the number of books after another save")
        }
    }
}
