import Chronicle
import Foundation

/// A store with the given number of changes, and 100 more after a token. Created when it is first used, and removed
/// with the program.
final class LongHistory {
    private let changes: Int
    private var made: (store: TripStore, token: DefaultHistoryToken)?
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "chronicle-benchmarks-\(UUID().uuidString)")

    init(changes: Int) { self.changes = changes }

    deinit {
        made = nil
        do { try FileManager.default.removeItem(at: directory) } catch CocoaError.fileNoSuchFile {
        } catch { FileHandle.standardError.write(Data("left behind: \(directory.path): \(error)\n".utf8)) }
    }

    private func make() throws -> (store: TripStore, token: DefaultHistoryToken) {
        if let made { return made }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = try TripStore(directory, .relaxed)
        try store.insert(changes, perSave: 1_000)
        let token = try store.context.currentHistoryToken()
        try store.insert(100, perSave: 100)
        made = (store, token)
        return (store, token)
    }

    func context() throws -> ModelContext { ModelContext(try make().store.container) }

    /// Reads the 100 changes at the end.
    func newest() throws -> () throws -> Void {
        let (context, token) = (try context(), try make().token)
        return {
            let transactions = try context.fetchHistory(.after(token))
            precondition(transactions.reduce(0) { $0 + $1.tripChanges } == 100, "not every change is there")
        }
    }

    /// The memory growth of a process that reads the whole history in pages.
    func memory() throws -> Row.Outcome {
        let (count, bytes) = try MemoryRows.measure(.readPages, make().store.url)
        precondition(count == changes + 100, "not every change was read")
        return Row.Outcome(median: .bytes(Double(bytes)))
    }
}
