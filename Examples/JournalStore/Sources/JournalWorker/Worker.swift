import Chronicle
import ChronicleConformance
import Foundation
import JournalStore

/// A separate process for the tests, which wait for its output.
///
///     JournalWorker write STORE AUTHOR N  makes N saves
///     JournalWorker read STORE N          reads the history on until it has seen N transactions
///     JournalWorker prune STORE N         deletes the history and compacts, until there are N notes
///     JournalWorker churn STORE SEED      saves until it is killed, a dot for each save, and compacts all the time
///     JournalWorker STORE TASK            saves as the rules for stores want it, until it is killed
@main
struct Worker {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments[1] {
        case "write": try write(open(arguments[2]), author: arguments[3], saves: Int(arguments[4]) ?? 0)
        case "read": try read(open(arguments[2]), transactions: Int(arguments[3]) ?? 0)
        case "prune": try prune(open(arguments[2]), notes: Int(arguments[3]) ?? 0)
        case "churn": try churn(open(arguments[2]), seed: UInt64(arguments[3]) ?? 0)
        default: try runStoreWorker(configuration)
        }
    }

    private static func configuration(_ path: String) -> JournalStoreConfiguration {
        JournalStoreConfiguration(
            url: URL(fileURLWithPath: path), durability: .relaxed, busyTimeout: .seconds(60))
    }

    private static func open(_ path: String) throws -> ModelContext {
        ModelContext(try ModelContainer(for: Note.self, configurations: configuration(path)))
    }

    /// Written at once, because a killed process does not flush its buffers.
    private static func emit(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private static func write(_ context: ModelContext, author: String, saves: Int) throws {
        context.author = author
        for number in 0..<saves {
            // Two changes per save, so that a split transaction is detected.
            let note = Note(author, number)
            context.insert(note)
            context.insert(Page("\(author) \(number)", of: note))
            try context.save()
        }
        emit("wrote\n")
    }

    /// One line for each transaction: its number, author, and the identifiers of its changes.
    private static func read(_ context: ModelContext, transactions: Int) throws {
        var (seen, token) = (0, JournalToken?.none)
        while seen < transactions {
            var descriptor = token.map { HistoryDescriptor<JournalTransaction>.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = 7
            for transaction in try context.fetchHistory(descriptor) {
                let changes = transaction.changes.map { "\($0.changedPersistentIdentifier)" }.joined(separator: ",")
                emit("\(transaction.transactionIdentifier) \(transaction.author ?? "-") \(changes)\n")
                token = transaction.token
                seen += 1
            }
        }
    }

    private static func prune(_ context: ModelContext, notes: Int) throws {
        let store = context.container.stores.first as? JournalStore
        while try context.fetchCount(FetchDescriptor<Note>()) < notes { try prune(context, store) }
        emit("pruned\n")
    }

    private static func prune(_ context: ModelContext, _ store: JournalStore?) throws {
        guard let token = try store?.currentHistoryToken() else { return }
        try context.deleteHistory(HistoryDescriptor<JournalTransaction>.before(token))
        try store?.compact()
    }

    private static func churn(_ context: ModelContext, seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let store = context.container.stores.first as? JournalStore
        while true {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                context.insert(Note(String(repeating: "note", count: Int.random(in: 1...2_000, using: &random))))
                try context.save()
                emit(".")
            }
            try prune(context, store)
        }
    }
}

/// A small generator with a seed, so that failures can be reproduced.
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
