import Chronicle
import Foundation

// Predicates that go along relationships.
extension StoreRule {
    static var toOnePredicates: StoreRule {
        StoreRule("predicates go along a to-one relationship, also where it leads nowhere") { bench in
            try insertLibrary(bench)
            let context = bench.context()
            let (left, card) = (try context.shelf("left").persistentModelID, PersistentIdentifier?.none)
            let shelves: [PersistentIdentifier?] = [left, nil]
            let book = try context.book("Dick").persistentModelID
            try bench.expectAgreement([
                Question("shelf == nil", #Predicate<Book> { $0.shelf == nil }),
                Question("shelf != nil", #Predicate<Book> { $0.shelf != nil }),
                Question("shelf.name == left", #Predicate<Book> { $0.shelf?.name == "left" }),
                Question("shelf.name != left", #Predicate<Book> { $0.shelf?.name != "left" }),
                Question("not shelf.name == left", #Predicate<Book> { !($0.shelf?.name == "left") }),
                Question("shelf.name contains t", #Predicate<Book> { $0.shelf?.name.contains("t") ?? true }),
                Question("card.number > 1", #Predicate<Book> { ($0.card?.number ?? 0) > 1 }),
                Question("shelf id ==", #Predicate<Book> { $0.shelf?.persistentModelID == left }),
                Question("shelf id !=", #Predicate<Book> { $0.shelf?.persistentModelID != left }),
                Question("card id == nil", #Predicate<Book> { $0.card?.persistentModelID == card }),
                Question(
                    "shelf id in a list",
                    #Predicate<Book> { shelves.contains($0.shelf.flatMap { $0.persistentModelID }) }),
                Question("id ==", #Predicate<Book> { $0.persistentModelID == book }),
                Question("id !=", #Predicate<Book> { $0.persistentModelID != book }),
                Question("id of another class", #Predicate<Book> { $0.persistentModelID == left }),
            ])
            try bench.expectAgreement([
                Question("whole.whole.name", #Predicate<Topic> { $0.whole?.whole?.name == "whole" }),
                Question("whole.whole.name !=", #Predicate<Topic> { $0.whole?.whole?.name != "whole" }),
                Question("whole.rank == nil", #Predicate<Topic> { $0.whole?.rank == nil }),
                Question("related.name", #Predicate<Topic> { $0.related?.name == "whole" }),
            ])
        }
    }

    static var toManyPredicates: StoreRule {
        StoreRule("predicates look into a to-many relationship, also into an empty one") { bench in
            try insertLibrary(bench)
            let book = try bench.context().book("Dick").persistentModelID
            try bench.expectAgreement([
                Question("books.isEmpty", #Predicate<Shelf> { $0.books.isEmpty }),
                Question("books.count == 2", #Predicate<Shelf> { $0.books.count == 2 }),
                Question("a book of 600 pages", #Predicate<Shelf> { $0.books.contains { $0.pages > 600 } }),
                Question("no book of 600 pages", #Predicate<Shelf> { !$0.books.contains { $0.pages > 600 } }),
                Question("an unrated book", #Predicate<Shelf> { $0.books.contains { $0.rating == nil } }),
                Question("a book not rated 4.5", #Predicate<Shelf> { $0.books.contains { $0.rating != 4.5 } }),
                Question("all books rated", #Predicate<Shelf> { $0.books.allSatisfy { $0.rating != nil } }),
                Question("one book of 600 pages", #Predicate<Shelf> { $0.books.filter { $0.pages > 600 }.count == 1 }),
                Question("this book", #Predicate<Shelf> { $0.books.contains { $0.persistentModelID == book } }),
                Question(
                    "a book named as its shelf",
                    #Predicate<Shelf> { shelf in shelf.books.contains { $0.title == shelf.name } }),
                Question("a book with a card", #Predicate<Shelf> { $0.books.contains { $0.card != nil } }),
            ])
            try bench.expectAgreement([
                Question(
                    "shelf with a book", #Predicate<Book> { $0.shelf?.books.contains { $0.pages > 600 } ?? false }),
                Question("books on the shelf", #Predicate<Book> { ($0.shelf?.books.count ?? 0) > 2 }),
            ])
            try bench.expectAgreement([
                Question("parts with parts", #Predicate<Topic> { $0.parts.contains { !$0.parts.isEmpty } }),
                Question("all parts without rank", #Predicate<Topic> { $0.parts.allSatisfy { $0.rank == nil } }),
            ])
        }
    }

    /// Books on shelves and on none, with cards and without, and topics in topics.
    static func insertLibrary(_ bench: StoreBench<Store>) throws {
        let context = bench.context()
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
