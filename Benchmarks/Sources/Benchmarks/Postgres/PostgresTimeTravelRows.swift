import Chronicle
import Foundation

/// Reads of earlier positions, exports and replays on PostgreSQL, and the numbering of a long backlog.
enum PostgresTimeTravelRows {
    static var all: [Row] {
        let past = Past()
        let backlog = Backlog(count: 400_000)
        return [
            Row(
                name: "as of 1,000 transactions ago: new context, fetch of 100,000 (PostgreSQL)", limit: .ratio(1.5),
                runs: 11
            ) { runs in
                try comparePast(past, runs: runs) { context, _ in
                    try context.fetch(FetchDescriptor<Trip>()).reduce(0) { $0 &+ $1.sumOfAttributes }
                }
            },
            Row(
                name: "as of 1,000 transactions ago: count in an open context (PostgreSQL)", limit: .ratio(1.7),
                runs: 15
            ) { runs in
                try comparePast(past, runs: runs, isOpen: true) { context, _ in
                    try context.fetchCount(FetchDescriptor<Trip>(predicate: #Predicate { $0.rating == 3 }))
                }
            },
            Row(
                name: "as of 1,000 transactions ago: 1,000 models by key (PostgreSQL)", limit: .ratio(2.7), runs: 7
            ) { runs in
                try comparePast(past, runs: runs, isOpen: true) { context, identifiers in
                    try identifiers.reduce(0) { sum, identifier in
                        let trip = try context.existingModel(for: identifier) as? Trip
                        return sum &+ (trip?.nights ?? 0)
                    }
                }
            },
            Row(name: "export 10,000 inserts in 100 transactions (PostgreSQL)", limit: .ratio(13), runs: 5) { runs in
                let source = try filled()
                return try compare(
                    runs: runs,
                    { _ in
                        try timed {
                            _ = try ModelContext(source).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
                        }
                    },
                    { _ in try timed { _ = try source.exportHistory { _ in } } })
            },
            Row(name: "replay 10,000 inserts in 100 transactions (PostgreSQL)", limit: .ratio(1.8), runs: 5) { runs in
                var export = Data()
                try filled().exportHistory { export.append($0) }
                return try compare(
                    runs: runs, { _ in try timed { _ = try filled() } },
                    { _ in
                        let replica = try PostgresServer.container(
                            PostgresServer.cluster.get().makeSchema(), preservesValues: true, waitsForDisk: false)
                        var rest: Data? = export
                        return try timed {
                            _ = try replica.replayHistory {
                                defer { rest = nil }
                                return rest
                            }
                        }
                    })
            },
            Row(name: "number 400,000 pending transactions (PostgreSQL)", limit: .rate(30_000), runs: 1) { _ in
                Row.Outcome(median: .rate(try backlog.get().rate))
            },
            Row(
                name: "the longest step of numbering 400,000 transactions (PostgreSQL)",
                limit: .time(.milliseconds(100)),
                runs: 1
            ) { _ in Row.Outcome(median: .time(try backlog.get().longestStep)) },
        ]
    }

    /// A store with 10,000 trips, including the time to open it.
    private static func filled() throws -> ModelContainer {
        let container = try PostgresServer.container(
            PostgresServer.cluster.get().makeSchema(), preservesValues: true, waitsForDisk: false)
        let context = ModelContext(container)
        for (index, sample) in SampleTrip.all.enumerated() {
            context.insert(Trip(sample))
            if index % 100 == 99 { try context.save() }
        }
        return container
    }

    /// Compares work with the models as of 1,000 transactions ago with the same work with the present ones.
    private static func comparePast(
        _ past: Past, runs: Int, isOpen: Bool = false, _ work: (ModelContext, [PersistentIdentifier]) throws -> Int
    ) throws -> Row.Outcome {
        let content = try past.get()
        var open: ModelContext?
        if isOpen {
            open = try ModelContext(content.container, asOf: content.token)
            _ = try open?.fetchCount(FetchDescriptor<Trip>())
        }
        var sums: [Set<Int>] = [[], []]
        let outcome = try compare(
            runs: runs,
            { _ in
                try timed { sums[0].insert(try work(ModelContext(content.container), content.identifiers)) }
            },
            { _ in
                try timed {
                    let context =
                        try open.map { ModelContext($0.container) }
                        ?? ModelContext(content.container, asOf: content.token)
                    sums[1].insert(try work(context, content.identifiers))
                }
            })
        precondition(sums[0].count == 1 && sums[1].count == 1, "the results differ between runs")
        return outcome
    }

    /// A store with 100,000 trips and a history of 1,000 later transactions, each of which updates a trip.
    private final class Past {
        struct Content {
            let container: ModelContainer
            let token: DefaultHistoryToken
            let identifiers: [PersistentIdentifier]
        }

        private var content: Content?

        func get() throws -> Content {
            if let content { return content }
            let schema = try PostgresServer.cluster.get().makeSchema()
            let container = try PostgresServer.container(schema, preservesValues: true, waitsForDisk: false)
            let context = ModelContext(container)
            for index in 0..<100_000 {
                context.insert(Trip(SampleTrip.at(index)))
                if index % 10_000 == 9_999 { try context.save() }
            }
            let token = try context.currentHistoryToken()
            let trips = try context.fetch(FetchDescriptor<Trip>())
            for index in 0..<1_000 {
                trips[index * 97].rating += 1
                try context.save()
            }
            _ = try context.currentHistoryToken()
            try PostgresServer.cluster.get().psql(
                "VACUUM ANALYZE \(schema).\"Trip\", \(schema).chronicle_change, \(schema).chronicle_transaction, "
                    + "\(schema).chronicle_pending")
            let made = Content(
                container: container, token: token,
                identifiers: stride(from: 0, to: 100_000, by: 100).map { trips[$0].persistentModelID })
            content = made
            return made
        }
    }

    /// Transactions of another program that no reader has numbered.
    private final class Backlog {
        private let count: Int
        private var outcome: (rate: Double, longestStep: Duration)?

        init(count: Int) { self.count = count }

        /// Numbers the transactions in steps, each of which is committed, as a reader does.
        func get() throws -> (rate: Double, longestStep: Duration) {
            if let outcome { return outcome }
            let schema = try PostgresServer.cluster.get().makeSchema()
            let container = try PostgresServer.container(schema, waitsForDisk: false)
            let plain = try PlainPostgres(PostgresServer.cluster.get().connectionString(), schema: schema)
            try plain.execute("SET synchronous_commit = off")
            try plain.execute(
                """
                DO $$ BEGIN FOR i IN 1..\(count) LOOP
                INSERT INTO "Trip"(name, destination, "startDate", "endDate", nights, rating, "isBooked")
                VALUES ('trip', 'Rome', 0, 0, i, 1, 0);
                COMMIT;
                END LOOP; END $$
                """)
            try plain.execute("SET synchronous_commit = on")
            var steps: [Duration] = []
            var isComplete = false
            while !isComplete {
                steps.append(
                    try timed {
                        try plain.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                        isComplete = try plain.boolean("SELECT is_complete FROM chronicle_number_next()")
                        try plain.execute("COMMIT")
                    })
            }
            let found = try ModelContext(container).fetchHistoryCount(HistoryDescriptor<DefaultHistoryTransaction>())
            precondition(found == count, "not every transaction was numbered")
            let outcome = (Double(count) / steps.reduce(.zero, +).seconds, steps.max() ?? .zero)
            self.outcome = outcome
            return outcome
        }
    }
}
