import Chronicle
import Foundation

final class Shelf: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book]

    static let properties: PropertyMap<Shelf> = ["name": \.name, "books": \.books]
    let persistentBackingData: any BackingData<Shelf>
    init(backingData: any BackingData<Shelf>) { persistentBackingData = backingData }

    init(_ name: String) {
        persistentBackingData = Shelf.createBackingData()
        self.name = name
    }
}

final class Book: PersistentModel {
    @Attribute(.preserveValueOnDeletion) var title: String
    @Attribute var pages: Int
    @Attribute(.preserveValueOnDeletion) var rating: Double?
    @Attribute(.preserveValueOnDeletion) var printed: Date
    @Relationship var shelf: Shelf?
    /// The card is kept when the book is deleted.
    @Relationship(deleteRule: .nullify, inverse: \Card.book) var card: Card?

    static let properties: PropertyMap<Book> = [
        "title": \.title, "pages": \.pages, "rating": \.rating, "printed": \.printed, "shelf": \.shelf, "card": \.card,
    ]
    let persistentBackingData: any BackingData<Book>
    init(backingData: any BackingData<Book>) { persistentBackingData = backingData }

    init(_ title: String, pages: Int = 1, rating: Double? = nil, printed: Double = 0, on shelf: Shelf? = nil) {
        persistentBackingData = Book.createBackingData()
        self.title = title
        self.pages = pages
        self.rating = rating
        self.printed = Date(timeIntervalSinceReferenceDate: printed)
        self.shelf = shelf
    }
}

final class Card: PersistentModel {
    @Attribute var number: Int
    @Relationship var book: Book?

    static let properties: PropertyMap<Card> = ["number": \.number, "book": \.book]
    let persistentBackingData: any BackingData<Card>
    init(backingData: any BackingData<Card>) { persistentBackingData = backingData }

    init(_ number: Int, of book: Book? = nil) {
        persistentBackingData = Card.createBackingData()
        self.number = number
        self.book = book
    }
}

/// The required reference prevents the book from being deleted.
final class Loan: PersistentModel {
    @Attribute var reader: String
    @Relationship var book: Book

    static let properties: PropertyMap<Loan> = ["reader": \.reader, "book": \.book]
    let persistentBackingData: any BackingData<Loan>
    init(backingData: any BackingData<Loan>) { persistentBackingData = backingData }

    init(_ reader: String, _ book: Book) {
        persistentBackingData = Loan.createBackingData()
        self.reader = reader
        self.book = book
    }
}

/// The number is unique in the book.
final class Chapter: PersistentModel {
    @Attribute var number: Int
    @Attribute var title: String
    @Relationship var book: Book?

    static let properties: PropertyMap<Chapter> = ["number": \.number, "title": \.title, "book": \.book]
    static let uniqueness: Uniqueness<Chapter> = [[\.book, \.number]]
    let persistentBackingData: any BackingData<Chapter>
    init(backingData: any BackingData<Chapter>) { persistentBackingData = backingData }

    init(_ number: Int, _ title: String, in book: Book) {
        persistentBackingData = Chapter.createBackingData()
        self.number = number
        self.title = title
        self.book = book
    }
}

final class Stamp: PersistentModel {
    @Attribute(.unique) var code: String
    @Attribute(.unique) var note: String?

    static let properties: PropertyMap<Stamp> = ["code": \.code, "note": \.note]
    let persistentBackingData: any BackingData<Stamp>
    init(backingData: any BackingData<Stamp>) { persistentBackingData = backingData }

    init(_ code: String) {
        persistentBackingData = Stamp.createBackingData()
        self.code = code
    }
}

extension ModelContext {
    /// Saves all books together.
    @discardableResult
    func add(_ titles: String..., on shelf: Shelf? = nil) throws -> [Book] {
        let books = titles.map { Book($0, on: shelf) }
        for book in books { insert(book) }
        try save()
        return books
    }

    func books() throws -> [Book] { try fetch(FetchDescriptor<Book>()) }

    func book(_ title: String) throws -> Book {
        let found = try fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == title }))
        return try require(
            found.count == 1 ? found.first : nil, "one book with the title \(title), found \(found.count)")
    }

    func shelf(_ name: String) throws -> Shelf {
        let found = try fetch(FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name }))
        return try require(
            found.count == 1 ? found.first : nil, "one shelf with the name \(name), found \(found.count)")
    }
}
