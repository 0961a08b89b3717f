import Chronicle
import Foundation

/// The absolute cost of reading and deleting history, for which the C API has no equivalent.
enum HistoryRows {
    static var all: [Row] {
        let million = LongHistory(changes: 1_000_000)
        return [
            Row(name: "100,000 changes, typed", limit: .rate(1_500_000), runs: 9) { try typedChanges(runs: $0) },
            Row(name: "100,000 changes, typed, against a scan of the rows", limit: .ratio(2.5), runs: 25) {
                try scannedChanges(runs: $0)
            },
            Row(name: "current token", limit: .time(.microseconds(20)), runs: 201) { runs in
                let context = try million.context()
                return try median(runs) { _ = try context.currentHistoryToken() }
            },
            Row(name: "100 changes after a token, behind a million", limit: .time(.microseconds(150)), runs: 201) {
                try newest(million, runs: $0)
            },
            Row(name: "the same against behind 10,000", limit: .ratio(1.5), runs: 201) { runs in
                // Interleaved, so that other load affects both alike.
                let (short, long) = (LongHistory(changes: 10_000), million)
                let (few, many) = (try short.newest(), try long.newest())
                return try compare(runs: runs, { _ in try timed(few) }, { _ in try timed(many) })
            },
            Row(name: "count the transactions of a million changes", limit: .time(.microseconds(500)), runs: 201) {
                runs in
                let context = try million.context()
                return try median(runs) {
                    let count = try context.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>())
                    precondition(count == 1_001, "transactions are missing")
                }
            },
            Row(
                name: "find an author of a million changes who never saved", limit: .time(.microseconds(500)), runs: 201
            ) {
                try absentAuthor(million, runs: $0)
            },
            Row(
                name: "find the last transaction of an author of a million changes", limit: .time(.milliseconds(5)),
                runs: 51
            ) {
                try lastTransaction(million, runs: $0)
            },
            Row(name: "delete a prefix of 50,000 changes", limit: .time(.milliseconds(15)), runs: 7) {
                try deletedPrefix(runs: $0)
            },
            Row(name: "bytes of history for a change", limit: .bytes(25), runs: 1) { _ in try bytes() },
            Row(name: "memory of reading a million in pages", limit: .bytes(32 * 1_048_576), runs: 1) { _ in
                try million.memory()
            },
            Row(name: "memory of a fetched model", limit: .bytes(1_024), runs: 1) { _ in try modelMemory() },
            Row(name: "memory of a batch delete of 100,000", limit: .bytes(16 * 1_048_576), runs: 1) { _ in
                try deleteMemory()
            },
        ]
    }

    private static func median(_ runs: Int, _ work: () throws -> Void) throws -> Row.Outcome {
        try work()
        let times = try (0..<max(runs, 1)).map { _ in try timed(work) }
        return Row.Outcome(median: .time(times.median))
    }

    private static func newest(_ history: LongHistory, runs: Int) throws -> Row.Outcome {
        try median(runs, try history.newest())
    }

    private static func absentAuthor(_ history: LongHistory, runs: Int) throws -> Row.Outcome {
        let (context, author) = (try history.context(), "nobody")
        return try median(runs) {
            let found = try context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == author }))
            precondition(found.isEmpty, "there are transactions of another author")
        }
    }

    private static func lastTransaction(_ history: LongHistory, runs: Int) throws -> Row.Outcome {
        let (context, author) = (try history.context(), "benchmark")
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.author == author }, sortBy: [SortDescriptor(\.token, order: .reverse)])
        descriptor.fetchLimit = 1
        return try median(runs) {
            let found = try context.fetchHistory(descriptor)
            precondition(found.count == 1, "the transaction is missing")
        }
    }

    /// Two fifths inserts, two fifths updates, one fifth deletes that preserve three values each; 100 changes per
    /// transaction.
    private static func typedChanges(runs: Int) throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try mixedChanges(directory)
            let context = ModelContext(store.container)
            let outcome = try median(runs) { try readAll(context) }
            guard case .time(let time) = outcome.median else { return outcome }
            return Row.Outcome(median: .rate(100_000 / time.seconds))
        }
    }

    /// Compared with reading every value of the same rows through the C API.
    private static func scannedChanges(runs: Int) throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try mixedChanges(directory)
            let plain = try PlainDatabase(store.url, .relaxed)
            let context = ModelContext(store.container)
            var sums: Set<Int> = []
            return try compare(
                runs: runs, { _ in try timed { sums.insert(try plain.sumOfAllChanges()) } },
                { _ in try timed { try readAll(context) } })
        }
    }

    private static func readAll(_ context: ModelContext) throws {
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        precondition(transactions.reduce(0) { $0 + $1.tripChanges } == 100_000, "not every change is there")
    }

    private static func mixedChanges(_ directory: URL) throws -> TripStore {
        let store = try TripStore(directory, .relaxed)
        try writeMixedChanges(store.context)
        return store
    }

    /// Makes the changes: two fifths inserts, two fifths updates, one fifth deletes that preserve three values each; 100
    /// in the three transactions of each round.
    static func writeMixedChanges(_ context: ModelContext) throws {
        for first in stride(from: 0, to: 40_000, by: 40) {
            let trips = (first..<first + 40).map { Trip(SampleTrip.at($0)) }
            trips.forEach(context.insert)
            try context.save()
            for trip in trips { trip.rating += 1 }
            trips.prefix(20).forEach(context.delete)
            try context.save()
            // 20 of the updates are replaced by deletes; the others follow here.
            for trip in trips.suffix(20) { trip.nights += 1 }
            try context.save()
        }
    }

    private static func deletedPrefix(runs: Int) throws -> Row.Outcome {
        let times = try (0..<max(runs, 1)).map { _ in
            try withTemporaryDirectory { directory in
                let store = try TripStore(directory, .relaxed)
                try store.insert(50_000, perSave: 100)
                let token = try store.context.currentHistoryToken()
                try store.insert(1_000, perSave: 100)
                return try timed { try store.context.deleteHistory(.before(token)) }
            }
        }
        return Row.Outcome(median: .time(times.median))
    }

    /// The memory growth of a process that fetches 100,000 models and keeps them.
    private static func modelMemory() throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed)
            try store.insert(100_000, perSave: 10_000)
            let (count, bytes) = try MemoryRows.measure(.fetchAll, store.url)
            return Row.Outcome(median: .bytes(Double(bytes) / Double(count)))
        }
    }

    /// The memory growth of a process that deletes 100,000 models without fetching them.
    private static func deleteMemory() throws -> Row.Outcome {
        try withTemporaryDirectory { directory in
            let store = try TripStore(directory, .relaxed)
            try store.insert(100_000, perSave: 10_000)
            let (count, bytes) = try MemoryRows.measure(.deleteAll, store.url)
            precondition(count == 100_000, "not every model is gone")
            return Row.Outcome(median: .bytes(Double(bytes)))
        }
    }

    /// The size difference between files with and without history, for 100,000 inserts, 100 per save.
    private static func bytes() throws -> Row.Outcome {
        func size(recordsHistory: Bool) throws -> Int {
            try withTemporaryDirectory { directory in
                let url: URL
                do {
                    let store = try TripStore(directory, .relaxed, recordsHistory: recordsHistory)
                    try store.insert(100_000, perSave: 100)
                    url = store.url
                }
                // Closing the last connection removes the log.
                return try fileSize(url)
            }
        }
        let difference = try size(recordsHistory: true) - size(recordsHistory: false)
        return Row.Outcome(median: .bytes(Double(difference) / 100_000))
    }
}

extension DefaultHistoryTransaction {
    /// Returns the number of changes of trips, selected by their types.
    var tripChanges: Int {
        changes.reduce(0) { count, change in
            switch change {
            case .insert(_ as DefaultHistoryInsert<Trip>), .update(_ as DefaultHistoryUpdate<Trip>),
                .delete(_ as DefaultHistoryDelete<Trip>):
                count + 1
            default: count
            }
        }
    }
}
