import Chronicle

extension StoreRule {
    /// Models lead to each other.
    public static var relationships: [StoreRule] { [bothSides, moving, cascading, nullifying] }

    static var bothSides: StoreRule {
        StoreRule("both sides of a relationship agree") { bench in
            let context = bench.context()
            let (left, right) = (Shelf("left"), Shelf("right"))
            for shelf in [left, right] { context.insert(shelf) }
            for (index, title) in ["a", "b", "c", "d"].enumerated() {
                context.insert(Book(title, on: index < 3 ? left : right))
            }
            context.insert(Book("loose"))
            try context.save()
            try expectTitles(["a", "b", "c"], on: "left", bench)
            try expectTitles(["d"], on: "right", bench)
            try expect(bench.context().book("b").shelf?.name, is: "left", "the shelf of b")
            try expect(bench.context().book("loose").shelf == nil, "no shelf of a book that has none")
        }
    }

    static var moving: StoreRule {
        StoreRule("a model moves to another owner", needs: .updates) { bench in
            let context = bench.context()
            let (left, right) = (Shelf("left"), Shelf("right"))
            context.insert(right)
            let books = try context.add("a", "b", on: left)
            books[0].shelf = right
            try context.save()
            try expectTitles(["b"], on: "left", bench)
            try expectTitles(["a"], on: "right", bench)
        }
    }

    static var cascading: StoreRule {
        StoreRule("cascading deletes take the destinations along, and no others", needs: .deletes) { bench in
            try bench.context().add("a", "b", on: Shelf("left"))
            try bench.context().add("c", on: Shelf("right"))
            let context = bench.context()
            context.delete(try context.shelf("left"))
            try context.save()
            try expect(bench.context().books().map(\.title), is: ["c"], "the books that are left")
        }
    }

    static var nullifying: StoreRule {
        StoreRule("nullified references lead nowhere", needs: [.updates, .deletes]) { bench in
            let context = bench.context()
            let book = try context.add("a")[0]
            book.card = Card(7, of: book)
            try context.save()
            let other = bench.context()
            other.delete(try other.book("a"))
            try other.save()
            let card = try bench.context().fetch(FetchDescriptor<Card>()).first
            try expect(card?.number, is: 7, "the card that is left")
            try expect(rawReference(of: "book", bench), is: .null, "the stored reference of the card")
        }
    }

    /// What the store has for a reference, whether or not it leads somewhere.
    private static func rawReference(of name: String, _ bench: StoreBench<Store>) throws -> PropertyValue {
        let store = try bench.store
        let context = bench.context()
        let request = DataStoreFetchRequest<Card>(
            descriptor: FetchDescriptor(),
            editingState: EditingState(id: ObjectIdentifier(context), author: nil, contextName: nil))
        let slot = store.schema.entitiesByName["Card"]?.property(named: name)?.slot
        let row = try store.fetch(request).fetchedSnapshots.first
        return try require(slot.flatMap { row?.values[$0] }, "the row of a card")
    }

    private static func expectTitles(_ titles: [String], on shelf: String, _ bench: StoreBench<Store>) throws {
        let found = try bench.context().shelf(shelf).books.map(\.title).sorted()
        try expect(found, is: titles, "the books on the shelf \(shelf)")
    }
}
