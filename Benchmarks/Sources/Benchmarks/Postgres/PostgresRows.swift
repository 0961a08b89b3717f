import Chronicle
import Foundation

/// Work on PostgreSQL that is compared: Chronicle, and libpq without history.
enum PostgresRows {
    static var all: [Row] {
        saves + [fetches] + PostgresHistoryRows.all + PostgresWriterRows.all + PostgresTimeTravelRows.all
            + PostgresStandbyRows.all
    }

    /// Saves with history, and without it for reference.
    private static var saves: [Row] {
        [true, false].flatMap { recordsHistory in
            let suffix = recordsHistory ? "(PostgreSQL)" : "without history (PostgreSQL)"
            return [
                row("insert 10,000, one save \(suffix)", recordsHistory ? 3 : 2, 15, recordsHistory) {
                    // Statements of 1,000 rows; one can have at most 65,535 values.
                    try $0.insert(SampleTrip.all[...], perStatement: 1_000)
                } chronicle: { context in
                    for sample in SampleTrip.all { context.insert(Trip(sample)) }
                    try context.save()
                },
                row("insert one per save \(suffix)", recordsHistory ? 1.8 : 1.45, 15, recordsHistory) {
                    try $0.insertEach(SampleTrip.all.prefix(200))
                } chronicle: { context in
                    for sample in SampleTrip.all.prefix(200) {
                        context.insert(Trip(sample))
                        try context.save()
                    }
                },
            ]
        }
    }

    /// A row whose runs use the same two tables.
    private static func row(
        _ name: String, _ limit: Double, _ runs: Int, _ recordsHistory: Bool,
        _ work: @escaping (PlainPostgres) throws -> Void, chronicle: @escaping (ModelContext) throws -> Void
    ) -> Row {
        Row(name: name, limit: .ratio(limit), runs: runs) { runs in
            let (plain, container) = try PostgresServer.stores(recordsHistory: recordsHistory)
            return try compare(
                runs: runs, { _ in try timed { try work(plain) } },
                { _ in
                    let context = ModelContext(container)
                    context.author = "benchmark"
                    return try timed { try chronicle(context) }
                })
        }
    }

    /// Into a new context, reading every attribute once.
    private static var fetches: Row {
        Row(name: "fetch 100,000 (PostgreSQL)", limit: .ratio(2.5), runs: 9) { runs in
            let (plain, container) = try PostgresServer.stores()
            for _ in 0..<10 {
                try plain.insert(SampleTrip.all[...], perStatement: 1_000)
                let context = ModelContext(container)
                for sample in SampleTrip.all { context.insert(Trip(sample)) }
                try context.save()
            }
            var sums: Set<Int> = []
            let outcome = try compare(
                runs: runs,
                { _ in try timed { sums.insert(try plain.sumOfAllRows()) } },
                { _ in
                    let context = ModelContext(container)
                    var trips: [Trip] = []
                    return try timed {
                        trips = try context.fetch(FetchDescriptor<Trip>())
                        sums.insert(trips.reduce(0) { $0 &+ $1.sumOfAttributes })
                    }
                })
            precondition(sums.count == 1, "the two tables do not have the same rows")
            return outcome
        }
    }
}
