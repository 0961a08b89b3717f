import Chronicle
import Foundation

/// Reading a history on PostgreSQL, and numbering its transactions, which the first reader after them does.
enum PostgresHistoryRows {
    static var all: [Row] {
        [
            rate("100,000 changes, typed (PostgreSQL)", 500_000, .mixed),
            ratio("100,000 changes, typed, against a scan of the rows (PostgreSQL)", 2.5, .mixed),
            rate("100,000 changes of one transaction, typed (PostgreSQL)", 500_000, .single),
            rate("20,000 transactions of one change, typed (PostgreSQL)", 100_000, .small),
            ratio("20,000 transactions of one change, against a scan of the rows (PostgreSQL)", 2.5, .small),
            rate("100,000 changes with preserved values, typed (PostgreSQL)", 200_000, .preserved),
            Row(name: "number 10,000 transactions of one change (PostgreSQL)", limit: .rate(50_000), runs: 7) { runs in
                try numbering(10_000, runs: runs) { context in
                    for index in 0..<10_000 {
                        context.insert(Trip(SampleTrip.at(index)))
                        try context.save()
                    }
                }
            },
            Row(name: "number a transaction of 100,000 changes (PostgreSQL)", limit: .rate(500_000), runs: 7) { runs in
                try numbering(100_000, runs: runs) { context in
                    for index in 0..<100_000 { context.insert(Trip(SampleTrip.at(index))) }
                    try context.save()
                }
            },
        ]
    }

    /// The transactions of a history.
    private enum Content {
        /// Two fifths inserts, two fifths updates, one fifth deletes that preserve three values each.
        case mixed
        /// The same with the values before and after each change.
        case preserved
        /// One transaction of inserts.
        case single
        /// Transactions with one insert.
        case small

        var changeCount: Int { self == .small ? 20_000 : 100_000 }

        func write(_ context: ModelContext) throws {
            switch self {
            case .mixed, .preserved: try HistoryRows.writeMixedChanges(context)
            case .single:
                for index in 0..<changeCount { context.insert(Trip(SampleTrip.at(index))) }
                try context.save()
            case .small:
                for index in 0..<changeCount {
                    context.insert(Trip(SampleTrip.at(index)))
                    try context.save()
                }
            }
        }
    }

    /// Creates a history whose transactions are numbered, in tables that are vacuumed as they are on a server that has
    /// run for some time.
    private static func history(_ content: Content) throws -> (plain: PlainPostgres, context: ModelContext) {
        let schema = try PostgresServer.cluster.get().makeSchema()
        let container = try PostgresServer.container(
            schema, preservesValues: content == .preserved, waitsForDisk: false)
        let context = ModelContext(container)
        context.author = "benchmark"
        try content.write(context)
        _ = try context.currentHistoryToken()
        let plain = try PlainPostgres(PostgresServer.cluster.get().connectionString(), schema: schema)
        try plain.execute("VACUUM ANALYZE chronicle_change, chronicle_transaction, chronicle_pending")
        return (plain, ModelContext(container))
    }

    private static func read(_ context: ModelContext, _ content: Content) throws {
        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let count = transactions.reduce(0) { $0 + $1.tripChanges }
        precondition(count == content.changeCount, "not every change is there")
    }

    private static func rate(_ name: String, _ limit: Double, _ content: Content) -> Row {
        Row(name: name, limit: .rate(limit), runs: 9) { runs in
            let (_, context) = try history(content)
            let times = try (0...max(runs, 1)).map { _ in try timed { try read(context, content) } }
            return Row.Outcome(median: .rate(Double(content.changeCount) / Array(times.dropFirst()).median.seconds))
        }
    }

    /// Compared with reading every value of the same rows with libpq.
    private static func ratio(_ name: String, _ limit: Double, _ content: Content) -> Row {
        Row(name: name, limit: .ratio(limit), runs: 15) { runs in
            let (plain, context) = try history(content)
            var sums: Set<Int> = []
            return try compare(
                runs: runs, { _ in try timed { sums.insert(try plain.sumOfAllChanges()) } },
                { _ in try timed { try read(context, content) } })
        }
    }

    /// The time of the first read after changes, which gives their transactions positions.
    private static func numbering(
        _ count: Int, runs: Int, _ write: (ModelContext) throws -> Void
    ) throws -> Row.Outcome {
        let schema = try PostgresServer.cluster.get().makeSchema()
        let (writing, reading) = (
            try PostgresServer.container(schema, waitsForDisk: false), try PostgresServer.container(schema)
        )
        let reader = ModelContext(reading)
        var times: [Duration] = []
        for _ in 0..<max(runs, 1) {
            let before = try reader.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>())
            try write(ModelContext(writing))
            times.append(try timed { _ = try reader.currentHistoryToken() })
            let after = try reader.fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>())
            precondition(after > before, "nothing was numbered")
        }
        return Row.Outcome(median: .rate(Double(count) / times.median.seconds))
    }
}
