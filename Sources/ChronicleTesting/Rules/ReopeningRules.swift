import Chronicle

extension StoreRule {
    /// A store outlives its container.
    public static var reopening: [StoreRule] { [savedModels] }

    static var savedModels: StoreRule {
        StoreRule("a store that is opened again has its models, under their identifiers", needs: .reopening) { bench in
            try bench.context().add("a", "b", on: Shelf("left"))
            let identifier = try bench.context().book("b").persistentModelID

            let context = try bench.reopened()
            try expect(context.books().map(\.title), is: ["a", "b"], "the books")
            try expect(context.book("b").persistentModelID, is: identifier, "the identifier of a book")
            try expect(context.book("b").shelf?.name, is: "left", "the shelf of a book")
            let new = try context.add("c")[0].persistentModelID
            try expect(new != identifier, "a new identifier for a new model")
            try expect(context.books().count, is: 3, "the number of books after another save")
        }
    }
}
