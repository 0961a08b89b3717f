import Chronicle
import Foundation

enum ConsumersCommand {
    static let command = Command(
        name: "consumers", summary: "list the consumers of the history and their lag, or remove one",
        discussion: """
            Lists the named consumers of the history: the transactions and changes that they have not acknowledged, the age of \
            the oldest one, and when they were last seen. The number of changes is an upper bound; in a file, it includes each \
            preserved value. A consumer whose history is incomplete shows why it starts over.

            With --remove, the file is changed: the consumer and its position are deleted, so that history is no longer kept for \
            it. A program that still uses the consumer gets an error.
            """,
        options: [
            .init(
                name: "remove", value: "NAME",
                summary: "remove a consumer, which changes the file; repeat it for others"), .json,
        ], negativeResult: "a consumer has to start over, or the one to remove does not exist", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        if let names = arguments.values["remove"] { return try remove(names, arguments, console) }
        let file = try StoreFile.read(arguments, console)
        let statuses: [HistoryConsumerStatus<DefaultHistoryToken>] = try file.container.historyConsumers()
        if arguments.has("json") {
            for status in statuses { try console.line(json(status, file)) }
        } else if statuses.isEmpty {
            try console.line("The store has no consumers.")
        } else {
            let header = ["NAME", "TRANSACTIONS", "CHANGES (MAX)", "BEHIND", "LAST SEEN", "STATE"]
            let rows = try [header] + statuses.map { try row($0, file, console) }
            for line in TextLayout.table(rows, rightAligned: [1, 2, 3]) { try console.line(line) }
        }
        return statuses.contains { $0.resetReason != nil } ? .negative : .success
    }

    /// Removes consumers up to the first one that does not exist.
    private static func remove(_ names: [String], _ arguments: Arguments, _ console: Console) throws -> ExitStatus {
        let file = try StoreFile.write(arguments.operands["FILE"], console)
        for name in names {
            do { try file.container.removeHistoryConsumer(named: name) } catch SwiftDataError.historyConsumerNotFound {
                let known = try file.chronicleStore("consumers").consumerRecords().map(\.name)
                let nearest = NearestName.nearest(to: name, in: known).map { "; did you mean \($0.escaped)?" } ?? ""
                console.message("chronicle: there is no consumer \(name.escaped)\(nearest)")
                return .negative
            }
            if arguments.has("json") {
                try console.line(.members(["removed": .string(name)]))
            } else {
                try console.line("Removed the consumer \(name.escaped).")
            }
        }
        return .success
    }

    private static func row(
        _ status: HistoryConsumerStatus<DefaultHistoryToken>, _ file: StoreFile, _ console: Console
    ) throws -> [String] {
        [
            status.name.escaped, status.lag.map { NumberText.grouped($0.transactions) } ?? "-",
            status.lag.map { NumberText.grouped($0.changes) } ?? "-",
            try file.age(ofLagOf: status).map { NumberText.duration($0 / .seconds(1)) } ?? "-",
            console.text(status.lastSeen), state(status),
        ]
    }

    private static func state(_ status: HistoryConsumerStatus<DefaultHistoryToken>) -> String {
        var parts: [String] = []
        if let reason = status.resetReason { parts.append("starts over: \(reason.rawValue)") }
        if status.isReadingSnapshot { parts.append("reads the models") }
        if status.attempts > 1 { parts.append("attempt \(status.attempts)") }
        if status.skipCount > 0 { parts.append("\(status.skipCount) skipped") }
        return parts.isEmpty ? "reads changes" : parts.joined(separator: ", ")
    }

    private static func json(_ status: HistoryConsumerStatus<DefaultHistoryToken>, _ file: StoreFile) throws -> JSON {
        .members([
            "name": .string(status.name),
            "token": .optional(status.position.map { $0.text(in: file.store.identifier) }),
            "transactions": status.lag.map { .count($0.transactions) } ?? .null,
            "changes": status.lag.map { .count($0.changes) } ?? .null,
            "seconds": try file.age(ofLagOf: status).map { .number($0 / .seconds(1)) } ?? .null,
            "lastSeen": .string(DateText.iso8601(status.lastSeen)),
            "lastAcknowledged": .optional(status.lastAcknowledged.map(DateText.iso8601)),
            "resetReason": .optional(status.resetReason?.rawValue),
            "isReadingSnapshot": .bool(status.isReadingSnapshot), "attempts": .count(status.attempts),
            "skipped": .count(status.skipCount),
        ])
    }
}
