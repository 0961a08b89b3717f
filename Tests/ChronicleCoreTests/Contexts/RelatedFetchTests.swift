import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Fetches through relationships in a context with unsaved changes, after another writer has changed the related rows. They have the
/// result that they have after a save.
@Suite struct RelatedFetchTests {
    /// Two contexts of one store. The first has read every row.
    private struct Fixture {
        let context: ModelContext
        let other: ModelContext
        let first: Shelf
        let second: Shelf
        let books: [Book]
        let label: Topic

        init(_ kind: StoreKind) throws {
            let store = try TestStore(kind, [Library.self, Shelf.self, Book.self, Topic.self])
            (context, other) = (store.context(), store.context())
            (first, second) = (Shelf("a"), Shelf("m"))
            books = ["1", "2", "3"].map(Book.init)
            label = Topic("old")
            context.insert(first)
            context.insert(second)
            (first.library, second.library) = (Library("x"), Library("y"))
            (first.books, second.books) = ([books[0], books[1]], [books[2]])
            books[0].labels = [label]
            try context.save()
        }

        /// Changes a model in the other context.
        func change<Model: PersistentModel>(_ model: Model, _ body: (Model) throws -> Void) throws {
            try body(elsewhere(model))
            try other.save()
        }

        func elsewhere<Model: PersistentModel>(_ model: Model) throws -> Model {
            try other.existingModel(for: model.persistentModelID, as: Model.self)
        }

        /// Compares all forms of a fetch, and fetches again after a save.
        func expect<Model: PersistentModel>(
            _ predicate: Predicate<Model>?, _ order: [SortDescriptor<Model>], _ expected: [Model],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
            for fetch in 0..<7 {
                let found: [PersistentIdentifier]
                switch fetch {
                case 0:
                    #expect(try context.fetchCount(descriptor) == expected.count, sourceLocation: sourceLocation)
                    continue
                case 1, 6: found = try context.fetch(descriptor).map(\.persistentModelID)
                case 2: found = try context.fetchIdentifiers(descriptor)
                case 3: found = Array(try context.fetch(descriptor, batchSize: 1)).map(\.persistentModelID)
                case 4:
                    let observer = try ResultsObserver<Model, Never>(
                        fetchDescriptor: descriptor, modelContext: context, isolation: nil)
                    found = observer.results.map(\.persistentModelID)
                default:
                    try context.save()
                    found = try ModelContext(context.container).fetch(descriptor).map(\.persistentModelID)
                }
                #expect(
                    found == expected.map(\.persistentModelID), "fetch \(fetch)", sourceLocation: sourceLocation)
            }
        }
    }

    private static let byTitle = [SortDescriptor(\Book.title)]
    private static let byName = [SortDescriptor(\Shelf.name)]

    @Test(arguments: StoreKind.allCases, [true, false])
    func predicatesReadDestinationsAgain(_ kind: StoreKind, _ isNew: Bool) throws {
        let fixture = try Fixture(kind)
        let (first, books) = (fixture.first, fixture.books)
        try fixture.change(first) { $0.name = "new" }
        if isNew {
            let book = Book("4")
            fixture.context.insert(book)
            book.shelf = first
            try fixture.expect(#Predicate { $0.shelf?.name == "new" }, Self.byTitle, [books[0], books[1], book])
        } else {
            books[0].title = "4"
            try fixture.expect(#Predicate { $0.shelf?.name == "new" }, Self.byTitle, [books[1], books[0]])
        }
    }

    /// The order of the rows in the result of the store is the one of the current rows as well.
    @Test(arguments: StoreKind.allCases)
    func sortsReadDestinationsAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let books = fixture.books
        try fixture.change(fixture.first) { $0.name = "z" }
        books[1].title = "0"
        let order = [SortDescriptor(\Book.shelf?.name), SortDescriptor(\Book.title)]
        try fixture.expect(nil, order, [books[2], books[1], books[0]])
        books[2].title = "9"
        try fixture.expect(nil, order, [books[2], books[1], books[0]])
    }

    /// A change of a model on the way makes the context evaluate models without changes.
    @Test(arguments: StoreKind.allCases)
    func everyStepOfAPathIsReadAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let library = try #require(fixture.first.library)
        try fixture.change(library) { $0.name = "new" }
        fixture.first.name = "b"
        try fixture.expect(
            #Predicate { $0.shelf?.library?.name == "new" && $0.shelf?.name == "b" }, Self.byTitle,
            Array(fixture.books[..<2]))
        try fixture.change(fixture.first) { shelf in
            shelf.library = try fixture.elsewhere(fixture.second).library
        }
        fixture.books[0].title = "8"
        try fixture.expect(#Predicate { $0.shelf?.library?.name == "new" }, Self.byTitle, [])
    }

    @Test(arguments: StoreKind.allCases)
    func membersOfListsAreReadAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (first, books) = (fixture.first, fixture.books)
        #expect(first.books.count == 2)
        try fixture.change(books[0]) { $0.title = "new" }
        first.name = "b"
        try fixture.expect(#Predicate { $0.books.contains { $0.title == "new" } }, Self.byName, [first])
        let shelf = Shelf("n")
        fixture.context.insert(shelf)
        shelf.books = [books[0]]
        try fixture.change(books[0]) { $0.title = "newer" }
        try fixture.expect(#Predicate { $0.books.contains { $0.title == "newer" } }, Self.byName, [shelf])
    }

    @Test(arguments: StoreKind.allCases)
    func destinationsOfLinksAreReadAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (label, books) = (fixture.label, fixture.books)
        #expect(books[0].labels.count == 1 && label.books.count == 1)
        try fixture.change(label) { label in
            label.name = "new"
            label.books.append(try fixture.elsewhere(books[2]))
        }
        for book in books { book.title += "0" }
        try fixture.expect(
            #Predicate { $0.labels.contains { $0.name == "new" } }, Self.byTitle, [books[0], books[2]])
        try fixture.change(label) { $0.books = [] }
        for book in books { book.title += "0" }
        try fixture.expect(#Predicate { $0.labels.contains { $0.name == "new" } }, Self.byTitle, [])
    }

    // MARK: Owners

    @Test(arguments: StoreKind.allCases)
    func ownersOfChangedModelsAreThoseOfTheirRows(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (first, second, book) = (fixture.first, fixture.second, fixture.books[0])
        try fixture.change(book) { $0.shelf = try fixture.elsewhere(second) }
        book.title = "new"
        try fixture.expect(#Predicate { $0.books.contains { $0.title == "new" } }, Self.byName, [second])
        try fixture.change(book) { $0.shelf = nil }
        book.title = "newer"
        try fixture.expect(#Predicate { !$0.books.contains { $0.title == "newer" } }, Self.byName, [first, second])
    }

    @Test(arguments: StoreKind.allCases)
    func ownersOfDeletedModelsAreThoseOfTheirRows(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (first, second, book) = (fixture.first, fixture.second, fixture.books[0])
        try fixture.change(book) { $0.shelf = try fixture.elsewhere(second) }
        fixture.context.delete(book)
        try fixture.expect(#Predicate { $0.books.contains { $0.title == "1" } }, Self.byName, [])
        try fixture.change(fixture.books[2]) { $0.shelf = try fixture.elsewhere(first) }
        fixture.context.delete(fixture.books[1])
        try fixture.expect(#Predicate { $0.books.isEmpty }, Self.byName, [second])
    }

    @Test(arguments: StoreKind.allCases)
    func ownersOfOwnersAreThoseOfTheirRows(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let (first, second, books) = (fixture.first, fixture.second, fixture.books)
        let (library, former) = (try #require(second.library), try #require(first.library))
        try fixture.change(first) { $0.library = try fixture.elsewhere(library) }
        books[0].title = "new"
        try fixture.expect(
            #Predicate { $0.shelves.contains { $0.books.contains { $0.title == "new" } } }, [], [library])
        try fixture.change(books[0]) { $0.shelf = nil }
        try fixture.change(books[1]) { $0.shelf = try fixture.elsewhere(second) }
        try fixture.change(first) { $0.library = try fixture.elsewhere(former) }
        fixture.label.name = "new"
        try fixture.expect(
            #Predicate { $0.books.contains { $0.labels.contains { $0.name == "new" } } }, Self.byName, [])
        try fixture.change(books[0]) { $0.shelf = try fixture.elsewhere(second) }
        fixture.label.name = "newer"
        try fixture.expect(
            #Predicate { $0.books.contains { $0.labels.contains { $0.name == "newer" } } }, Self.byName, [second])
    }

    // MARK: Sections

    @Test(arguments: StoreKind.allCases)
    func sectionsHaveTheTitlesOfTheRows(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        let observer = try ResultsObserver<Book, String>(
            sortBy: Self.byTitle, sectionBy: \.shelf?.name, modelContext: fixture.context, isolation: nil)
        #expect(observer.sections?.sectionTitles == ["a", "m"])
        try fixture.change(fixture.first) { $0.name = "z" }
        #expect(observer.sections?.sectionTitles == ["m", "z"])
        #expect(observer.sections?.map(\.count) == [1, 2] && observer.error == nil)
    }

    /// The row of the owner is gone, and no row of a book references it.
    @Test(arguments: StoreKind.allCases) func listOfAMissingOwner(_ kind: StoreKind) throws {
        let fixture = try Fixture(kind)
        #expect(fixture.first.books.count == 2)
        fixture.other.delete(try fixture.elsewhere(fixture.first))
        try fixture.other.save()
        fixture.first.name = "edited"
        let descriptor = FetchDescriptor<Shelf>(predicate: #Predicate { $0.books.contains { $0.title == "1" } })
        #expect(try fixture.context.fetchCount(descriptor) == 0)
        #expect(fixture.first.books.isEmpty)
    }
}

@Model private final class Library {
    var name: String
    @Relationship(inverse: \Shelf.library) var shelves: [Shelf] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Shelf {
    var name: String
    var library: Library?
    @Relationship(inverse: \Book.shelf) var books: [Book] = []
    init(_ name: String) { self.name = name }
}

@Model private final class Book {
    var title: String
    var shelf: Shelf?
    @Relationship(inverse: \Topic.books) var labels: [Topic] = []
    init(_ title: String) { self.title = title }
}

@Model private final class Topic {
    var name: String
    var books: [Book] = []
    init(_ name: String) { self.name = name }
}
