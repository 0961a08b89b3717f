import Chronicle
import Foundation

/// The cost of reading the history with consumers, and of acknowledging.
enum ConsumerRows {
    static var all: [Row] {
        [
            Row(name: "drain a million changes with a consumer", limit: .rate(1_500_000), runs: 5) { runs in
                try withMillion { store in
                    let times = try (0..<max(runs, 1)).map { try drain(store, "drain \($0)") }
                    return Row.Outcome(median: .rate(1_000_000 / times.median.seconds))
                }
            },
            Row(name: "memory of draining a million with a consumer", limit: .bytes(32 * 1_048_576), runs: 1) { _ in
                try withMillion { store in
                    let (count, bytes) = try MemoryRows.measure(.drainConsumer, store.url)
                    precondition(count == 1_000_000, "not every change was read")
                    return Row.Outcome(median: .bytes(Double(bytes)))
                }
            },
            Row(name: "memory of a transaction of a million in a consumer", limit: .bytes(32 * 1_048_576), runs: 1) {
                _ in
                try withTransactionOfAMillion { store, _ in
                    let (count, bytes) = try MemoryRows.measure(.drainConsumer, store.url)
                    precondition(count == 2_000_000, "not every change was read")
                    return Row.Outcome(median: .bytes(Double(bytes)))
                }
            },
            // Each delete has three preserved values.
            Row(name: "drain a batch delete of a million with a consumer", limit: .rate(400_000), runs: 5) { runs in
                try withTransactionOfAMillion { store, token in
                    let consumer = try store.container.historyConsumer(named: "drain", startingNewAt: .now)
                    let times = try (0..<max(runs, 1)).map { _ in
                        try consumer.seek(to: .token(token))
                        return try timed {
                            let changes = try count(consumer)
                            precondition(changes == 1_000_000, "not every change was read")
                        }
                    }
                    return Row.Outcome(median: .rate(1_000_000 / times.median.seconds))
                }
            },
            Row(name: "acknowledge in a save of 100 inserts", limit: .ratio(1.1), runs: 51) {
                try acknowledgements(runs: $0, perSave: 100, .relaxed)
            },
            Row(name: "acknowledge in a save of one insert", limit: .ratio(1.4), runs: 51) {
                try acknowledgements(runs: $0, perSave: 1, .relaxed)
            },
            Row(name: "acknowledge in a save of one insert, on disk", limit: .ratio(1.1), runs: 51) {
                try acknowledgements(runs: $0, perSave: 1, .full)
            },
        ]
    }

    private static func withMillion(_ body: (TripStore) throws -> Row.Outcome) throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed)
            try store.insert(1_000_000, perSave: 1_000)
            return try body(store)
        }
    }

    /// A million inserts in saves of 1,000, and after the token, one transaction that deletes all models.
    private static func withTransactionOfAMillion(
        _ body: (TripStore, DefaultHistoryToken) throws -> Row.Outcome
    ) throws -> Row.Outcome {
        try withMillion { store in
            let token = try store.context.currentHistoryToken()
            try store.context.delete(model: Trip.self)
            return try body(store, token)
        }
    }

    private static func drain(_ store: TripStore, _ name: String) throws -> Duration {
        let consumer = try store.container.historyConsumer(named: name, startingNewAt: .beginning)
        return try timed {
            let changes = try count(consumer)
            precondition(changes == 1_000_000, "not every change was read")
        }
    }

    /// Acknowledges all batches of 1,000 changes, and returns the number of changes.
    static func count(_ consumer: HistoryConsumer<DefaultHistoryTransaction>) throws -> Int {
        var changes = 0
        while let batch = try consumer.nextBatch() {
            switch batch.content {
            case .changes(let transactions): changes += transactions.reduce(0) { $0 + $1.tripChanges }
            case .largeTransaction:
                var reader = batch.changeReader()
                while let page = try reader.nextChanges() { changes += page.count }
            case .reset, .snapshot: break
            }
            try consumer.acknowledge(batch)
        }
        return changes
    }

    /// The time of a save with an acknowledgement, compared with one without.
    private static func acknowledgements(
        runs: Int, perSave: Int, _ durability: ModelConfiguration.Durability
    ) throws -> Row.Outcome {
        let saves = 50
        func run(_ directory: URL, isAcknowledging: Bool) throws -> Duration {
            let store = try TripStore(directory, durability)
            // Transactions to consume, of another author than the work.
            store.context.author = "writer"
            try store.insert(saves, perSave: 1)
            store.context.author = "benchmark"
            let filter = HistoryFilter(authors: .only(["writer"]))
            let consumer = try store.container.historyConsumer(named: "work", filter: filter, startingNewAt: .beginning)
            var sum = Duration.zero
            for save in 0..<saves {
                guard let batch = try consumer.nextBatch(limit: 1) else { preconditionFailure("a batch is missing") }
                for index in 0..<perSave { store.context.insert(Trip(SampleTrip.at(saves + save * perSave + index))) }
                if isAcknowledging {
                    sum += try timed { try store.context.save(acknowledging: batch) }
                } else {
                    sum += try timed { try store.context.save() }
                    try consumer.acknowledge(batch)
                }
            }
            return sum / saves
        }
        return try compare(
            runs: runs, { try run($0, isAcknowledging: false) }, { try run($0, isAcknowledging: true) })
    }
}
