import Chronicle
import Foundation

/// The content of each save depends only on its number, so the expected state follows from the number of the last save,
/// which the store contains.
struct NumberedSaves {
    let features: StoreFeatures

    private static var booksPerShelf: Int { 3 }

    static func last(in context: ModelContext) throws -> Int {
        try context.fetch(FetchDescriptor<Shelf>()).compactMap { Int($0.name) }.max() ?? 0
    }

    /// Inserts a shelf with books, updates the books of the previous shelf, and deletes an older shelf with its books, as
    /// far as the store supports these changes.
    func save(_ number: Int, _ context: ModelContext) throws {
        let shelf = Shelf("\(number)")
        context.insert(shelf)
        for index in 0..<Self.booksPerShelf { context.insert(Book(title(number, index), on: shelf)) }
        if features.contains(.updates) {
            for book in try self.shelf(number - 1, context)?.books ?? [] { book.pages = number }
        }
        if deletes, let old = try self.shelf(number - 3, context) { context.delete(old) }
        try context.save()
    }

    private func shelf(_ number: Int, _ context: ModelContext) throws -> Shelf? {
        let name = "\(number)"
        return try context.fetch(FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name })).first
    }

    /// Some titles are long, so that a save consists of several writes and can be killed between them.
    private func title(_ number: Int, _ index: Int) -> String {
        let length = (number + index).isMultiple(of: 4) ? 20_000 : 10
        return "\(number).\(index) " + String(repeating: "x", count: length)
    }

    /// Deletes are performed only if the history contains them; otherwise it could not be compared with the models.
    private var deletes: Bool { features.contains([.deletes, .deleteHistory]) }

    // MARK: Expected state

    /// One line for each shelf.
    func state(after number: Int) -> [String] {
        let first = deletes ? max(number - 2, 1) : 1
        guard first <= number else { return [] }
        return (first...number).map { shelf in
            let pages = features.contains(.updates) && shelf < number ? shelf + 1 : 1
            return Self.line(shelf, (0..<Self.booksPerShelf).map { (title(shelf, $0), pages) })
        }
    }

    /// One line for each shelf.
    static func state(in context: ModelContext) throws -> [String] {
        let shelves = try context.fetch(FetchDescriptor<Shelf>()).compactMap { shelf in
            Int(shelf.name).map { ($0, shelf) }
        }
        return shelves.sorted { $0.0 < $1.0 }.map { number, shelf in
            line(number, shelf.books.map { ($0.title, $0.pages) }.sorted { $0 < $1 })
        }
    }

    private static func line(_ shelf: Int, _ books: [(title: String, pages: Int)]) -> String {
        let books = books.map { "\($0.title.prefix { $0 != " " }) of \($0.title.utf8.count) bytes, \($0.pages) pages" }
        return "shelf \(shelf): " + books.joined(separator: "; ")
    }

    /// Inserts, updates, and deletes.
    func changes(of number: Int) -> [Int] {
        let updates = features.contains([.updates, .updateHistory]) && number > 1 ? Self.booksPerShelf : 0
        return [Self.booksPerShelf + 1, updates, deletes && number > 3 ? Self.booksPerShelf + 1 : 0]
    }
}
