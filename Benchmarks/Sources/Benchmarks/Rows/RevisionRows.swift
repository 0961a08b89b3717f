import Chronicle
import Foundation

/// Queries over the past states of models.
enum RevisionRows {
    /// The number of models, each with ten changes.
    private static let models = 100_000

    static var all: [Row] {
        [
            Row(
                name: "revisions of a model among 1,000,000 changes, with the index", limit: .time(.milliseconds(5)),
                runs: 201
            ) { runs in
                try measure(isIndexed: true, runs: runs) { context, trip in
                    let descriptor = RevisionDescriptor<Trip>(of: [trip.persistentModelID])
                    let revisions = try context.fetchRevisions(descriptor)
                    precondition(revisions.count == 10, "revisions are missing")
                }
            },
            Row(
                name: "revisions that meet a condition among 1,000,000 changes", limit: .time(.milliseconds(1_500)),
                runs: 5
            ) { runs in
                try measure(isIndexed: false, runs: runs) { context, _ in
                    let descriptor = RevisionDescriptor<Trip>(predicate: #Predicate { $0.rating == 1_005 })
                    let count = try context.fetchRevisionsCount(descriptor)
                    precondition(count == models, "revisions are missing")
                }
            },
        ]
    }

    /// Measures reads of a store with an insert and nine updates of each model.
    private static func measure(
        isIndexed: Bool, runs: Int, _ read: (ModelContext, Trip) throws -> Void
    ) throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed, preservesValues: true)
            try store.insert(models, perSave: 1_000)
            for round in 1..<10 { try store.context.update(model: Trip.self, set: \.rating, to: 1_000 + round) }
            for case let store as DefaultStore in store.container.stores {
                try store.setHistoryIndexedByModel(isIndexed)
            }
            let context = ModelContext(store.container)
            var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.persistentModelID)])
            descriptor.fetchLimit = 100
            let trips = try context.fetch(descriptor)
            try read(context, trips[0])
            let times = try (0..<max(runs, 1)).map { run in
                try timed { try read(context, trips[run * 37 % trips.count]) }
            }
            return Row.Outcome(median: .time(times.median))
        }
    }
}
