import Chronicle
import Foundation

/// Work that is compared: Chronicle with history, and the C API without.
enum ComparedRows {
    static var all: [Row] {
        [ModelConfiguration.Durability.relaxed, .full].flatMap { durability in
            [
                inserts("insert 10,000, one save", 10_000, perSave: 10_000, limit: 2.4, runs: 15, durability),
                inserts("insert 100 per save", 10_000, perSave: 100, limit: 2.4, runs: 15, durability),
                // With a write-ahead log after a checkpoint, the usual state: SQLite overwrites it instead of extending
                // it. It does so during these saves, too, in both files.
                inserts("insert one per save", 1_000, perSave: 1, limit: 2.4, runs: 45, durability),
                updates(durability),
                deletes(durability),
                batchDeletes(durability),
                batchUpdates(durability),
                batchInserts(durability),
                fetches(durability),
            ]
        } + [searches]
    }

    // MARK: Rows

    private static func inserts(
        _ name: String, _ count: Int, perSave: Int, limit: Double, runs: Int,
        _ durability: ModelConfiguration.Durability
    ) -> Row {
        row(
            name, limit, runs, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                if perSave == 1 { try plain.insert(SampleTrip.all.prefix(count), perSave: 1) }
                return try timed { try plain.insert(SampleTrip.all.prefix(count), perSave: perSave) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                if perSave == 1 { try store.insert(count, perSave: 1) }
                return try timed { try store.insert(count, perSave: perSave) }
            })
    }

    private static func updates(_ durability: ModelConfiguration.Durability) -> Row {
        row(
            "update one attribute of 10,000", 2.4, 15, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                try plain.insert(SampleTrip.all[...], perSave: 10_000)
                return try timed { try plain.updateEach(1...10_000, rating: 17) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                try store.insert(10_000, perSave: 10_000)
                let trips = try store.context.fetch(FetchDescriptor<Trip>())
                return try timed {
                    for trip in trips { trip.rating = 17 }
                    try store.context.save()
                }
            })
    }

    private static func deletes(_ durability: ModelConfiguration.Durability) -> Row {
        row(
            "delete 10,000", 4, 15, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                try plain.insert(SampleTrip.all[...], perSave: 10_000)
                return try timed { try plain.deleteEach(1...10_000) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                try store.insert(10_000, perSave: 10_000)
                let trips = try store.context.fetch(FetchDescriptor<Trip>())
                return try timed {
                    for trip in trips { store.context.delete(trip) }
                    try store.context.save()
                }
            })
    }

    /// With a condition that is true for every row, which neither side can know in advance.
    private static func batchDeletes(_ durability: ModelConfiguration.Durability) -> Row {
        row(
            "batch delete of 10,000", 7, 15, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                try plain.insert(SampleTrip.all[...], perSave: 10_000)
                return try timed { try plain.deleteAll(nightsAtLeast: 0) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                try store.insert(10_000, perSave: 10_000)
                return try timed { try store.context.delete(model: Trip.self, where: #Predicate { $0.nights >= 0 }) }
            })
    }

    /// A calculation with the value before, under a condition that is true for every row.
    private static func batchUpdates(_ durability: ModelConfiguration.Durability) -> Row {
        row(
            "batch update of 10,000", 4, 15, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                try plain.insert(SampleTrip.all[...], perSave: 10_000)
                return try timed { try plain.updateAll(nightsAtLeast: 0, addingToRating: 1) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                try store.insert(10_000, perSave: 10_000)
                return try timed {
                    try store.context.update(
                        model: Trip.self, where: #Predicate { $0.nights >= 0 }, set: \.rating, to: \.rating + 1)
                }
            })
    }

    private static func batchInserts(_ durability: ModelConfiguration.Durability) -> Row {
        row(
            "batch insert of 10,000", 2.4, 15, durability,
            plain: { directory in
                let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
                return try timed { try plain.insert(SampleTrip.all[...], perSave: 10_000) }
            },
            chronicle: { directory in
                let store = try TripStore(directory, durability)
                return try timed {
                    try store.context.insert(model: Trip.self, from: SampleTrip.all.lazy.map { Trip($0) })
                }
            })
    }

    /// Into a new context, reading every attribute once. The two files are created once and read by all runs.
    private static func fetches(_ durability: ModelConfiguration.Durability) -> Row {
        Row(name: name("fetch 100,000", durability), limit: .ratio(2.1), runs: 15) { runs in
            try withTemporaryDirectory { directory in
                let (plain, store) = try filesOf100_000(directory, durability)
                var sums: Set<Int> = []
                let outcome = try compare(
                    runs: runs,
                    { _ in try timed { sums.insert(try plain.sumOfAllRows()) } },
                    { _ in
                        let context = ModelContext(store.container)
                        var trips: [Trip] = []
                        return try timed {
                            trips = try context.fetch(FetchDescriptor<Trip>())
                            sums.insert(trips.reduce(0) { $0 &+ $1.sumOfAttributes })
                        }
                    })
                precondition(sums.count == 1, "the two files do not have the same rows")
                return outcome
            }
        }
    }

    /// A text in names, ignoring case and diacritics, compared with LIKE, which ignores the case of ASCII letters.
    private static var searches: Row {
        Row(name: "search 100,000 names", limit: .ratio(2), runs: 15) { runs in
            try withTemporaryDirectory { directory in
                let (plain, store) = try filesOf100_000(directory, .relaxed)
                let text = "LISBON 77"
                let predicate = #Predicate<Trip> { $0.name.localizedStandardContains(text) }
                var counts: Set<Int> = []
                let outcome = try compare(
                    runs: runs,
                    { _ in try timed { counts.insert(try plain.countOfNames(containing: text)) } },
                    { _ in
                        try timed { counts.insert(try store.context.fetchCount(FetchDescriptor(predicate: predicate))) }
                    })
                precondition(counts.count == 1, "the two files do not have the same rows")
                return outcome
            }
        }
    }

    // MARK: Parts

    private static func filesOf100_000(
        _ directory: URL, _ durability: ModelConfiguration.Durability
    ) throws -> (PlainDatabase, TripStore) {
        let plain = try PlainDatabase(directory.appending(path: "plain"), durability)
        for _ in 0..<10 { try plain.insert(SampleTrip.all[...], perSave: 10_000) }
        let store = try TripStore(directory, durability)
        try store.insert(100_000, perSave: 10_000)
        return (plain, store)
    }

    private static func row(
        _ name: String, _ limit: Double, _ runs: Int, _ durability: ModelConfiguration.Durability,
        plain: @escaping (URL) throws -> Duration, chronicle: @escaping (URL) throws -> Duration
    ) -> Row {
        Row(name: self.name(name, durability), limit: .ratio(limit), runs: runs) { runs in
            try compare(runs: runs, plain, chronicle)
        }
    }

    private static func name(_ name: String, _ durability: ModelConfiguration.Durability) -> String {
        "\(name) (\(durability == .full ? "FULL" : "NORMAL"))"
    }
}

extension Trip {
    /// Reads every attribute, including the bytes of strings, like the baseline.
    var sumOfAttributes: Int {
        name.sumOfBytes &+ destination.sumOfBytes &+ (note?.sumOfBytes ?? 0)
            &+ Int(startDate.timeIntervalSinceReferenceDate) &+ Int(endDate.timeIntervalSinceReferenceDate)
            &+ nights &+ rating &+ (isBooked ? 1 : 0)
    }
}

extension String {
    fileprivate var sumOfBytes: Int { utf8.withContiguousStorageIfAvailable { $0.reduce(0) { $0 &+ Int($1) } } ?? 0 }
}
