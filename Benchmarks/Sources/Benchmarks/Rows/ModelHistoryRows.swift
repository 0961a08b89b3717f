import Chronicle
import Foundation

/// The history of one model among many changes, and the cost of the index that finds it.
enum ModelHistoryRows {
    /// The number of models, each with ten changes.
    private static let models = 10_000

    static var all: [Row] {
        [
            Row(name: "history of a model among 100,000 changes", limit: .time(.milliseconds(20)), runs: 51) {
                try history(isIndexed: false, runs: $0)
            },
            Row(
                name: "history of a model among 100,000 changes, with the index", limit: .time(.microseconds(200)),
                runs: 201
            ) { try history(isIndexed: true, runs: $0) },
            Row(
                name: "blame of a model among 100,000 changes, with the index", limit: .time(.microseconds(200)),
                runs: 201
            ) {
                try blame(runs: $0)
            },
            saving("index by model: insert 10,000", limit: 1.5) { store in
                try timed { try store.insert(10_000, perSave: 10_000) }
            },
            saving("index by model: insert 1,000, one per save", limit: 1.5) { store in
                try timed { try store.insert(1_000, perSave: 1) }
            },
            saving("index by model: update one attribute of 10,000", limit: 1.5) { store in
                try store.insert(10_000, perSave: 10_000)
                let trips = try store.context.fetch(FetchDescriptor<Trip>())
                return try timed {
                    for trip in trips { trip.rating = 17 }
                    try store.context.save()
                }
            },
            Row(name: "index by model: bytes for a change", limit: .bytes(15), runs: 1) { _ in try bytes() },
        ]
    }

    /// Fills a store with an insert and nine updates of each model.
    private static func fill(_ directory: URL, isIndexed: Bool) throws -> TripStore {
        let store = try TripStore(directory, .relaxed)
        try store.setIndexed(isIndexed)
        try store.insert(models, perSave: 1_000)
        let trips = try store.context.fetch(FetchDescriptor<Trip>())
        for round in 1..<10 {
            for start in stride(from: 0, to: models, by: 100) {
                for trip in trips[start..<start + 100] { trip.rating = 1_000 + round }
                try store.context.save()
            }
        }
        return store
    }

    private static func history(isIndexed: Bool, runs: Int) throws -> Row.Outcome {
        try measure(isIndexed: isIndexed, runs: runs) { context, trip in
            let entries = try context.history(of: trip)
            precondition(entries.count == 10, "changes are missing")
        }
    }

    private static func blame(runs: Int) throws -> Row.Outcome {
        try measure(isIndexed: true, runs: runs) { context, trip in
            let blame = try context.blame(trip)
            precondition(blame[\.rating] != nil, "the transaction is missing")
        }
    }

    private static func measure(
        isIndexed: Bool, runs: Int, _ read: (ModelContext, Trip) throws -> Void
    ) throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try fill(directory, isIndexed: isIndexed)
            let context = ModelContext(store.container)
            let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.persistentModelID)]))
            try read(context, trips[0])
            let times = try (0..<max(runs, 1)).map { run in
                try timed { try read(context, trips[run * 37 % trips.count]) }
            }
            return Row.Outcome(median: .time(times.median))
        }
    }

    /// A save with the index, compared with the same save without it.
    private static func saving(_ name: String, limit: Double, _ work: @escaping (TripStore) throws -> Duration) -> Row {
        Row(name: name, limit: .ratio(limit), runs: 11) { runs in
            try compare(
                runs: runs, { try work(TripStore($0, .relaxed)) },
                { directory in
                    let store = try TripStore(directory, .relaxed)
                    try store.setIndexed(true)
                    return try work(store)
                })
        }
    }

    /// The size difference between files with and without the index.
    private static func bytes() throws -> Row.Outcome {
        func size(isIndexed: Bool) throws -> Int {
            try withTemporaryDirectory { directory in
                let url = try fill(directory, isIndexed: isIndexed).url
                // Closing the last connection removes the log.
                return try fileSize(url)
            }
        }
        let difference = try size(isIndexed: true) - size(isIndexed: false)
        return Row.Outcome(median: .bytes(Double(difference) / Double(models * 10)))
    }
}

extension TripStore {
    fileprivate func setIndexed(_ isIndexed: Bool) throws {
        for case let store as DefaultStore in container.stores { try store.setHistoryIndexedByModel(isIndexed) }
    }
}
