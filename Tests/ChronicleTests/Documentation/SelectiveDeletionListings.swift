import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

// The listing of the guide about the history that deletes transactions between others.

/// Deletes the transactions of the importer, and returns whether a reader misses any.
func deleteImports(in context: ModelContext, after token: DefaultHistoryToken) throws -> Bool {
    try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "importer" }))
    return try context.fetchHistory(.after(token)).contains { $0.followsDeletion }
}

@Suite struct SelectiveDeletionListingTests {
    @Test(arguments: StoreKind.allCases) func aReaderSeesThatTransactionsWereDeleted(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        try store.add("1", author: "app")
        try store.add("2", author: "importer")
        let token = try context.currentHistoryToken()
        try store.add("3", author: "app")
        #expect(try !deleteImports(in: context, after: token))
        try store.add("4", author: "importer")
        try store.add("5", author: "app")
        let last = try #require(try context.fetchHistory().first { $0.author == "app" }?.token)
        #expect(try deleteImports(in: context, after: last))
    }
}
