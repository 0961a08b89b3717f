import Chronicle
import Foundation
import JournalStore

/// A process of its own for the tests. What it writes to its output is what the test waits for.
///
///     JournalWorker write STORE AUTHOR N  makes N saves
///     JournalWorker read STORE N          reads the history on until it has seen N transactions
///     JournalWorker prune STORE N         deletes the history and compacts, until there are N notes
///     JournalWorker churn STORE SEED      saves until it is killed, a dot for each save, and compacts at times
@main
struct Worker {
    static func main() throws {
        let arguments = CommandLine.arguments
        let configuration = JournalStoreConfiguration(
            url: URL(fileURLWithPath: arguments[2]), durability: .relaxed, busyTimeout: .seconds(60))
        let container = try ModelContainer(for: Note.self, configurations: configuration)
        let context = ModelContext(container)
        switch arguments[1] {
        case "write": try write(context, author: arguments[3], saves: Int(arguments[4]) ?? 0)
        case "read": try read(context, transactions: Int(arguments[3]) ?? 0)
        case "prune": try prune(context, notes: Int(arguments[3]) ?? 0)
        case "churn": try churn(context, seed: UInt64(arguments[3]) ?? 0)
        default: exit(64)
        }
    }

    /// Written at once: a killed process leaves nothing in a buffer.
    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private static func write(_ context: ModelContext, author: String, saves: Int) throws {
        context.author = author
        for number in 0..<saves {
            // Two changes a save, so that a transaction that is split shows.
            let note = Note(author, number)
            context.insert(note)
            context.insert(Page("\(author) \(number)", of: note))
            try context.save()
        }
        say("wrote\n")
    }

    /// One line for each transaction: its number, author, and the identifiers of its changes.
    private static func read(_ context: ModelContext, transactions: Int) throws {
        var (seen, token) = (0, JournalToken?.none)
        while seen < transactions {
            var descriptor = token.map { HistoryDescriptor<JournalTransaction>.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = 7
            for transaction in try context.fetchHistory(descriptor) {
                let changes = transaction.changes.map { "\($0.changedPersistentIdentifier)" }.joined(separator: ",")
                say("\(transaction.transactionIdentifier) \(transaction.author ?? "-") \(changes)\n")
                token = transaction.token
                seen += 1
            }
        }
    }

    private static func prune(_ context: ModelContext, notes: Int) throws {
        let store = context.container.stores.first as? JournalStore
        while try context.fetchCount(FetchDescriptor<Note>()) < notes { try prune(context, store) }
        say("pruned\n")
    }

    private static func prune(_ context: ModelContext, _ store: JournalStore?) throws {
        guard let token = try store?.currentHistoryToken() else { return }
        try context.deleteHistory(HistoryDescriptor<JournalTransaction>.before(token))
        try store?.compact()
    }

    private static func churn(_ context: ModelContext, seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let store = context.container.stores.first as? JournalStore
        var notes = try context.fetch(FetchDescriptor<Note>())
        while true {
            for _ in 0..<Int.random(in: 1...10, using: &random) { change(context, &notes, &random) }
            // One for each save, so that one that is lost shows.
            context.insert(Page("save"))
            try context.save()
            say(".")
            if Int.random(in: 0..<6, using: &random) == 0 { try prune(context, store) }
        }
    }

    private static func change(_ context: ModelContext, _ notes: inout [Note], _ random: inout SplitMix) {
        let choice = Int.random(in: 0..<10, using: &random)
        if notes.isEmpty || choice < 5 {
            // Long, so that some are killed in the middle of a write.
            let length = choice == 0 ? 4_000 : Int.random(in: 0..<100, using: &random)
            let note = Note(String(repeating: "note", count: length))
            context.insert(note)
            context.insert(Page("page", of: note))
            notes.append(note)
        } else if choice < 7 {
            notes[Int.random(in: 0..<notes.count, using: &random)].number += 1
        } else {
            context.delete(notes.remove(at: Int.random(in: 0..<notes.count, using: &random)))
        }
    }
}

/// A small generator with a seed, so that a failure can be had again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
