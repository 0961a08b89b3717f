import Chronicle
import ChronicleTestSupport
import Foundation

@testable import ChronicleStore

/// A separate process for the tests, which wait for its output. STORE is a file, or "postgres SCHEMA" or "pooled SCHEMA"
/// with a connection string.
///
///     ChronicleTestWorker open STORE            opens the store and prints a line
///     ChronicleTestWorker default NAME [MODE]   saves a note in a store without a URL; prints path, notes and log events
///     ChronicleTestWorker read-only STORE       the same, without write access
///     ChronicleTestWorker refused STORE         is denied write access, and opens the store read-only
///     ChronicleTestWorker failure STORE [MODE]  prints the error of opening and reading the store, in the mode read-only
///     ChronicleTestWorker start STORE [MODE]    opens and uses the store, in the mode read-only, and prints each result
///     ChronicleTestWorker migrate STORE         migrates a store to the latest version, a dot for each save
///     ChronicleTestWorker write STORE AUTHOR N  makes N saves
///     ChronicleTestWorker upsert STORE AUTHOR N makes N saves of models with the same unique values
///     ChronicleTestWorker churn STORE SEED R    saves with the recorder R until it is killed, a dot for each save
///     ChronicleTestWorker fill STORE            saves until the disk is full, and prints what was saved
///     ChronicleTestWorker purge STORE SEED      saves and purges until it is killed, a dot for each step
///     ChronicleTestWorker read STORE N          pages through the history until it has seen N transactions
///     ChronicleTestWorker follow STORE N        the same, but reads only after commit events, and prints a summary
///     ChronicleTestWorker watch STORE N         watches the file N times, and waits until nothing is left open
///     ChronicleTestWorker hold-consumer STORE NAME  reads a batch of a consumer, prints a dot, and waits
///     ChronicleTestWorker consume STORE rest    inserts a page for each note, with a consumer, and ends
///     ChronicleTestWorker consume STORE endless the same until it is killed, a dot for each batch
///     ChronicleTestWorker idle STORE hold [MASK]  has an observer and an idle consumer, a dot for each commit
///     ChronicleTestWorker idle STORE release    the same, after releasing the lock of the consumer
///     ChronicleTestWorker hold-write STORE      prints a dot within a write transaction, and waits
///     ChronicleTestWorker fill-consumer STORE   acknowledges on a full disk, then without the file "filler"
///     ChronicleTestWorker seal STORE SEED       saves, purges, deletes, erases and seals until it is killed, a dot for each step
///     ChronicleTestWorker seal-saves STORE AUTHOR N  makes N saves and seals each, with or without the file of locks
///     ChronicleTestWorker seal-steps STORE N    seals N times, and waits for a byte before each step
///     ChronicleTestWorker replay STORE EXPORT   replays an export to the store, a dot for each part
///     ChronicleTestWorker autosave STORE END    inserts notes in the main context, and ends the process as END specifies
@main
struct Worker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments[1] == "default" { return try useDefaultFile(arguments[2], mode: arguments.last ?? "") }
        var configuration = ModelConfiguration(
            url: URL(fileURLWithPath: arguments[2]), durability: .relaxed, busyTimeout: .seconds(60))
        if arguments[1] == "idle", let mask = arguments.dropFirst(4).first.flatMap({ mode_t($0, radix: 8) }) {
            umask(mask)
        }
        if arguments[1] == "replay" { return try replay(configuration, URL(fileURLWithPath: arguments[3])) }
        if arguments[1] == "migrate" { return try migrate(configuration) }
        if arguments[1].hasPrefix("seal") { return try seal(configuration, Array(arguments.dropFirst())) }
        if arguments[1] == "upsert" {
            return try upsert(configuration, author: arguments[3], saves: Int(arguments[4]) ?? 0)
        }
        if arguments[1] == "refused" {
            do {
                _ = try ModelContainer(for: Note.self, configurations: configuration)
            } catch SwiftDataError.fileReadOnly { emit("fileReadOnly\n") }
        }
        if arguments[1] == "failure" {
            configuration.allowsSave = arguments.last != "read-only"
            do {
                let container = try ModelContainer(for: Note.self, configurations: configuration)
                _ = try ModelContext(container).fetchCount(FetchDescriptor<Note>())
            } catch let error as SwiftDataError { emit("\(error)\n") }
            return
        }
        if arguments[1] == "start" {
            configuration.allowsSave = arguments.last != "read-only"
            return start(configuration)
        }
        configuration.allowsSave = !["refused", "read-only"].contains(arguments[1])
        if arguments[1] == "follow" { configuration.watching = .eventsOnly }
        configuration.recorder = arguments.last.flatMap(ModelConfiguration.Recorder.init) ?? .automatic
        let container =
            try postgresContainer(arguments[2])
            ?? ModelContainer(for: Note.self, configurations: configuration)
        let context = ModelContext(container)
        switch arguments[1] {
        case "open", "read-only", "refused": emit("opened \(try context.fetchCount(FetchDescriptor<Note>()))\n")
        case "write": try write(context, author: arguments[3], saves: Int(arguments[4]) ?? 0)
        case "churn": try churn(context, seed: UInt64(arguments[3]) ?? 0)
        case "purge": try purge(context, seed: UInt64(arguments[3]) ?? 0)
        case "fill": try fill(context)
        case "read": try read(context, transactions: Int(arguments[3]) ?? 0)
        case "follow": try await follow(container, transactions: Int(arguments[3]) ?? 0)
        case "watch": try await watch(container, times: Int(arguments[3]) ?? 0)
        case "hold-consumer": try holdConsumer(container, named: arguments[3])
        case "consume": try consume(context, isEndless: arguments[3] == "endless")
        case "idle": try await idle(container, releases: arguments[3] == "release")
        case "hold-write": try holdWrite(context)
        case "autosave": try await autosave(container, arguments[3])
        case "fill-consumer": try fillConsumer(context, beside: configuration.url)
        default: exit(64)
        }
    }

    private static func useDefaultFile(_ name: String, mode: String) throws {
        var configuration = ModelConfiguration(name, allowsSave: mode != "read-only")
        let logger = TestLogger()
        configuration.logger = logger
        do {
            if mode == "steps" {
                let steps = try ModelContainer.migrationSteps(for: Schema(Note.self), configurations: [configuration])
                return emit("\(steps.map { "\($0.kind)" })\n")
            }
            let container = try ModelContainer(for: Note.self, configurations: configuration)
            let context = ModelContext(container)
            if configuration.allowsSave {
                context.insert(Note(text: "default", number: 1))
                try context.save()
            }
            let path = container.configurations.first?.url.path ?? ""
            precondition(container.debugDescription.contains(path), "the description contains the path")
            let events = logger.entries.map { $0.event ?? "" }
            emit("\(path)\n\(try context.fetchCount(FetchDescriptor<Note>()))\n\(events.joined(separator: " "))\n")
        } catch let error as SwiftDataError { emit("\(error)\n\n\n") }
    }

    private static func start(_ configuration: ModelConfiguration) {
        func attempt<Value>(_ name: String, _ body: () throws -> Value) -> Value? {
            do {
                let value = try body()
                emit("\(name) ok\n")
                return value
            } catch {
                emit("\(name) \("\(error)".prefix { $0.isLetter })\n")
                return nil
            }
        }
        let container = attempt("open") { try ModelContainer(for: Note.self, configurations: configuration) }
        guard let container else { return }
        let context = ModelContext(container)
        _ = attempt("fetch") { try context.fetchCount(FetchDescriptor<Note>()) }
        _ = attempt("history") { try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count }
        let observer = attempt("observer") { try HistoryObserver(modelContainer: container) }
        guard configuration.allowsSave else { return }
        _ = attempt("consumer") {
            try container.historyConsumer(named: "start", startingNewAt: .beginning).nextBatch()
        }
        _ = attempt("save") {
            context.insert(Note(text: "start", number: 1))
            try context.save()
        }
        withExtendedLifetime(observer) {}
    }

    /// Written immediately, because a killed process does not flush its buffers.
    static func emit(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private static func replay(_ configuration: ModelConfiguration, _ export: URL) throws {
        let container = try ModelContainer(for: LinkItem.self, configurations: configuration)
        let file = try FileHandle(forReadingFrom: export)
        try container.replayHistory {
            emit(".")
            let data = try file.read(upToCount: 700)
            return data?.isEmpty == false ? data : nil
        }
        emit("done\n")
    }

    private static func upsert(_ configuration: ModelConfiguration, author: String, saves: Int) throws {
        let container = try ModelContainer(for: Tally.self, configurations: configuration)
        for number in 0..<saves {
            // A new context, which has no instance of the rows.
            let context = ModelContext(container)
            context.author = author
            for key in 0..<5 { context.insert(Tally(key: "\(key)", count: number)) }
            context.insert(Tally(key: "\(author) \(number)", count: number))
            try context.save()
        }
        emit("saved\n")
    }

    private static func write(_ context: ModelContext, author: String, saves: Int) throws {
        context.author = author
        for number in 0..<saves {
            // Two changes per save, so that a split transaction is detected.
            context.insert(Note(text: author, number: number))
            context.insert(Page(body: "\(author) \(number)"))
            try context.save()
        }
        emit("wrote\n")
    }

    /// Changes the main context, and ends the process without a save.
    @MainActor private static func autosave(_ container: ModelContainer, _ end: String) async throws {
        let context = container.mainContext
        let note = Note(text: "first", number: 1)
        context.insert(note)
        if end.hasPrefix("later") {
            // Afterwards, another thread may run the main actor.
            while context.hasChanges { await Task.yield() }
        }
        note.text = end
        switch end {
        case "exit", "later exit": exit(0)
        case "elsewhere":
            // Another thread ends the process while the main actor is suspended.
            await Task.detached { () -> Void in exit(0) }.value
        case "killed": kill(getpid(), SIGKILL)
        default: break
        }
    }

    private static func churn(_ context: ModelContext, seed: UInt64) throws {
        var random = SplitMix(state: seed)
        context.author = "churn"
        var notes = try context.fetch(FetchDescriptor<Note>())
        while true {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                change(context, &notes, &random)
            }
            try context.save()
            emit(".")
        }
    }

    private static func change(_ context: ModelContext, _ notes: inout [Note], _ random: inout SplitMix) {
        let choice = Int.random(in: 0..<10, using: &random)
        if notes.isEmpty || choice < 5 {
            let note = Note(text: "note \(random.next())", number: 0)
            note.pages = [Page(body: "page")]
            context.insert(note)
            notes.append(note)
        } else if choice < 8 {
            notes[Int.random(in: 0..<notes.count, using: &random)].number += 1
        } else {
            context.delete(notes.remove(at: Int.random(in: 0..<notes.count, using: &random)))
        }
    }

    private static func purge(_ context: ModelContext, seed: UInt64) throws {
        var random = SplitMix(state: seed)
        guard let store = context.container.stores.first as? DefaultStore else { exit(65) }
        while true {
            for number in 0..<Int.random(in: 1...3_000, using: &random) {
                context.insert(Note(text: "note", number: number))
            }
            try context.save()
            try context.delete(model: Note.self)
            let maximum = Int.random(in: 0...2_000, using: &random)
            let plan = try store.planHistoryPurge(HistoryRetention(maximumChanges: maximum), at: .now)
            while try !store.purgeHistory(plan).isLast { emit(".") }
            emit(".")
        }
    }

    private static func fill(_ context: ModelContext) throws {
        while true {
            context.insert(Note(text: String(repeating: "x", count: 10_000), number: 0))
            do { try context.save() } catch SwiftDataError.storeFull { break }
        }
        let kept = context.insertedModelsArray.count == 1 ? "kept" : "lost"
        let rows = try ModelContext(context.container).fetchCount(FetchDescriptor<Note>())
        let recorded = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).count
        emit("storeFull, \(kept), \(rows == recorded && rows > 0 ? "agrees" : "differs")\n")
    }

    /// One line for each transaction: its position, author, and the identifiers of its changes.
    private static func read(_ context: ModelContext, transactions: Int) throws {
        var seen = 0
        var token: DefaultHistoryToken?
        while seen < transactions {
            var descriptor = token.map { HistoryDescriptor.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = 7
            for transaction in try context.fetchHistory(descriptor) {
                let changes = transaction.changes.map { "\($0.changedPersistentIdentifier)" }.joined(separator: ",")
                emit("\(transaction.transactionIdentifier) \(transaction.author ?? "-") \(changes)\n")
                token = transaction.token
                seen += 1
            }
        }
    }
}
