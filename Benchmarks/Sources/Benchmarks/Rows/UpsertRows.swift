import Chronicle
import Foundation

/// Inserts of models with unique values, compared with `INSERT … ON CONFLICT DO UPDATE` through the C API.
enum UpsertRows {
    static var all: [Row] {
        [
            row("upsert 10,000, half of them on existing rows", existing: { $0.isMultiple(of: 2) }),
            // The conflict is found after all new rows were written.
            row("upsert 10,000, the last half on existing rows", existing: { $0 >= 5_000 }),
            row("insert 10,000 with unique values", limit: 2.4, existing: { _ in false }),
        ]
    }

    private static func row(_ name: String, limit: Double = 4, existing: @escaping (Int) -> Bool) -> Row {
        let indices = SampleTrip.all.indices.filter(existing)
        return Row(name: name, limit: .ratio(limit), runs: 15) { runs in
            try compare(
                runs: runs,
                { directory in
                    let plain = try PlainDatabase(directory.appending(path: "plain"), .relaxed)
                    try plain.execute("CREATE UNIQUE INDEX name ON trip(name)")
                    try plain.upsert(indices.map { SampleTrip.all[$0] }[...], rating: 17)
                    return try timed { try plain.upsert(SampleTrip.all[...], rating: nil) }
                },
                { directory in
                    let container = try ModelContainer(
                        for: NamedTrip.self,
                        configurations: ModelConfiguration(
                            url: directory.appending(path: "Trips.store"), durability: .relaxed))
                    let first = ModelContext(container)
                    for index in indices {
                        let trip = NamedTrip(SampleTrip.all[index])
                        trip.rating = 17
                        first.insert(trip)
                    }
                    try first.save()
                    let context = ModelContext(container)
                    return try timed {
                        for sample in SampleTrip.all { context.insert(NamedTrip(sample)) }
                        try context.save()
                    }
                })
        }
    }
}
