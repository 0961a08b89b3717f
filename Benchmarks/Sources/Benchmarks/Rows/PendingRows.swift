import Chronicle
import Foundation

/// The cost of unsaved changes in a fetch: small for a single one, and proportional to their number for many.
enum PendingRows {
    static var all: [Row] {
        Change.allCases.flatMap { change in
            Query.allCases.map { query in
                Row(name: "pending: \(query.rawValue), \(change.rawValue)", limit: .ratio(1.5), runs: 31) { runs in
                    let store = try PlaceStore(100_000)
                    let (clean, changed) = (ModelContext(store.container), ModelContext(store.container))
                    // Retained, as an app retains the models that it edits.
                    let model = try change.make(changed)
                    return try withExtendedLifetime(model) {
                        try compare(
                            runs: runs, { _ in try timed { try query.run(clean) } },
                            { _ in try timed { try query.run(changed) } })
                    }
                }
            }
        } + [
            many("find or create, 10,000 inserts", .milliseconds(10), insert: 10_000) { context, run in
                // One in two is stored; the others are neither stored nor inserted.
                let code = Place.code(run.isMultiple(of: 2) ? run * 10 : 1_000_000 + run)
                var descriptor = FetchDescriptor<Place>(predicate: #Predicate { $0.code == code })
                descriptor.fetchLimit = 1
                let isStored = try !context.fetch(descriptor).isEmpty
                precondition(isStored == run.isMultiple(of: 2), "the wrong place was found")
            },
            many("find, 10,000 inserts", .milliseconds(10), insert: 10_000) { context, run in
                let code = Place.code(200_000 + run)
                var descriptor = FetchDescriptor<Place>(predicate: #Predicate { $0.code == code })
                descriptor.fetchLimit = 1
                let count = try context.fetch(descriptor).count
                precondition(count == 1, "the inserted place was not found")
            },
            // Foundation evaluates the predicate for each model, in about 1 µs.
            many("count, 10,000 inserts", .milliseconds(15), insert: 10_000) { context, _ in
                try Query.count.run(context)
            },
            // These are also fetched again, because another context may have changed their other attributes.
            many("count, 10,000 edits", .milliseconds(40), edit: 10_000) { context, _ in try Query.count.run(context) },
            many("fetch 100, 10,000 inserts", .milliseconds(20), insert: 10_000) { context, _ in
                try Query.page.run(context)
            },
        ]
    }

    /// - Parameters:
    ///   - inserted: The number of new places in the context; their codes start at 200,000.
    ///   - edited: The number of the 100,000 stored places that the context changed.
    private static func many(
        _ name: String, _ limit: Duration, insert inserted: Int = 0, edit edited: Int = 0,
        _ work: @escaping (ModelContext, _ run: Int) throws -> Void
    ) -> Row {
        Row(name: "pending: \(name)", limit: .time(limit), runs: 31) { runs in
            let context = ModelContext(try PlaceStore(100_000).container)
            for index in 0..<inserted { context.insert(Place(200_000 + index)) }
            var descriptor = FetchDescriptor<Place>(sortBy: [SortDescriptor(\.code)])
            descriptor.fetchLimit = edited
            let places = edited > 0 ? try context.fetch(descriptor) : []
            for place in places { place.visits += 1 }
            try work(context, 0)
            let times = try (1...max(runs, 1)).map { run in try timed { try work(context, run) } }
            return Row.Outcome(median: .time(times.median))
        }
    }

    /// A fetch from 100,000 places. Half of them have 50 visits or more.
    private enum Query: String, CaseIterable {
        case count
        case page = "fetch 100"
        case identifiers

        func run(_ context: ModelContext) throws {
            var descriptor = FetchDescriptor<Place>(predicate: #Predicate { $0.visits >= 50 })
            let count: Int
            switch self {
            case .count: count = try context.fetchCount(descriptor)
            case .page:
                descriptor.sortBy = [SortDescriptor(\.code)]
                descriptor.fetchLimit = 100
                count = try context.fetch(descriptor).count
            case .identifiers: count = try context.fetchIdentifiers(descriptor).count
            }
            precondition(self == .page ? count == 100 : count > 49_000, "not every place was found")
        }
    }

    /// The only unsaved change of a context.
    private enum Change: String, CaseIterable {
        case edit = "one edit"
        case insert = "one insert"
        case delete = "one delete"
        case another = "one edit of another entity"

        func make(_ context: ModelContext) throws -> any PersistentModel {
            var descriptor = FetchDescriptor<Place>()
            descriptor.fetchLimit = 1
            let place = try context.fetch(descriptor)[0]
            switch self {
            case .edit: place.visits += 1
            case .insert:
                let place = Place(200_000)
                context.insert(place)
                return place
            case .delete: context.delete(place)
            case .another:
                let trip = try context.fetch(FetchDescriptor<MarkedTrip>())[0]
                // Not a property of ``PropertyRows``: Swift checks accesses to it everywhere because of this change in place.
                trip.rating += 1
                return trip
            }
            return place
        }
    }
}

/// An in-memory store with the given number of places, and one trip.
private struct PlaceStore {
    let container: ModelContainer

    init(_ count: Int) throws {
        container = try ModelContainer(
            for: Place.self, MarkedTrip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for index in 0..<count { context.insert(Place(index)) }
        context.insert(MarkedTrip(SampleTrip.at(0)))
        try context.save()
    }
}
