import Chronicle
import Foundation

/// The statistics of a store in the text format of Prometheus.
struct Gauges {
    private struct Gauge {
        let name: String
        let help: String
        var samples: [(labels: [(name: String, value: String)], value: Double?)]
    }

    private let gauges: [Gauge]

    init(_ file: StoreFile, _ console: Console) throws {
        let store = try file.chronicleStore("these statistics")
        let history = try store.historyStatistics()
        let lacksDate = try file.lacksDates()
        let oldest = lacksDate.oldest ? nil : history.oldest
        let newest = lacksDate.newest ? nil : history.newest
        let consumers: [HistoryConsumerStatus<DefaultHistoryToken>] = try file.container.historyConsumers()
        let label = (name: "store", value: file.store.identifier)
        func gauge(_ name: String, _ help: String, _ value: Double?) -> Gauge {
            Gauge(name: name, help: help, samples: [([label], value)])
        }
        func position(_ token: DefaultHistoryToken?) -> Double? {
            token.flatMap { $0.tokenValue?[file.store.identifier] }.map(Double.init)
        }
        func consumerGauge(
            _ name: String, _ help: String, _ value: (HistoryConsumerStatus<DefaultHistoryToken>) throws -> Double?
        ) rethrows -> Gauge {
            Gauge(
                name: "consumer_\(name)", help: help,
                samples: try consumers.map { ([label, ("consumer", $0.name)], try value($0)) })
        }
        let statistics: [Gauge] = [
            gauge("file_bytes", "Size of the store, without its write-ahead log.", Double(try store.byteCount())),
            gauge(
                "log_bytes", "Size of the write-ahead log, which contains the newest saves.",
                file.logByteCount().map(Double.init)),
            gauge("history_bytes", "Size of the history; an estimate if it is long.", Double(history.bytes)),
            gauge("history_transactions", "Transactions in the history.", Double(history.transactions)),
            gauge("history_changes", "Changes in the history; an estimate if it is long.", Double(history.changes)),
            gauge(
                "history_position", "Number of the newest transaction.",
                position(try file.store.currentHistoryToken())),
            gauge(
                "history_earliest_position", "Number of the position after which the history is complete.",
                position(try store.completeHistoryToken())),
            gauge(
                "history_oldest_timestamp_seconds", "Time of the oldest transaction, since 1970.",
                oldest?.timeIntervalSince1970),
            gauge(
                "history_oldest_age_seconds", "Age of the oldest transaction.",
                oldest.map { max(console.settings.now().timeIntervalSince($0), 0) }),
            gauge(
                "history_newest_timestamp_seconds", "Time of the newest transaction, since 1970.",
                newest?.timeIntervalSince1970),
            gauge(
                "history_last_deletion_timestamp_seconds",
                "Time at which transactions were last deleted, for example by a purge, since 1970.",
                history.lastDeletion?.timeIntervalSince1970),
            Gauge(
                name: "models", help: "Models, without those of entities that inherit from the entity.",
                samples: try file.modelCounts().map { ([label, ("entity", $0.name)], Double($0.count)) }),
            consumerGauge("lag_transactions", "Transactions that the consumer has not acknowledged.") {
                $0.lag.map { Double($0.transactions) }
            },
            consumerGauge("lag_changes", "Changes that the consumer has not acknowledged, at most.") {
                $0.lag.map { Double($0.changes) }
            },
            try consumerGauge("lag_seconds", "Age of the oldest change that the consumer has not acknowledged.") {
                try file.age(ofLagOf: $0).map { $0 / .seconds(1) }
            },
            consumerGauge("last_seen_timestamp_seconds", "Time at which the consumer was last seen, since 1970.") {
                $0.lastSeen.timeIntervalSince1970
            },
            consumerGauge("starts_over", "1 if changes are missing, so that the consumer starts over.") {
                $0.resetReason == nil ? 0 : 1
            },
            consumerGauge("attempts", "Deliveries of the consumer's present batch.") { Double($0.attempts) },
            consumerGauge("skipped_batches", "Batches that the consumer has set aside.") { Double($0.skipCount) },
        ]
        gauges = try statistics + Self.tables(of: file, label)
    }

    /// The states of the recorded tables of another program.
    private static func tables(of file: StoreFile, _ label: (name: String, value: String)) throws -> [Gauge] {
        guard file.store.isTracked else { return [] }
        let tables = try file.trackedTables().filter { $0.state == .recorded || $0.isInterrupted }
        var gauges = [
            Gauge(
                name: "table_interrupted", help: "1 if the recording of the table was interrupted.",
                samples: tables.map { ([label, ("table", $0.name)], $0.isInterrupted ? 1 : 0) })
        ]
        if let url = file.location.url {
            let unrecorded = Set(try TrackedDatabase(url: url).allUnrecordedRows().map(\.table))
            gauges.append(
                Gauge(
                    name: "table_lacks_records",
                    help: "1 if rows of the table were inserted or deleted without a record.",
                    samples: tables.filter { !$0.isInterrupted }.map {
                        ([label, ("table", $0.name)], unrecorded.contains($0.name) ? 1 : 0)
                    }))
        }
        return gauges
    }

    func write(_ console: Console) throws {
        for gauge in gauges {
            let samples = gauge.samples.filter { $0.value != nil }
            if samples.isEmpty { continue }
            try console.line("# HELP chronicle_\(gauge.name) \(gauge.help)")
            try console.line("# TYPE chronicle_\(gauge.name) gauge")
            for (labels, value) in samples {
                guard let value else { continue }
                let text = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
                try console.line("chronicle_\(gauge.name){\(text)} \(Self.text(value))")
            }
        }
    }

    /// The format has no other escape sequences. A control character, which a terminal might interpret, becomes a text.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            case _ where scalar.isTerminalControl: "\\\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? "\(value)"
    }
}
