import Foundation
import SwiftData

@Model
public final class Book {
    public var title: String
    public var year: Int
    public var price: Decimal
    public var tags: [String]
    public var publisher: Publisher
    public var genreName: String
    public var author: Writer?

    public var genre: Genre {
        get { Genre(rawValue: genreName) ?? .other }
        set { genreName = newValue.rawValue }
    }

    public init(
        title: String, year: Int, price: Decimal, tags: [String] = [], publisher: Publisher, genre: Genre = .other
    ) {
        self.title = title
        self.year = year
        self.price = price
        self.tags = tags
        self.publisher = publisher
        genreName = genre.rawValue
    }

    public enum Genre: String, Codable, CaseIterable, Sendable {
        case novel, poetry, other
    }

    public struct Publisher: Codable, Equatable, Sendable {
        public var name: String
        public var city: String

        public init(name: String, city: String) {
            self.name = name
            self.city = city
        }
    }
}

@Model
public final class Writer {
    public var name: String
    @Relationship(inverse: \Book.author) public var books: [Book] = []

    public init(name: String) { self.name = name }
}
