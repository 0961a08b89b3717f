import Chronicle
import Foundation

extension Worker {
    /// Reads the first change of a batch, and waits until it is killed, or the process that started it ends.
    static func holdConsumer(_ container: ModelContainer, named name: String) throws {
        let consumer = try container.historyConsumer(named: name, startingNewAt: .beginning)
        guard let batch = try consumer.nextBatch() else { exit(65) }
        var changes = batch.changeReader()
        guard try changes.nextChanges(limit: 1) != nil else { exit(66) }
        emit(".")
        let parent = getppid()
        while getppid() == parent { usleep(100_000) }
    }

    /// Inserts a page for each inserted note, and saves it together with the acknowledgement.
    static func consume(_ context: ModelContext, isEndless: Bool) throws {
        context.author = "consumer"
        let filter = HistoryFilter(
            models: [Note.self], changeKinds: [.insert], authors: .except(["consumer"]))
        let consumer = try context.container.historyConsumer(named: "work", filter: filter, startingNewAt: .beginning)
        while true {
            guard let batch = try consumer.nextBatch(limit: 3) else {
                guard isEndless else { return }
                emit(".")
                continue
            }
            for change in try batch.changes {
                let key = change.changedPersistentIdentifier.integerPrimaryKey ?? 0
                context.insert(Page(body: "work \(key)"))
            }
            try context.save(acknowledging: batch)
            emit(".")
        }
    }

    /// Fills the disk between a delivery and its acknowledgement, then removes the file "filler" beside the store.
    static func fillConsumer(_ context: ModelContext, beside store: URL) throws {
        context.insert(Note(text: "", number: 0))
        try context.save()
        let filter = HistoryFilter(authors: .only([], includingAnonymous: true))
        let consumer = try context.container.historyConsumer(named: "work", filter: filter, startingNewAt: .beginning)
        guard let batch = try consumer.nextBatch() else { exit(65) }
        context.author = "worker"
        do {
            while true {
                context.insert(Note(text: String(repeating: "x", count: 10_000), number: 0))
                try context.save()
            }
        } catch SwiftDataError.storeFull { context.rollback() }
        context.insert(Note(text: String(repeating: "x", count: 20_000), number: 0))
        do { try context.save(acknowledging: batch) } catch SwiftDataError.storeFull { emit("storeFull, ") }
        try FileManager.default.removeItem(at: store.deletingLastPathComponent().appending(path: "filler"))
        let delivered = try batch.changes.map(\.changedPersistentIdentifier)
        guard let again = try consumer.nextBatch(),
            try again.changes.map(\.changedPersistentIdentifier) == delivered
        else { exit(66) }
        emit("attempt \(again.attempt), ")
        try context.save(acknowledging: again)
        emit(try consumer.nextBatch() == nil ? "acknowledged\n" : "lost\n")
    }
}
