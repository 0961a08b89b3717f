import Chronicle
import Foundation

/// Fetches as of 1,000 transactions ago over 100,000 models, compared with the same fetches now.
enum AsOfRows {
    static var all: [Row] {
        let store = AsOfStore()
        let matching = FetchDescriptor<Trip>(predicate: #Predicate { $0.rating == 3 })
        let page = FetchDescriptor<Trip>(
            predicate: #Predicate { $0.nights > 2 }, sortBy: [SortDescriptor(\.destination), SortDescriptor(\.name)])
        return [
            row("as of 1,000 transactions ago: new context, fetch of 100,000", limit: 2, store) {
                try $0.fetch(matching).count
            },
            row("as of 1,000 transactions ago: new context, sorted page", limit: 2, store) { context in
                var page = page
                page.fetchLimit = 100
                return try context.fetch(page).count
            },
            row("as of 1,000 transactions ago: count in an open context", limit: 2, store, isOpen: true) {
                try $0.fetchCount(matching)
            },
            row("as of 1,000 transactions ago: 1,000 models by key", limit: 2, store, isOpen: true) { context in
                try store.get().identifiers.reduce(0) { count, identifier in
                    let model = FetchDescriptor<Trip>(predicate: #Predicate { $0.persistentModelID == identifier })
                    return try count + context.fetch(model).count
                }
            },
        ]
    }

    private static func row(
        _ name: String, limit: Double, _ store: AsOfStore, isOpen: Bool = false,
        _ query: @escaping (ModelContext) throws -> Int
    ) -> Row {
        Row(name: name, limit: .ratio(limit), runs: 11) { runs in
            let content = try store.get()
            var open: ModelContext?
            if isOpen {
                open = try ModelContext(content.container, asOf: content.token)
                _ = try open?.fetchCount(FetchDescriptor<Trip>())
            }
            return try compare(
                runs: runs,
                { _ in
                    try timed {
                        let context = ModelContext(content.container)
                        let count = try query(context)
                        precondition(count > 0, "models are missing")
                    }
                },
                { _ in
                    try timed {
                        let context = try open ?? ModelContext(content.container, asOf: content.token)
                        let count = try query(context)
                        precondition(count > 0, "models are missing")
                    }
                })
        }
    }
}

/// A file with 100,000 trips and a history of 1,000 later transactions, each of which updates a trip.
private final class AsOfStore {
    struct Content {
        let container: ModelContainer
        let token: DefaultHistoryToken
        let identifiers: [PersistentIdentifier]
    }

    private var content: Content?
    private let directory = FileManager.default.temporaryDirectory
        .appending(path: "chronicle-benchmarks-\(UUID().uuidString)")

    deinit {
        content = nil
        do { try FileManager.default.removeItem(at: directory) } catch CocoaError.fileNoSuchFile {
        } catch { FileHandle.standardError.write(Data("left behind: \(directory.path): \(error)\n".utf8)) }
    }

    func get() throws -> Content {
        if let content { return content }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = try TripStore(directory, .relaxed, preservesValues: true)
        try store.insert(100_000, perSave: 10_000)
        let token = try store.context.currentHistoryToken()
        let trips = try store.context.fetch(FetchDescriptor<Trip>())
        for index in 0..<1_000 {
            trips[index * 97].rating += 1
            try store.context.save()
        }
        let made = Content(
            container: store.container, token: token,
            identifiers: stride(from: 0, to: 100_000, by: 100).map { trips[$0].persistentModelID })
        content = made
        return made
    }
}
