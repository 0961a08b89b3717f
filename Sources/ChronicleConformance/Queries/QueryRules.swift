import Chronicle
import Foundation

extension StoreRule {
    /// Rules about fetches, which apply the predicate, then the sort descriptors as `sort(using:)` does, then offset and
    /// limit. Counts and identifiers agree with a fetch.
    public static var queries: [StoreRule] {
        [stableOrder, sorts, compoundSorts, pages, slices, counts, lookups, deletedModels, unsavedChanges]
    }

    static var stableOrder: StoreRule {
        StoreRule("the order without sort descriptors is stable") { harness in
            for title in ["d", "b", "a", "c"] { try harness.context().add(title, title + title) }
            let first = try harness.context().books().map(\.title)
            try expect(first.count, is: 8, "the number of books")
            for _ in 0..<8 { try expect(harness.context().books().map(\.title), is: first, "the books") }
            try harness.context().add("e")
            let next = try harness.context().books().map(\.title).filter { $0 != "e" }
            try expect(next, is: first, "the earlier books after another save")
        }
    }

    static var sorts: StoreRule {
        StoreRule("sorting by any comparable type agrees with Foundation, in both orders") { harness in
            try insertSearchSpecimens(harness)
            let all = try harness.context().fetch(FetchDescriptor<Specimen>())
            for order in [SortOrder.forward, .reverse] {
                let sorts: [SortDescriptor<Specimen>] = [
                    SortDescriptor(\.string, order: order), SortDescriptor(\.uuid, order: order),
                    SortDescriptor(\.int, order: order), SortDescriptor(\.int8, order: order),
                    SortDescriptor(\.int32, order: order), SortDescriptor(\.uint64, order: order),
                    SortDescriptor(\.double, order: order), SortDescriptor(\.float, order: order),
                    SortDescriptor(\.date, order: order), SortDescriptor(\.optionalInt, order: order),
                    SortDescriptor(\.optionalString, order: order), SortDescriptor(\.optionalDate, order: order),
                ]
                // Unique UUIDs make the order unambiguous.
                for sort in sorts { try expectOrder([sort, SortDescriptor(\.uuid)], of: all, harness) }
            }
        }
    }

    static var compoundSorts: StoreRule {
        StoreRule("equal values, including nil, are sorted by the next sort descriptor") {
            harness in
            try insertLibrary(harness)
            let all = try harness.context().books()
            for order in [SortOrder.forward, .reverse] {
                let sorts: [[SortDescriptor<Book>]] = [
                    [SortDescriptor(\.rating, order: order), SortDescriptor(\.title, order: .reverse)],
                    [SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.title, order: order)],
                    [SortDescriptor(\.pages), SortDescriptor(\.rating, order: order), SortDescriptor(\.title)],
                    [SortDescriptor(\.printed, order: order), SortDescriptor(\.pages), SortDescriptor(\.title)],
                ]
                for sort in sorts { try expectOrder(sort, of: all, harness) }
            }
        }
    }

    static var pages: StoreRule {
        StoreRule("consecutive pages contain every model once") { harness in
            try insertLibrary(harness)
            let orders: [[SortDescriptor<Book>]] = [[], [SortDescriptor(\.title)]]
            for sortBy in orders {
                var descriptor = FetchDescriptor<Book>(sortBy: sortBy)
                let all = try harness.context().fetch(descriptor).map(\.title)
                var paged: [String] = []
                descriptor.fetchLimit = 3
                for offset in stride(from: 0, to: all.count + 3, by: 3) {
                    descriptor.fetchOffset = offset
                    paged += try harness.context().fetch(descriptor).map(\.title)
                }
                try expect(paged, is: all, "the pages of the books")
            }
        }
    }

    static var slices: StoreRule {
        StoreRule("limit and offset apply after the predicate and the sort descriptors") { harness in
            try insertLibrary(harness)
            try forEachQuery { descriptor, all in
                let whole = try harness.context().fetch(all).map(\.title)
                let (offset, limit) = (descriptor.fetchOffset ?? 0, descriptor.fetchLimit ?? .max)
                let found = try harness.context().fetch(descriptor).map(\.title)
                try expect(
                    found, is: Array(whole.dropFirst(offset).prefix(limit)),
                    "the books from \(offset), at most \(limit), of \(whole)")
            }
        }
    }

    static var counts: StoreRule {
        StoreRule("counts and identifiers agree with a fetch") { harness in
            try insertLibrary(harness)
            try forEachQuery { descriptor, _ in
                let found = try harness.context().fetch(descriptor).map(\.persistentModelID)
                try expect(harness.context().fetchCount(descriptor), is: found.count, "the count")
                try expect(harness.context().fetchIdentifiers(descriptor), is: found, "the identifiers")
            }
        }
    }

    static var lookups: StoreRule {
        StoreRule("a lookup returns all rows with its identifiers or references") { harness in
            let context = harness.context()
            let shelves = [Shelf("left"), Shelf("right"), Shelf("top")]
            for (number, shelf) in shelves.enumerated() { try context.add("a\(number)", "b\(number)", on: shelf) }
            let identifiers = shelves.map(\.persistentModelID)
            try expect(titles([identifiers[1]], harness), is: ["a1", "b1"], "the books on one shelf")
            try expect(titles([], harness), is: [], "the books on no shelf")
            try expect(
                titles([identifiers[0], identifiers[2]], harness), is: ["a0", "a2", "b0", "b2"],
                "the books on two shelves")
            let books = try harness.context().books().filter { $0.title != "a1" }
            let found = try rows(
                .identifiers(Set(books.map(\.persistentModelID) + identifiers)), of: Book.self, harness)
            try expect(
                Set(found.map(\.persistentIdentifier)), is: Set(books.map(\.persistentModelID)),
                "the books by their identifiers")
        }
    }

    static var deletedModels: StoreRule {
        StoreRule("deleted models are not fetched", needs: .deletes) { harness in
            let context = harness.context()
            let books = try context.add("a", "b", "c")
            let identifier = books[1].persistentModelID
            context.delete(books[1])
            try context.save()
            try expect(harness.context().books().map(\.title), is: ["a", "c"], "the remaining books")
            try expect(.modelNotFound, of: "the model of a deleted row") {
                try harness.context().existingModel(for: identifier)
            }
        }
    }

    static var unsavedChanges: StoreRule {
        StoreRule("fetches include unsaved changes as if they were saved", needs: [.updates, .deletes]) {
            harness in
            try insertLibrary(harness)
            let context = harness.context()
            let books = try context.books()
            books[0].title = "Ahab"
            books[3].rating = -1
            context.delete(books[4])
            context.delete(books[6])
            context.insert(Book("Queequeg", pages: 3, rating: 4.5))
            context.insert(Book("Ishmael", pages: -3))
            var found: [[String]] = []
            try forEachQuery { descriptor, _ in
                let titles = try context.fetch(descriptor).map(\.title)
                try expect(context.fetchCount(descriptor), is: titles.count, "the count")
                try expect(context.fetchIdentifiers(descriptor).count, is: titles.count, "the number of identifiers")
                found.append(titles)
            }
            try context.save()
            var expected: [[String]] = []
            try forEachQuery { descriptor, _ in
                expected.append(try harness.context().fetch(descriptor).map(\.title))
            }
            for (found, expected) in zip(found, expected) {
                try expect(found, is: expected, "the books before the save")
            }
        }
    }

    // MARK: Lookups

    private static func titles(
        _ shelves: Set<PersistentIdentifier>, _ harness: StoreHarness<Store>
    ) throws -> [String] {
        let book = try require(harness.store.schema.entitiesByName["Book"], "the entity Book")
        let shelf = try require(book.property(named: "shelf"), "the property Book.shelf")
        let title = try require(book.property(named: "title"), "the property Book.title")
        return try rows(.references(shelf, to: shelves), of: Book.self, harness).map { row in
            if case .text(let text) = try row.row(in: harness.store.schema)[title.slot] { text } else { "" }
        }.sorted()
    }

    private static func rows<Model: PersistentModel>(
        _ lookup: DataStoreLookup, of type: Model.Type, _ harness: StoreHarness<Store>
    ) throws -> [Store.Snapshot] {
        let request = DataStoreFetchRequest<Model>(
            descriptor: FetchDescriptor(), editingState: EditingState(id: UUID()), lookup: lookup)
        return try harness.store.fetch(request).fetchedSnapshots.filter { snapshot in
            let row = try snapshot.row(in: harness.store.schema)
            return lookup.matches(
                DefaultSnapshot(persistentIdentifier: snapshot.persistentIdentifier, row: row, changed: PropertySet()))
        }
    }

    // MARK: Queries

    /// Expects that the store sorts as Foundation does.
    private static func expectOrder<Model: PersistentModel>(
        _ sort: [SortDescriptor<Model>], of all: [Model], _ harness: StoreHarness<Store>
    ) throws {
        let expected = all.sorted(using: sort).map(\.persistentModelID)
        let found = try harness.context().fetch(FetchDescriptor(sortBy: sort)).map(\.persistentModelID)
        let text = sort.map { ($0.order == .forward ? "" : "reverse ") + Model.name(of: $0.keyPath) }
        try expect(found, is: expected, "the order of \(Model.entityName) by \(text.joined(separator: ", "))")
    }

    /// Every combination of predicates, sort descriptors, limits, and offsets, and the same query without limit and offset.
    private static func forEachQuery(
        _ body: (_ descriptor: FetchDescriptor<Book>, _ all: FetchDescriptor<Book>) throws -> Void
    ) throws {
        let predicates: [Predicate<Book>?] = [
            nil, #Predicate { $0.pages > 0 }, #Predicate { $0.shelf?.name == "left" }, #Predicate { $0.title == "?" },
        ]
        let orders: [[SortDescriptor<Book>]] = [
            [], [SortDescriptor(\.title)], [SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.title)],
        ]
        for (predicate, sortBy) in predicates.flatMap({ predicate in orders.map { (predicate, $0) } }) {
            for (limit, offset) in [(nil, nil), (0, nil), (2, nil), (2, 1), (nil, 2), (9, 9)] as [(Int?, Int?)] {
                let all = FetchDescriptor(predicate: predicate, sortBy: sortBy)
                var descriptor = all
                (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
                try body(descriptor, all)
            }
        }
    }
}
