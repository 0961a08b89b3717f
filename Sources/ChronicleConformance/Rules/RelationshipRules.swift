import Chronicle

extension StoreRule {
    /// Rules about relationships: both sides agree, to-many lists have the same members however they were assigned, models
    /// may reference their own type and themselves, and delete rules apply to every affected model.
    public static var relationships: [StoreRule] {
        [bothSides, listAssignments, oneToOne, itself, moving, cascading, cascadingThroughLevels, nullifying]
    }

    static var bothSides: StoreRule {
        StoreRule("both sides of a relationship agree") { harness in
            let context = harness.context()
            let (left, right) = (Shelf("left"), Shelf("right"))
            for shelf in [left, right] { context.insert(shelf) }
            for (index, title) in ["a", "b", "c", "d"].enumerated() {
                context.insert(Book(title, on: index < 3 ? left : right))
            }
            context.insert(Book("loose"))
            try context.save()
            try expectTitles(["a", "b", "c"], on: "left", harness)
            try expectTitles(["d"], on: "right", harness)
            try expect(harness.context().book("b").shelf?.name, is: "left", "the shelf of b")
            try expect(harness.context().book("loose").shelf == nil, "a book without a shelf")
        }
    }

    static var listAssignments: StoreRule {
        StoreRule("a to-many list has its members regardless of how they were assigned", needs: .updates) { harness in
            let context = harness.context()
            let shelf = Shelf("left")
            context.insert(shelf)
            let books = try context.add("a", "b", "c", "d", "e")
            shelf.books = [books[2], books[0], books[1]]
            try context.save()
            try expectTitles(["a", "b", "c"], on: "left", harness)
            books[3].shelf = shelf
            shelf.books.append(books[4])
            try context.save()
            try expectTitles(["a", "b", "c", "d", "e"], on: "left", harness)
            shelf.books = [books[4], books[2], books[3]]
            try context.save()
            try expectTitles(["c", "d", "e"], on: "left", harness)
        }
    }

    static var oneToOne: StoreRule {
        StoreRule("a one-to-one relationship stays one-to-one after a reassignment", needs: .updates) { harness in
            let context = harness.context()
            let books = try context.add("a", "b", "c")
            let (first, second) = (Card(1, of: books[0]), Card(2, of: books[1]))
            for card in [first, second] { context.insert(card) }
            try context.save()
            try expectCards(["a": 1, "b": 2, "c": nil], harness)
            // Reassigned from the side of the card, then from the side of the book.
            first.book = books[2]
            try context.save()
            try expectCards(["a": nil, "b": 2, "c": 1], harness)
            books[2].card = second
            try context.save()
            try expectCards(["a": nil, "b": nil, "c": 2], harness)
            try expect(
                harness.context().fetch(FetchDescriptor<Card>()).filter { $0.book == nil }.map(\.number), is: [1],
                "the cards without a book")
        }
    }

    static var itself: StoreRule {
        StoreRule("a model may reference its own type and itself") { harness in
            let context = harness.context()
            let (whole, part) = (Topic("whole"), Topic("part"))
            // The part is inserted before the topics that it references.
            for topic in [part, Topic("detail", in: part), whole] { context.insert(topic) }
            part.whole = whole
            whole.related = whole
            part.related = try require(part.parts.first, "the part of a new topic")
            try context.save()
            let reader = harness.context()
            let found = try reader.topic("whole")
            try expect(found.related?.name, is: "whole", "the topic that is related to itself")
            try expect(found.parts.map(\.name), is: ["part"], "the parts of the whole")
            try expect(found.parts.first?.parts.map(\.name), is: ["detail"], "the parts of the part")
            try expect(reader.topic("detail").whole?.whole?.name, is: "whole", "the whole of the whole of the detail")
            try expect(reader.topic("part").related?.name, is: "detail", "the topic that the part is related to")
        }
    }

    static var moving: StoreRule {
        StoreRule("a model can be moved to another owner", needs: .updates) { harness in
            let context = harness.context()
            let (left, right) = (Shelf("left"), Shelf("right"))
            context.insert(right)
            let books = try context.add("a", "b", on: left)
            books[0].shelf = right
            try context.save()
            try expectTitles(["b"], on: "left", harness)
            try expectTitles(["a"], on: "right", harness)
        }
    }

    static var cascading: StoreRule {
        StoreRule("cascading deletes delete the destinations and no other models", needs: .deletes) { harness in
            try harness.context().add("a", "b", on: Shelf("left"))
            try harness.context().add("c", on: Shelf("right"))
            let context = harness.context()
            context.delete(try context.shelf("left"))
            try context.save()
            try expect(harness.context().books().map(\.title), is: ["c"], "the remaining books")
        }
    }

    static var cascadingThroughLevels: StoreRule {
        StoreRule("cascading deletes continue through all levels", needs: .deletes) { harness in
            let context = harness.context()
            let (top, other) = (Topic("top"), Topic("other"))
            let parts = ["b", "c"].map { Topic($0, in: top) }
            let details = ["d", "e"].map { Topic($0, in: parts[0]) }
            for topic in [top, other, Topic("f", in: other)] + parts + details { context.insert(topic) }
            try context.save()
            // This context has fetched none of the parts.
            let deleting = harness.context()
            deleting.delete(try deleting.topic("top"))
            try deleting.save()
            let left = try harness.context().fetch(FetchDescriptor<Topic>()).map(\.name)
            try expect(left.sorted(), is: ["f", "other"], "the remaining topics")
        }
    }

    static var nullifying: StoreRule {
        StoreRule("nullified references are stored as nil", needs: [.updates, .deletes]) { harness in
            let context = harness.context()
            let book = try context.add("a")[0]
            book.card = Card(7, of: book)
            try context.save()
            let other = harness.context()
            other.delete(try other.book("a"))
            try other.save()
            let card = try harness.context().fetch(FetchDescriptor<Card>()).first
            try expect(card?.number, is: 7, "the remaining card")
            try expect(harness.reference("book", of: Card.self), is: .null, "the stored reference of the card")
        }
    }

    private static func expectCards(_ expected: [String: Int?], _ harness: StoreHarness<Store>) throws {
        for (title, number) in expected {
            let card = try harness.context().book(title).card
            try expect(card?.number, is: number, "the card of book \(title)")
            if let card { try expect(card.book?.title, is: title, "the book of card \(card.number)") }
        }
    }

    private static func expectTitles(_ titles: [String], on shelf: String, _ harness: StoreHarness<Store>) throws {
        let found = try harness.context().shelf(shelf).books.map(\.title).sorted()
        try expect(found, is: titles, "the books on the shelf \(shelf)")
    }
}
