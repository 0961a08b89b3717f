public import Chronicle

extension StoreRule {
    /// Rules about erasing a store. They are skipped for stores that do not implement `DataStore.erase()`.
    public static var erasing: [StoreRule] { [erasedModels] }

    static var erasedModels: StoreRule {
        StoreRule("erasing a store deletes all models, and identifiers are not reused") { harness in
            try insertLibrary(harness)
            let identifiers = try harness.context().fetchIdentifiers(FetchDescriptor<Book>())
            do { try harness.store.erase() } catch SwiftDataError.unsupportedFeature, DataStoreError.unsupportedFeature
            {
                return
            }
            try expect(harness.context().books().count, is: 0, "the number of books after erasing the store")
            try expect(harness.context().fetchCount(FetchDescriptor<Shelf>()), is: 0, "the number of shelves")
            try expect(harness.context().fetchCount(FetchDescriptor<Topic>()), is: 0, "the number of topics")
            let context = harness.context()
            try context.add("new", on: Shelf("new"))
            try expect(harness.context().books().map(\.title), is: ["new"], "the books that were saved afterwards")
            let reused = Set(try harness.context().fetchIdentifiers(FetchDescriptor<Book>())).intersection(identifiers)
            try expect(reused.isEmpty, "new identifiers for new models, found those of erased models")
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Rules about the history of an erased store.
    public static var erasedHistory: [StoreRule] { [erasedTransactions] }

    static var erasedTransactions: StoreRule {
        StoreRule("erasing a store deletes the history, and tokens from before expire") { harness in
            let token = try require(harness.write("a", "b").last, "a transaction for a save").token
            do { try harness.store.erase() } catch SwiftDataError.unsupportedFeature, DataStoreError.unsupportedFeature
            {
                return
            }
            try expect(harness.history().count, is: 0, "the number of transactions after erasing the store")
            try expect(.historyTokenExpired, of: "reading on from before a store was erased") {
                try harness.history(.after(token))
            }
            try harness.write("c")
            try expect(harness.titles(harness.history()), is: ["c"], "the transactions after erasing the store")
            try expect(.historyTokenExpired, of: "reading on from before a store was erased") {
                try harness.history(.after(token))
            }
        }
    }
}
