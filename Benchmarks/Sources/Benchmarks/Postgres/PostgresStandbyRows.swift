import Chronicle
import Foundation
import Synchronization

/// The history on a standby server, while another program writes to the primary server.
enum PostgresStandbyRows {
    static var all: [Row] {
        [
            // Numbering in the background, once in a second, and the time to number and to send it.
            Row(
                name: "history of a standby server under 1,000 commits/s: longest lag (PostgreSQL)",
                limit: .time(.milliseconds(1_130)), runs: 1
            ) { _ in Row.Outcome(median: .time(try longestLag())) }
        ]
    }

    /// Returns the greatest age of the newest transaction that the standby server shows, in ten seconds.
    private static func longestLag() throws -> Duration {
        let primary = try PostgresCluster(["fsync": "on", "shared_buffers": "256MB"])
        let schema = try primary.makeSchema()
        let standby = try PostgresCluster(standbyOf: primary)
        defer {
            // Their guardians remove them otherwise.
            try? standby.remove()
            try? primary.remove()
        }
        // The store numbers the transactions of the other program.
        let container = try PostgresServer.container(schema, at: primary.connectionString())
        let reader = try PlainPostgres(standby.connectionString(), schema: schema, isReadOnly: true)
        let writer = Writer(try PlainPostgres(primary.connectionString(), schema: schema))
        Thread.detachNewThread(writer.run)
        // The first numbering finds the standby server.
        Thread.sleep(forTimeInterval: 3)
        var longest = 0.0
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            let age = try reader.double(
                """
                SELECT coalesce(extract(epoch FROM clock_timestamp())::double precision - 978307200 - (SELECT recorded \
                FROM chronicle_transaction ORDER BY position DESC LIMIT 1), 1e9)
                """)
            longest = max(longest, age)
            Thread.sleep(forTimeInterval: 0.005)
        }
        let rate = try writer.end()
        if rate < 900 { print("The machine was busy: there were only \(rate) commits in a second.") }
        return withExtendedLifetime(container) { .seconds(longest) }
    }

    /// A program that commits one row in each millisecond.
    ///
    /// `@unchecked Sendable`: only the thread of ``run()`` uses the connection.
    private final class Writer: @unchecked Sendable {
        private let connection: PlainPostgres
        private let state = Mutex<(isEnding: Bool, rate: Result<Int, any Error>?)>((false, nil))

        init(_ connection: PlainPostgres) { self.connection = connection }

        func run() {
            let result = Result {
                let start = ContinuousClock.now
                var count = 0
                while !state.withLock(\.isEnding) {
                    let rest = start + .milliseconds(count) - ContinuousClock.now
                    if rest > .zero { Thread.sleep(forTimeInterval: rest / .seconds(1)) }
                    try connection.execute(
                        """
                        INSERT INTO "Trip"(name, destination, "startDate", "endDate", nights, rating, "isBooked") \
                        VALUES ('trip', 'Rome', 0, 0, 1, 1, 0)
                        """)
                    count += 1
                }
                return Int(Double(count) / start.duration(to: .now).seconds)
            }
            state.withLock { $0.rate = result }
        }

        /// Returns the commits in a second.
        func end() throws -> Int {
            state.withLock { $0.isEnding = true }
            while true {
                if let rate = state.withLock(\.rate) { return try rate.get() }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }
}
