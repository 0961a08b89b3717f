import Chronicle
import Foundation

// Predicates on relationships.
extension StoreRule {
    static var toOnePredicates: StoreRule {
        StoreRule("predicates follow to-one relationships, including nil") { harness in
            try insertLibrary(harness)
            let context = harness.context()
            let (left, card) = (try context.shelf("left").persistentModelID, PersistentIdentifier?.none)
            let shelves: [PersistentIdentifier?] = [left, nil]
            let book = try context.book("Dick").persistentModelID
            try harness.expectAgreement([
                PredicateCase("shelf == nil", #Predicate<Book> { $0.shelf == nil }),
                PredicateCase("shelf != nil", #Predicate<Book> { $0.shelf != nil }),
                PredicateCase("shelf.name == left", #Predicate<Book> { $0.shelf?.name == "left" }),
                PredicateCase("shelf.name != left", #Predicate<Book> { $0.shelf?.name != "left" }),
                PredicateCase("not shelf.name == left", #Predicate<Book> { !($0.shelf?.name == "left") }),
                PredicateCase("shelf.name contains t", #Predicate<Book> { $0.shelf?.name.contains("t") ?? true }),
                PredicateCase("card.number > 1", #Predicate<Book> { ($0.card?.number ?? 0) > 1 }),
                PredicateCase("shelf id ==", #Predicate<Book> { $0.shelf?.persistentModelID == left }),
                PredicateCase("shelf id !=", #Predicate<Book> { $0.shelf?.persistentModelID != left }),
                PredicateCase("card id == nil", #Predicate<Book> { $0.card?.persistentModelID == card }),
                PredicateCase(
                    "shelf id in a list",
                    #Predicate<Book> { shelves.contains($0.shelf.flatMap { $0.persistentModelID }) }),
                PredicateCase("id ==", #Predicate<Book> { $0.persistentModelID == book }),
                PredicateCase("id !=", #Predicate<Book> { $0.persistentModelID != book }),
                PredicateCase("id of another class", #Predicate<Book> { $0.persistentModelID == left }),
            ])
            try harness.expectAgreement([
                PredicateCase("whole.whole.name", #Predicate<Topic> { $0.whole?.whole?.name == "whole" }),
                PredicateCase("whole.whole.name !=", #Predicate<Topic> { $0.whole?.whole?.name != "whole" }),
                PredicateCase("whole.rank == nil", #Predicate<Topic> { $0.whole?.rank == nil }),
                PredicateCase("related.name", #Predicate<Topic> { $0.related?.name == "whole" }),
            ])
        }
    }

    static var toManyPredicates: StoreRule {
        StoreRule("predicates evaluate to-many relationships, including empty ones") { harness in
            try insertLibrary(harness)
            let book = try harness.context().book("Dick").persistentModelID
            try harness.expectAgreement([
                PredicateCase("books.isEmpty", #Predicate<Shelf> { $0.books.isEmpty }),
                PredicateCase("books.count == 2", #Predicate<Shelf> { $0.books.count == 2 }),
                PredicateCase("a book of 600 pages", #Predicate<Shelf> { $0.books.contains { $0.pages > 600 } }),
                PredicateCase("no book of 600 pages", #Predicate<Shelf> { !$0.books.contains { $0.pages > 600 } }),
                PredicateCase("an unrated book", #Predicate<Shelf> { $0.books.contains { $0.rating == nil } }),
                PredicateCase("a book not rated 4.5", #Predicate<Shelf> { $0.books.contains { $0.rating != 4.5 } }),
                PredicateCase("all books rated", #Predicate<Shelf> { $0.books.allSatisfy { $0.rating != nil } }),
                PredicateCase(
                    "one book of 600 pages", #Predicate<Shelf> { $0.books.filter { $0.pages > 600 }.count == 1 }),
                PredicateCase("this book", #Predicate<Shelf> { $0.books.contains { $0.persistentModelID == book } }),
                PredicateCase(
                    "a book named as its shelf",
                    #Predicate<Shelf> { shelf in shelf.books.contains { $0.title == shelf.name } }),
                PredicateCase("a book with a card", #Predicate<Shelf> { $0.books.contains { $0.card != nil } }),
            ])
            try harness.expectAgreement([
                PredicateCase(
                    "shelf with a book", #Predicate<Book> { $0.shelf?.books.contains { $0.pages > 600 } ?? false }),
                PredicateCase("books on the shelf", #Predicate<Book> { ($0.shelf?.books.count ?? 0) > 2 }),
            ])
            try harness.expectAgreement([
                PredicateCase("parts with parts", #Predicate<Topic> { $0.parts.contains { !$0.parts.isEmpty } }),
                PredicateCase("all parts without rank", #Predicate<Topic> { $0.parts.allSatisfy { $0.rank == nil } }),
            ])
        }
    }

    static func insertLibrary(_ harness: StoreHarness<Store>) throws {
        let context = harness.context()
        let (left, right) = (Shelf("left"), Shelf("right"))
        for shelf in [left, right, Shelf("")] { context.insert(shelf) }
        let books = [
            Book("Moby-Dick", pages: 635, rating: 4.5, printed: 7, on: left),
            Book("moby-dick", pages: 63, rating: -0.5, printed: -7), Book("", pages: 0, rating: 0, on: right),
            Book("Ümit", pages: 635, printed: 7, on: left), Book("Dick", pages: -1, rating: 4.5, on: right),
            Book("right", pages: .max, rating: .infinity, printed: 1e9, on: right), Book("Z%_", pages: .min, on: left),
        ]
        for book in books { context.insert(book) }
        for (number, book) in books.prefix(3).enumerated() { context.insert(Card(number, of: book)) }
        let whole = Topic("whole", rank: 1)
        let parts = [Topic("part", in: whole), Topic("other part", rank: 2, in: whole)]
        parts[1].related = whole
        for topic in [whole, Topic("detail", in: parts[0])] + parts { context.insert(topic) }
        try context.save()
    }
}
