import Foundation
import Queries
import SwiftData
import Testing

/// Predicates and orders that a user composes.
@Suite struct QueryTests {
    private let context: ModelContext

    init() throws {
        let container = try ModelContainer(
            for: Book.self, Writer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        context = ModelContext(container)
        let dante = Writer(name: "Dante")
        let inferno = Book(
            title: "Inferno", year: 1314, price: 12.5, tags: ["classic", "poem"],
            publisher: .init(name: "Mondadori", city: "Milan"), genre: .poetry)
        inferno.author = dante
        context.insert(inferno)
        let elena = Writer(name: "Elena")
        let friend = Book(
            title: "My Friend", year: 2011, price: 9, tags: ["modern"], publisher: .init(name: "e/o", city: "Rome"),
            genre: .novel)
        friend.author = elena
        context.insert(friend)
        context.insert(
            Book(title: "Atlas", year: 1999, price: 100, publisher: .init(name: "Mondadori", city: "Milan")))
        try context.save()
    }

    private func titles(_ change: (inout BookQuery) -> Void) throws -> [String] {
        var query = BookQuery()
        change(&query)
        return try context.fetch(query.descriptor).map(\.title)
    }

    @Test func orders() throws {
        let orders = try Dictionary(
            uniqueKeysWithValues: BookOrder.allCases.map { order in (order, try titles { $0.order = order }) })
        #expect(
            orders == [
                .title: ["Atlas", "Inferno", "My Friend"], .newest: ["My Friend", "Atlas", "Inferno"],
                .price: ["My Friend", "Inferno", "Atlas"], .author: ["Atlas", "Inferno", "My Friend"],
                .city: ["Atlas", "Inferno", "My Friend"],
            ])
    }

    @Test func filters() throws {
        #expect(try titles { $0.text = "FERNO" } == ["Inferno"])
        #expect(try titles { $0.city = "Milan" } == ["Atlas", "Inferno"])
        #expect(try titles { $0.tag = "modern" } == ["My Friend"])
        #expect(try titles { $0.genre = .poetry } == ["Inferno"])
        #expect(try titles { $0.maximumPrice = 12.5 } == ["Inferno", "My Friend"])
        #expect(try titles { ($0.city, $0.maximumPrice) = ("Milan", 50) } == ["Inferno"])
        let dante = try #require(
            try context.fetch(FetchDescriptor<Writer>(predicate: #Predicate { $0.name == "Dante" })).first)
        #expect(try context.fetch(.books(by: dante)).map(\.title) == ["Inferno"])
    }
}
