import Chronicle
import ChronicleAppleStore
import ChronicleTestSupport
import Foundation

/// Reads a file with the layout of Core Data without classes, and converts it.
struct AppleExercise {
    let url: URL
    var outcomes = Outcomes()

    init(_ url: URL) { self.url = url }

    mutating func run() {
        let url = url
        outcomes.attempt("recognize") { try AppleStore.isAppleStore(fileAt: url) }
        guard let schema = outcomes.attempt("describe", { try AppleStore.schema(ofFileAt: url) }) else { return }
        let opened = outcomes.attempt("open") {
            try AppleStore(AppleStoreConfiguration(schema: schema, url: url), migrationPlan: nil)
        }
        guard let store = opened else { return }
        for entity in schema.entities {
            outcomes.attempt("count models") { try store.fetchCount(ofEntity: entity.name) }
            outcomes.attempt("fetch models") { try store.fetchRows(ofEntity: entity.name) { _ in } }
        }
        readHistory(store)
        convert(store)
    }

    private mutating func readHistory(_ store: AppleStore) {
        outcomes.attempt("fetch history") { try store.fetchHistory(HistoryDescriptor()) }
        outcomes.attempt("count history") { try store.historyCounts() }
        outcomes.attempt("earliest token") { try store.earliestHistoryToken() }
        outcomes.attempt("fetch history after a token") {
            if let token = try store.currentHistoryToken() { _ = try store.fetchHistory(.after(token)) }
        }
        outcomes.attempt("pages of changes") {
            for transaction in try store.fetchHistoryWithoutChanges(HistoryDescriptor()) {
                _ = try store.fetchHistoryChanges(HistoryChangesRequest(transaction, after: nil, limit: 3))
            }
        }
    }

    /// The new file is complete, or there is none.
    private mutating func convert(_ store: AppleStore) {
        let folder = url.deletingLastPathComponent().appending(path: "converted")
        let new = folder.appending(path: "new.store")
        do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false) } catch {
            return outcomes.fail("create a directory", "\(error)")
        }
        if outcomes.attempt("convert", { try store.convert(to: new) }) == nil {
            let names = outcomes.attempt("list") { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
            if names?.isEmpty == false { outcomes.fail("convert", "an error, and left \(names ?? [])") }
            return
        }
        var problems: [StoreProblem] = []
        outcomes.attempt("verify") { try DefaultStore.verify(fileAt: new) { problems.append($0) } }
        // A column of the file may contain values of another type.
        if let problem = problems.first(where: { ![.column, .inverse].contains($0.kind) }) {
            outcomes.fail("convert", "nothing, and the new file has a problem: \(problem)")
        }
        outcomes.attempt("read the new file") {
            let converted = try DefaultStore(readingHistoryAt: new)
            for entity in converted.schema.entities { try converted.fetchRows(ofEntity: entity.name) { _ in } }
            return try converted.fetchHistory(HistoryDescriptor())
        }
    }
}
