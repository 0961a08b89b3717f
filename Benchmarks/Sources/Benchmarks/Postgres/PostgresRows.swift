import Chronicle
import ChroniclePostgres
import Foundation

/// Work on PostgreSQL that is compared: Chronicle, and libpq without history. The server is a temporary one that waits
/// for the disk at each commit.
enum PostgresRows {
    static var all: [Row] {
        [
            row("insert 10,000, one save (PostgreSQL)", 3, 15) { plain, context in
                // Statements of 1,000 rows; one can have at most 65,535 values.
                (
                    { try plain.insert(SampleTrip.all[...], perStatement: 1_000) },
                    {
                        for sample in SampleTrip.all { context.insert(Trip(sample)) }
                        try context.save()
                    }
                )
            },
            row("insert one per save (PostgreSQL)", 1.3, 15) { plain, context in
                (
                    { try plain.insertEach(SampleTrip.all.prefix(200)) },
                    {
                        for sample in SampleTrip.all.prefix(200) {
                            context.insert(Trip(sample))
                            try context.save()
                        }
                    }
                )
            },
            fetches,
        ]
    }

    private static let cluster = Result { try PostgresCluster(["fsync": "on", "shared_buffers": "256MB"]) }

    /// A row whose runs use the same two tables.
    private static func row(
        _ name: String, _ limit: Double, _ runs: Int,
        _ work: @escaping (PlainPostgres, ModelContext) -> (plain: () throws -> Void, chronicle: () throws -> Void)
    ) -> Row {
        Row(name: name, limit: .ratio(limit), runs: runs) { runs in
            let (plain, container) = try stores()
            return try compare(
                runs: runs,
                { _ in
                    let work = work(plain, ModelContext(container))
                    return try timed { try work.plain() }
                },
                { _ in
                    let context = ModelContext(container)
                    context.author = "benchmark"
                    let work = work(plain, context)
                    return try timed { try work.chronicle() }
                })
        }
    }

    /// Into a new context, reading every attribute once.
    private static var fetches: Row {
        Row(name: "fetch 100,000 (PostgreSQL)", limit: .ratio(2.5), runs: 9) { runs in
            let (plain, container) = try stores()
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

    private static func stores() throws -> (PlainPostgres, ModelContainer) {
        let cluster = try cluster.get()
        let schema = try cluster.makeSchema()
        let container = try ModelContainer(
            for: Trip.self,
            configurations: PostgresConfiguration(cluster.connectionString(), schemaName: schema))
        return (try PlainPostgres(cluster.connectionString(), schema: schema), container)
    }
}
