import Foundation
import SwiftData

/// What a screen lets its user choose.
public struct BookFilter: Codable, Sendable {
    public struct Range: Codable, Sendable {
        public var lower: Int
        public var upper: Int

        public init(lower: Int, upper: Int) { (self.lower, self.upper) = (lower, upper) }
    }

    public var minimum: Int
    public var range: Range?
    public var state: Book.State?
    public var titles: [String]?
    public var search = ""

    public init(minimum: Int = 0, range: Range? = nil, state: Book.State? = nil, titles: [String]? = nil) {
        self.minimum = minimum
        self.range = range
        self.state = state
        self.titles = titles
    }

    public func descriptor() -> FetchDescriptor<Book> {
        let filter = self
        return FetchDescriptor(
            predicate: #Predicate { book in
                book.pages > filter.minimum && (filter.titles == nil || filter.titles!.contains(book.title))
            }, sortBy: [SortDescriptor(\.title)])
    }

    public func searchDescriptor() -> FetchDescriptor<Book> {
        let filter = self
        return FetchDescriptor(
            predicate: #Predicate { book in
                (filter.state == nil || book.state == filter.state!)
                    && (filter.search.isEmpty || book.title.localizedStandardContains(filter.search))
            }, sortBy: [SortDescriptor(\.title)])
    }
}

extension ModelContext {
    public func books(titled titles: [String]?) throws -> [Book] {
        try fetch(
            FetchDescriptor<Book>(
                predicate: #Predicate { book in titles?.contains(book.title) == true },
                sortBy: [SortDescriptor(\.title)]))
    }

    public func books(notTitled titles: [String]?) throws -> [Book] {
        try fetch(
            FetchDescriptor<Book>(
                predicate: #Predicate { !(titles ?? []).contains($0.title) }, sortBy: [SortDescriptor(\.title)]))
    }

    public func books(atLeast filter: BookFilter) throws -> [Book] {
        try fetch(
            FetchDescriptor<Book>(
                predicate: #Predicate { book in book.pages >= filter.range?.lower ?? 0 },
                sortBy: [SortDescriptor(\.title)]))
    }

    public func books(startingWith prefixes: [String]) throws -> [Book] {
        try fetch(
            FetchDescriptor<Book>(
                predicate: #Predicate { book in prefixes.contains { book.title.starts(with: $0) } },
                sortBy: [SortDescriptor(\.title)]))
    }
}
