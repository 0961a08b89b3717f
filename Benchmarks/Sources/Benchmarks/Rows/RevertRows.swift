import Chronicle
import Foundation

/// Comparing positions of the history, and taking changes back.
enum RevertRows {
    static var all: [Row] {
        [
            Row(name: "net changes of 100,000 changes, against reading them", limit: .ratio(4), runs: 7) { runs in
                try withTemporaryDirectory { directory in
                    let store = try changed(directory, models: 10_000, rounds: 9)
                    let start = DefaultHistoryToken(storeIdentifier: store.storeIdentifier, position: 0)
                    let end = try store.context.currentHistoryToken()
                    return try compare(
                        runs: runs,
                        { _ in
                            try timed {
                                let changes = try store.context.fetchHistory(
                                    HistoryDescriptor<DefaultHistoryTransaction>())
                                precondition(changes.reduce(0) { $0 + $1.changes.count } == 100_000)
                            }
                        },
                        { _ in
                            try timed {
                                let changes = try store.context.changes(between: start, and: end)
                                precondition(changes.count == 10_000, "models are missing")
                            }
                        })
                }
            },
            Row(name: "revert and save 1,000 updates, against the updates", limit: .ratio(10), runs: 11) { runs in
                try reverting(1_000, runs: runs)
            },
            Row(name: "revert and save 10,000 updates, against the updates", limit: .ratio(10), runs: 5) { runs in
                try reverting(10_000, runs: runs)
            },
            Row(name: "revert and save 10,000 deletes, against the inserts", limit: .ratio(10), runs: 5) { runs in
                try restoring(10_000, runs: runs)
            },
        ]
    }

    /// A store with an insert and some updates of each model, and 100 changes in each transaction.
    private static func changed(_ directory: URL, models: Int, rounds: Int) throws -> TripStore {
        let store = try TripStore(directory, .relaxed, preservesValues: true)
        try store.insert(models, perSave: 100)
        let trips = try store.context.fetch(FetchDescriptor<Trip>())
        for round in 0..<rounds {
            for first in stride(from: 0, to: models, by: 100) {
                for trip in trips[first..<min(first + 100, models)] { trip.rating = 1_000 + round }
                try store.context.save()
            }
        }
        return store
    }

    private static func reverting(_ count: Int, runs: Int) throws -> Row.Outcome {
        func store(_ directory: URL) throws -> (TripStore, [Trip]) {
            let store = try TripStore(directory, .relaxed, preservesValues: true)
            try store.insert(count, perSave: count)
            return (store, try store.context.fetch(FetchDescriptor<Trip>()))
        }
        func update(_ store: TripStore, _ trips: [Trip]) throws {
            for trip in trips { trip.rating = 1_000 }
            try store.context.save()
        }
        return try compare(
            runs: runs,
            { directory in
                let (store, trips) = try store(directory)
                return try timed { try update(store, trips) }
            },
            { directory in
                let (store, trips) = try store(directory)
                try update(store, trips)
                let last = try store.lastTransaction()
                return try timed {
                    try store.context.revert(last)
                    try store.context.save()
                }
            })
    }

    private static func restoring(_ count: Int, runs: Int) throws -> Row.Outcome {
        try compare(
            runs: runs,
            { directory in
                let store = try TripStore(directory, .relaxed, preservesValues: true)
                return try timed { try store.insert(count, perSave: count) }
            },
            { directory in
                let store = try TripStore(directory, .relaxed, preservesValues: true)
                try store.insert(count, perSave: count)
                for trip in try store.context.fetch(FetchDescriptor<Trip>()) { store.context.delete(trip) }
                try store.context.save()
                let last = try store.lastTransaction()
                return try timed {
                    try store.context.revert(last)
                    try store.context.save()
                }
            })
    }
}

extension TripStore {
    fileprivate var storeIdentifier: String {
        container.stores.compactMap { $0 as? DefaultStore }.first?.identifier ?? ""
    }

    fileprivate func lastTransaction() throws -> DefaultHistoryTransaction {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.token, order: .reverse)]
        )
        descriptor.fetchLimit = 1
        guard let last = try context.fetchHistoryWithoutChanges(descriptor).first else {
            preconditionFailure("there is no transaction")
        }
        return last
    }
}
