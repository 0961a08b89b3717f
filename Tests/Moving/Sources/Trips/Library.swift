import Foundation
import SwiftData

@Model
class Author: Identifiable {
    @Attribute(.unique) var id = UUID()
    private(set) var createdAt: Date = Date()
    var firstName: String
    var lastName: String
    var pseudonym: Optional<String>
    var books: [Book] = []

    var fullName: String {
        get { firstName + " " + lastName }
        set { firstName = newValue }
    }

    @Transient var initials: String { "\(firstName.prefix(1))\(lastName.prefix(1))" }
    @Transient var cache: [String: Int] = [:]
    @Transient lazy var words = fullName.split(separator: " ")

    init(firstName: String, lastName: String) {
        self.firstName = firstName
        self.lastName = lastName
    }

    convenience init(name: String) {
        let parts = name.split(separator: " ").map(String.init)
        self.init(firstName: parts[0], lastName: parts.count > 1 ? parts[1] : "")
    }
}

extension Author: Comparable {
    static func < (lhs: Author, rhs: Author) -> Bool { lhs.lastName < rhs.lastName }

    static var sorted: FetchDescriptor<Author> {
        FetchDescriptor(
            predicate: #Predicate { !$0.lastName.isEmpty },
            sortBy: [SortDescriptor(\.lastName), SortDescriptor(\.firstName, order: .reverse)])
    }

    static func search(_ text: String) -> Predicate<Author> {
        #Predicate<Author> { author in
            text.isEmpty || author.firstName.localizedStandardContains(text)
                || author.pseudonym?.localizedStandardContains(text) == true
        }
    }
}

enum Medium: Codable, Equatable { case paper, audio(minutes: Int), ebook(String) }

enum Rating: Int, Codable, CaseIterable { case bad, good }

struct Dimension: Codable, Hashable { var width = 0.0, height = 0.0 }

@Model
final class Book {
    var title: String = ""
    var medium: Medium = Medium.paper
    var rating: Rating?
    var size: Dimension
    var price: Decimal = 9.99
    var words: [String: Int] = [:]
    var weight: Measurement<UnitMass> = Measurement(value: 1, unit: .kilograms)
    var loan: ClosedRange<Date>?
    var link: URL?
    var shelf: Int16 = 3
    var author: Author?
    @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter]? = []

    static let written = #Predicate<Book> { $0.chapters?.isEmpty == false }

    init(title: String, size: Dimension = .init()) {
        self.title = title
        self.size = size
    }
}

@Model
final class Chapter {
    var order: Int
    var text: String { didSet { isEdited = true } }
    var isEdited = false
    var book: Book?
    @Relationship(deleteRule: .cascade) var sections: [Chapter] = []
    @Relationship(inverse: \Chapter.sections) var parent: Chapter?

    init(order: Int, text: String = "", parent: Chapter? = nil) {
        (self.order, self.text) = (order, text)
        self.parent = parent
    }
}

@MainActor
public enum Library {
    static let container: ModelContainer = {
        do {
            return try ModelContainer(
                for: Author.self, configurations: ModelConfiguration(for: Author.self, isStoredInMemoryOnly: true))
        } catch {
            fatalError("\(error)")
        }
    }()

    /// Fills the library and returns a description of its content.
    public static func inventory() throws -> [String] {
        let context = container.mainContext
        let author = Author(name: "Jane Doe")
        let book = Book(title: "Walk")
        author.books.append(book)
        book.medium = .audio(minutes: 3)
        book.rating = .good
        let chapter = Chapter(order: 1)
        book.chapters?.append(chapter)
        context.insert(author)
        let section = Chapter(order: 2, text: "a", parent: chapter)
        context.insert(section)
        try context.transaction { section.text = "b" }

        let other = ModelContext(container)
        let id = author.id
        let found = try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.id == id }))
        let books = try found.flatMap(\.books).filter(Book.written.evaluate)
        return [
            "\(try other.fetch(Author.sorted).map(\.initials))",
            "\(try other.fetchCount(.init(predicate: Author.search("an"))))",
            "\(books.map(\.title)) \(books.map(\.medium)) \(books.compactMap(\.rating)) \(books.map(\.weight))",
            "\(books.flatMap { $0.chapters ?? [] }.flatMap(\.sections).map { "\($0.text) \($0.isEdited)" })",
        ]
    }
}
