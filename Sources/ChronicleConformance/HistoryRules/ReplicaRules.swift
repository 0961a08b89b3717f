public import Chronicle
import Foundation

extension StoreRule where Store: HistoryProviding {
    /// Rules about exports and replicas. They are skipped without `DataStoreExporting` or the capability `replay`.
    public static var replicas: [StoreRule] { [exportedRows, replayedExports, replayConflicts] }

    private static var isExporting: Bool { Store.self is any DataStoreExporting.Type }

    static var exportedRows: StoreRule {
        StoreRule("a snapshot for an export contains each model once, in order, at the newest position") { harness in
            let store = try require(harness.store as? any DataStoreExporting, "a store that adopts DataStoreExporting")
            try insertLibrary(harness)
            let context = harness.context()
            let expected =
                try context.fetchIdentifiers(FetchDescriptor<Book>())
                + context.fetchIdentifiers(FetchDescriptor<Shelf>())
                + context.fetchIdentifiers(FetchDescriptor<Topic>())
            let (found, token) = try exportedIdentifiers(store)
            let known = Set(expected.map(\.entityName))
            try expect(
                found.filter { known.contains($0.entityName) }.sorted(), is: expected.sorted(), "the exported models")
            for name in known.sorted() {
                let own = found.filter { $0.entityName == name }
                try expect(own, is: own.sorted(), "the order of the exported models of \(name)")
            }
            try expect(token, is: context.currentHistoryToken(), "the position of the snapshot")
        }
        .requiring("DataStoreExporting", isExporting)
    }

    private static func exportedIdentifiers(
        _ store: some DataStoreExporting
    ) throws -> ([PersistentIdentifier], DefaultHistoryToken) {
        var found: [PersistentIdentifier] = []
        var hasLinks = false
        let token = try store.exportRows { row in
            switch row {
            case .model(let snapshot):
                found.append(snapshot.persistentIdentifier)
                try expect(!hasLinks, "all models before the first link")
            case .link: hasLinks = true
            }
        }
        return (found, token)
    }

    /// Exports from the position of the replica on. Returns the number of replayed transactions, or `nil` if the history
    /// does not preserve the values that the replica needs, as a store need not.
    private static func replay(_ source: StoreHarness<Store>, to replica: StoreHarness<Store>) throws -> Int? {
        let container = replica.context().container
        let start = try container.replayedHistoryToken().map { HistoryStart.token($0) } ?? .beginning
        var data: Data? = Data()
        do {
            try source.context().container.exportHistory(startingAt: start) { data?.append($0) }
        } catch SwiftDataError.historyValueMissing where start != .beginning {
            return nil
        }
        return try container.replayHistory {
            defer { data = nil }
            return data
        }
    }

    private static func lines(_ harness: StoreHarness<Store>) throws -> [String] {
        try harness.context().books().map {
            "\($0.persistentModelID) \($0.title) \($0.pages) \($0.shelf?.name ?? "-")"
        }
        .sorted()
    }

    static var replayedExports: StoreRule {
        StoreRule("a replica has the models of its source, and keeps the position that it reached") { harness in
            let replica = try harness.another()
            let context = harness.context("ann")
            let shelf = Shelf("shelf")
            context.insert(shelf)
            try context.add("a", "b", on: shelf)
            func expectEqual(_ place: String) throws {
                try expect(lines(replica), is: lines(harness), "the models of the replica after the \(place)")
                try expect(
                    replica.context().container.replayedHistoryToken(), is: harness.context().currentHistoryToken(),
                    "the position of the replica after the \(place)")
                try expect(replay(harness, to: replica), is: 0, "the number of transactions that are replayed again")
            }
            _ = try replay(harness, to: replica)
            try expectEqual("first replay")
            try harness.context("bob").add("c")
            if try replay(harness, to: replica) != nil { try expectEqual("second replay") }
        }
        .requiring("DataStoreExporting", isExporting).requiring(.replay, "replay")
    }

    static var replayConflicts: StoreRule {
        StoreRule("a replay does not overwrite what the replica changed", needs: .updates) { harness in
            let replica = try harness.another()
            let book = try harness.context().add("a")[0]
            _ = try replay(harness, to: replica)
            let position = try replica.context().container.replayedHistoryToken()
            let context = replica.context()
            try context.book("a").pages = 7
            try context.save()
            book.pages = 8
            try require(book.modelContext, "the context of a saved model").save()
            do {
                guard try replay(harness, to: replica) != nil else { return }
            } catch SwiftDataError.historyReplayConflict {
                try expect(replica.context().book("a").pages, is: 7, "the value of the replica")
                try expect(
                    replica.context().container.replayedHistoryToken(), is: position,
                    "the position of the replica after the conflict")
                return
            }
            throw ConformanceFailure(
                "a replay of an update of a value that the replica changed to throw historyReplayConflict, found no error"
            )
        }
        .requiring("DataStoreExporting", isExporting).requiring(.replay, "replay")
    }
}
