import Chronicle
import Foundation

extension StoreRule {
    /// What is asked for is found. The judge is Foundation: `Predicate.evaluate` and `sort(using:)`.
    public static var queries: [StoreRule] { [predicates, sorts, pages, counts, deletedRows] }

    static var predicates: StoreRule {
        StoreRule("a predicate finds what it says") { bench in
            try fill(bench)
            let shelf = try bench.context().shelf("left").persistentModelID
            for (index, predicate) in bookPredicates(shelf).enumerated() {
                try expectAgreement(predicate, "predicate \(index) on books", bench)
            }
            for (index, predicate) in shelfPredicates().enumerated() {
                try expectAgreement(predicate, "predicate \(index) on shelves", bench)
            }
        }
    }

    static var sorts: StoreRule {
        StoreRule("a sort is that of Foundation") { bench in
            try fill(bench)
            for order in [SortOrder.forward, .reverse] {
                let sorts: [[SortDescriptor<Book>]] = [
                    [SortDescriptor(\.title, order: order)],
                    [SortDescriptor(\.pages, order: order), SortDescriptor(\.title)],
                    [SortDescriptor(\.rating, order: order), SortDescriptor(\.title, order: .reverse)],
                    [SortDescriptor(\.printed, order: order), SortDescriptor(\.pages), SortDescriptor(\.title)],
                ]
                for sort in sorts {
                    var expected = try bench.context().books()
                    expected.sort(using: sort)
                    let found = try bench.context().fetch(FetchDescriptor(sortBy: sort))
                    try expect(found.map(\.title), is: expected.map(\.title), "the books by \(sort)")
                }
            }
        }
    }

    static var pages: StoreRule {
        StoreRule("limits and offsets cut pages that fit together") { bench in
            try fill(bench)
            let orders: [[SortDescriptor<Book>]] = [[], [SortDescriptor(\.title)]]
            for sortBy in orders {
                var descriptor = FetchDescriptor<Book>(sortBy: sortBy)
                let all = try bench.context().fetch(descriptor).map(\.title)
                var paged: [String] = []
                descriptor.fetchLimit = 3
                for offset in stride(from: 0, to: all.count + 3, by: 3) {
                    descriptor.fetchOffset = offset
                    paged += try bench.context().fetch(descriptor).map(\.title)
                }
                try expect(paged, is: all, "the pages of the books")
            }
        }
    }

    static var counts: StoreRule {
        StoreRule("counts and identifiers are those of a fetch") { bench in
            try fill(bench)
            let predicates: [Predicate<Book>?] = [nil, #Predicate { $0.pages > 100 }, #Predicate { $0.title == "?" }]
            let orders: [[SortDescriptor<Book>]] = [[], [SortDescriptor(\.title)]]
            for (predicate, sortBy) in predicates.flatMap({ predicate in orders.map { (predicate, $0) } }) {
                var descriptor = FetchDescriptor<Book>(predicate: predicate, sortBy: sortBy)
                for limit in [nil, 0, 2] {
                    descriptor.fetchLimit = limit
                    let found = try bench.context().fetch(descriptor).map(\.persistentModelID)
                    try expect(bench.context().fetchCount(descriptor), is: found.count, "the count")
                    try expect(bench.context().fetchIdentifiers(descriptor), is: found, "the identifiers")
                }
            }
        }
    }

    static var deletedRows: StoreRule {
        StoreRule("deleted models are gone", needs: .deletes) { bench in
            let context = bench.context()
            let books = try context.add("a", "b", "c")
            let identifier = books[1].persistentModelID
            context.delete(books[1])
            try context.save()
            try expect(bench.context().books().map(\.title), is: ["a", "c"], "the books that are left")
            try expect(.modelNotFound, of: "the model of a deleted row") { try bench.context().model(for: identifier) }
        }
    }

    // MARK: Samples

    private static func fill(_ bench: StoreBench<Store>) throws {
        let context = bench.context()
        let (left, right) = (Shelf("left"), Shelf("right"))
        for shelf in [left, right, Shelf("")] { context.insert(shelf) }
        let books = [
            Book("Moby-Dick", pages: 635, rating: 4.5, printed: 7, on: left),
            Book("moby-dick", pages: 63, rating: -0.5, printed: -7), Book("", pages: 0, rating: 0, on: right),
            Book("Ümit", pages: 635, printed: 7, on: left), Book("Dick", pages: -1, rating: 4.5, on: right),
            Book("a\0b", pages: .max, rating: .infinity, printed: 1e9), Book("Z%_", pages: .min, on: left),
        ]
        for book in books { context.insert(book) }
        try context.save()
    }

    private static func bookPredicates(_ shelf: PersistentIdentifier) -> [Predicate<Book>] {
        let (titles, none, four) = (["Dick", "Z%_"], Double?.none, Double?(4.5))
        let day = Date(timeIntervalSinceReferenceDate: 7)
        return [
            #Predicate { $0.title == "Moby-Dick" }, #Predicate { $0.title != "Moby-Dick" },
            #Predicate { $0.title.contains("Dick") }, #Predicate { $0.title.starts(with: "Z%") },
            #Predicate { $0.title.isEmpty }, #Predicate { titles.contains($0.title) },
            #Predicate { $0.pages > 63 }, #Predicate { $0.pages >= 63 && $0.pages < 635 },
            #Predicate { $0.rating == none }, #Predicate { $0.rating != none }, #Predicate { $0.rating == four },
            #Predicate { $0.rating != four }, #Predicate { ($0.rating ?? 1) < 1 }, #Predicate { $0.printed <= day },
            #Predicate { !($0.pages > 0 || $0.title == "Dick") }, #Predicate { $0.shelf == nil },
            #Predicate { $0.shelf?.name == "left" }, #Predicate { $0.shelf?.name != "left" },
            #Predicate { $0.shelf?.persistentModelID == shelf }, #Predicate { $0.persistentModelID == shelf },
        ]
    }

    private static func shelfPredicates() -> [Predicate<Shelf>] {
        [
            #Predicate { $0.books.isEmpty }, #Predicate { $0.books.contains { $0.pages > 600 } },
            #Predicate { $0.books.allSatisfy { $0.rating != nil } }, #Predicate { $0.books.count == 2 },
        ]
    }

    private static func expectAgreement<Model: PersistentModel>(
        _ predicate: Predicate<Model>, _ name: String, _ bench: StoreBench<Store>
    ) throws {
        let context = bench.context()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.persistentModelID)
        let expected = try context.fetch(FetchDescriptor<Model>()).filter { try predicate.evaluate($0) }
            .map(\.persistentModelID)
        try expect(Set(found), is: Set(expected), "what \(name) finds")
    }
}
