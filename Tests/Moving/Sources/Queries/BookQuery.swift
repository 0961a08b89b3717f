import Foundation
import SwiftData

/// The order of a list, which a menu offers.
public enum BookOrder: String, CaseIterable, Identifiable, Sendable {
    case title, newest, price, author, city

    public var id: Self { self }

    public var descriptors: [SortDescriptor<Book>] {
        switch self {
        case .title: [SortDescriptor(\.title)]
        case .newest: [SortDescriptor(\.year, order: .reverse), SortDescriptor(\.title)]
        case .price: [SortDescriptor(\.price), SortDescriptor(\.title)]
        case .author: [SortDescriptor(\.author?.name), SortDescriptor(\.title)]
        case .city: [SortDescriptor(\.publisher.city), SortDescriptor(\.title)]
        }
    }
}

/// What a user searches for.
public struct BookQuery: Sendable {
    public var text = ""
    public var city: String?
    public var tag: String?
    public var genre: Book.Genre?
    public var maximumPrice: Decimal?
    public var order = BookOrder.title

    public init() {}

    public var predicate: Predicate<Book> {
        let text = text
        let city = city ?? ""
        let tag = tag ?? ""
        let genre = genre?.rawValue ?? ""
        let maximum = maximumPrice ?? .greatestFiniteMagnitude
        return #Predicate { book in
            (text.isEmpty || book.title.localizedStandardContains(text))
                && (city.isEmpty || book.publisher.city == city)
                && (tag.isEmpty || book.tags.contains(tag))
                && (genre.isEmpty || book.genreName == genre)
                && book.price <= maximum
        }
    }

    public var descriptor: FetchDescriptor<Book> {
        FetchDescriptor(predicate: predicate, sortBy: order.descriptors)
    }
}

extension FetchDescriptor where T == Book {
    /// The books of a writer.
    public static func books(by writer: Writer) -> FetchDescriptor<Book> {
        let identifier = writer.persistentModelID
        return FetchDescriptor(predicate: #Predicate { $0.author?.persistentModelID == identifier })
    }
}
