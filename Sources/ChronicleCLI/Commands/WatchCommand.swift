import Chronicle
import Foundation

enum WatchCommand {
    static let command = Command(
        name: "watch", summary: "run a command for each batch of changes (keeps its position in the file)",
        discussion: """
            Runs a command for each batch of new transactions, from any process. The command reads them from its standard \
            input as JSON, one transaction per line, as chronicle log --json prints them. If it exits with status 0, the \
            batch is acknowledged: the position is kept in the file as that of a consumer, so that it continues there \
            after a restart. Otherwise, or if the process ends before, the batch is delivered again: the command receives \
            each change at least once.

            A transaction with more than 10,000 changes and preserved values, and more than --batch, is divided into lines of \
            1,000 changes. All but the last line have "isPartial": true. If changes are missing because the history was \
            deleted, the command receives a line {"reset": REASON}, followed by batches with a line {"model": E/KEY, \
            "values": {...}} for each model.

            With --format cloudevents or debezium, each change is a line: an event of CloudEvents 1.0, or the value of a \
            message of Debezium without its schema, with the rows before and after the change. A value that is not known \
            is "__debezium_unavailable_value". An event has the same id each time it is delivered.

            For a tracked database, tables that programs have changed without triggers are named on standard error, when the \
            command begins and after batches, at most every ten seconds. This is limited to tables that can be compared within \
            10 milliseconds; chronicle verify compares all.

            The environment of the command contains CHRONICLE_CONSUMER, CHRONICLE_ATTEMPT and CHRONICLE_TOKEN.

              chronicle watch --name mirror Trips.store -- sh -c 'cat >> changes.jsonl'
              chronicle watch --name ship --format cloudevents Trips.store -- curl -f --data-binary @- localhost:8080
            """,
        options: [
            .init(name: "name", value: "NAME", summary: "the name of the consumer (required)"),
            .init(
                name: "from", value: "START",
                summary: "where a new consumer begins: beginning, now (default), snapshot, or a position"),
            .init(name: "author", value: "A", summary: "only transactions of an author"),
            .init(name: "except-author", value: "A", summary: "no transactions of an author"),
            .init(
                name: "format", value: "FORMAT", values: .list(EnvelopeFormat.allCases.map(\.rawValue)),
                summary: "the form of the lines: json (default), cloudevents or debezium"),
            .init(
                name: "batch", value: "N", summary: "the number of changes after which a batch ends, 1,000 by default"),
            .init(name: "once", summary: "process the present changes and exit"),
            .init(name: "skip-after", value: "N", summary: "set a batch aside after N attempts"),
        ],
        trailing: "COMMAND [ARGUMENT...]", negativeResult: "the command failed, with --once", run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        guard let name = arguments.value("name"), !name.isEmpty else { throw UsageError("watch requires --name") }
        guard !arguments.trailing.isEmpty else { throw UsageError("the command is missing; write it after --") }
        let limit = try arguments.count("batch") ?? 1_000
        let skipAfter = try arguments.count("skip-after")
        var unrecorded: UnrecordedRows?
        repeat {
            let file = try StoreFile.write(arguments.operands["FILE"], console)
            if file.store.isTracked, let url = file.location.url {
                unrecorded = unrecorded ?? UnrecordedRows(TrackedDatabase(url: url), console)
            }
            unrecorded?.report()
            let filter = try filter(arguments)
            let consumer: HistoryConsumer<DefaultHistoryTransaction> = try file.container.historyConsumer(
                named: name, filter: filter, startingNewAt: try start(arguments, file, console))
            let batchRunner = BatchRunner(
                file: file, console: console, format: arguments.value("format").flatMap(EnvelopeFormat.init) ?? .json,
                isFiltered: filter != HistoryFilter(), command: arguments.trailing,
                opened: try file.store.currentHistoryToken())
            guard !arguments.has("once") else {
                return try runOnce(consumer, batchRunner, limit: limit, skipAfter: skipAfter)
            }
            // The only task that uses them; this one waits for it.
            nonisolated(unsafe) let (runner, console, unrecorded) = (batchRunner, console, unrecorded)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await follow(consumer, runner, console, unrecorded, limit: limit, skipAfter: skipAfter)
                }
                if let url = file.location.url, file.store.isTracked {
                    let commits = try CommitStream(file.chronicleStore("notifications of commits"))
                    group.addTask { try await commits.untilSchemaChange(of: TrackedDatabase(url: url)) }
                }
                try await group.next()
                group.cancelAll()
                try await group.waitForAll()
            }
            consumer.release()
            // The program changed its schema. Opening the file again follows, before its changes are delivered.
        } while !Task.isCancelled
        return .success
    }

    private static func runOnce(
        _ consumer: HistoryConsumer<DefaultHistoryTransaction>, _ runner: BatchRunner, limit: Int, skipAfter: Int?
    ) throws -> ExitStatus {
        while let batch = try consumer.nextBatch(limit: limit) {
            guard try runner.run(batch) else {
                if let skipAfter, batch.attempt >= skipAfter {
                    try consumer.skip(batch, reason: "the command failed \(batch.attempt) times")
                }
                return .negative
            }
            try consumer.acknowledge(batch)
        }
        return .success
    }

    /// Returns when the task is cancelled, or at a change of the schema that another process has followed.
    private static func follow(
        _ consumer: HistoryConsumer<DefaultHistoryTransaction>, _ runner: BatchRunner, _ console: Console,
        _ unrecorded: UnrecordedRows?, limit: Int, skipAfter: Int?
    ) async throws {
        for try await batch in consumer.batches(limit: limit) {
            if runner.isOutdated(for: batch) { return }
            unrecorded?.reportRegularly()
            if try runner.run(batch) {
                try consumer.acknowledge(batch)
            } else if let skipAfter, batch.attempt >= skipAfter {
                console.message("chronicle: the batch is set aside after \(batch.attempt) attempts")
                try consumer.skip(batch, reason: "the command failed \(batch.attempt) times")
            } else {
                // The command is run again after one second, and after twice as long each time, up to a minute.
                do {
                    try await Task.sleep(for: .seconds(min(1 << min(batch.attempt - 1, 6), 60)))
                } catch is CancellationError {
                    return
                }
            }
        }
    }

    private static func filter(_ arguments: Arguments) throws -> HistoryFilter {
        let (only, except) = (arguments.values["author"], arguments.values["except-author"])
        guard only == nil || except == nil else { throw UsageError("--author and --except-author exclude each other") }
        if let only {
            return HistoryFilter(
                authors: .only(Set(only.filter { !$0.isEmpty }), includingAnonymous: only.contains("")))
        }
        if let except {
            return HistoryFilter(
                authors: .except(Set(except.filter { !$0.isEmpty }), includingAnonymous: !except.contains("")))
        }
        return HistoryFilter()
    }

    private static func start(
        _ arguments: Arguments, _ file: StoreFile, _ console: Console
    ) throws -> HistoryStart<DefaultHistoryToken> {
        switch arguments.value("from") {
        case nil, "now": .now
        case "beginning", "start":
            // The history of a tracked database is complete from then on, and needs no reset.
            if file.store.isTracked, try !file.chronicleStore("consumers").isHistoryPurged(),
                let first = try file.store.earliestHistoryToken()
            {
                .token(first)
            } else {
                .beginning
            }
        case "snapshot": .snapshot
        case let text?:
            .token(
                try Position(text, in: file.store, console.settings, others: ["beginning", "snapshot"])
                    .bound(in: file.store))
        }
    }
}

/// The commits of a tracked database by any process.
private struct CommitStream: Sendable {
    private let commits: AsyncStream<Void>

    init(_ store: any ToolStore) throws {
        let (commits, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let observation = try store.observeCommits { continuation.yield() }
        continuation.onTermination = { _ in observation.cancel() }
        // The schema may have changed since the file was opened.
        continuation.yield()
        self.commits = commits
    }

    /// Returns after a change of the schema, or when the task is cancelled.
    func untilSchemaChange(of database: TrackedDatabase) async throws {
        for await _ in commits {
            if try database.hasUnfollowedSchema() { return }
        }
    }
}

/// Names the tables of a tracked database that programs changed without triggers, each difference once.
private final class UnrecordedRows {
    private let database: TrackedDatabase
    private let console: Console
    private var reported: Set<String> = []
    private var latest: ContinuousClock.Instant?

    private static let interval: Duration = .seconds(10)

    init(_ database: TrackedDatabase, _ console: Console) { (self.database, self.console) = (database, console) }

    func reportRegularly() {
        if let latest, ContinuousClock.now - latest < Self.interval { return }
        report()
    }

    func report() {
        latest = .now
        // The command works without this information, for example while another program holds a lock.
        guard let found = try? database.unrecordedRows() else { return }
        for (table, text) in found {
            let advice = "use `chronicle verify FILE`, and `chronicle track --reconcile FILE`"
            let line =
                "\(table.escaped): \(text) without a record; " + ErrorText.namingFile(advice, console.file?.escaped)
            if reported.insert(line).inserted { console.message("chronicle: \(line)") }
        }
    }
}

private struct BatchRunner {
    let file: StoreFile
    let console: Console
    let format: EnvelopeFormat
    /// Whether the consumer does not receive all transactions.
    let isFiltered: Bool
    let command: [String]
    /// The position when the file was opened.
    let opened: DefaultHistoryToken?

    private static let changesPerLine = 1_000

    /// Whether a program changed the schema of a tracked database after the file was opened, so that it does not contain all
    /// models of the batch.
    func isOutdated(for batch: HistoryBatch<DefaultHistoryTransaction>) -> Bool {
        guard file.store.isTracked, let opened else { return false }
        func isLater(_ transaction: DefaultHistoryTransaction) -> Bool {
            transaction.metadata["schema"] != nil && transaction.token > opened
        }
        switch batch.content {
        case .changes(let transactions): return transactions.contains(where: isLater)
        case .largeTransaction(let transaction): return isLater(transaction)
        case .reset, .snapshot: return false
        }
    }

    /// Returns whether the command exited with status 0.
    func run(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws -> Bool {
        var environment = console.settings.environment
        environment["CHRONICLE_CONSUMER"] = batch.consumerName
        environment["CHRONICLE_ATTEMPT"] = String(batch.attempt)
        environment["CHRONICLE_TOKEN"] = batch.token.map { $0.text(in: file.store.identifier) } ?? ""
        try console.flush()
        let process = try ChildProcess(command, environment: environment)
        do {
            try write(batch) { try process.write(Data(($0.text + "\n").utf8)) }
        } catch is Console.ClosedOutput {
            // The command need not read everything. Its exit status decides.
        } catch {
            process.closeInput()
            _ = process.wait()
            throw error
        }
        process.closeInput()
        let status = process.wait()
        if status != 0 {
            console.message(
                "chronicle: the command exited with status \(status); attempt \(batch.attempt) at "
                    + (environment["CHRONICLE_TOKEN"] ?? ""))
        }
        return status == 0
    }

    private func write(
        _ batch: HistoryBatch<DefaultHistoryTransaction>, _ line: @escaping (JSON) throws -> Void
    ) throws {
        let envelope = try ChangeEnvelope(format, file, console, isFiltered: isFiltered, line: line)
        switch batch.content {
        case .changes(let transactions): try envelope.write(transactions)
        case .largeTransaction(let transaction):
            var reader = batch.changeReader()
            var offset = 0
            var changes = try reader.nextChanges(limit: Self.changesPerLine)
            let first = changes?.first
            while let page = changes {
                changes = try reader.nextChanges(limit: Self.changesPerLine)
                try envelope.write(partOf: transaction, page, first: first, from: offset, isPartial: changes != nil)
                offset += page.count
            }
        case .reset(let reason): try envelope.write(reason)
        case .snapshot(let identifiers):
            let rows = RowPrinter(file: file, console: console, isJSON: true)
            for (name, group) in Dictionary(grouping: identifiers, by: \.rootEntityName).sorted(by: { $0.key < $1.key })
            {
                try file.store.fetchRows(ofEntity: name, identifiers: Set(group)) {
                    try envelope.write($0.persistentIdentifier.entityName, rows.json($0))
                }
            }
        }
    }
}
