import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// The metadata of contexts is stored with their transactions.
@Suite struct MetadataTests {
    private static let values: [[String: String]] = [
        [:], ["reason": "import"], ["reason": ""], ["request": "import"], ["reason": "re-import", "request": "7"],
        ["REASON": "import", "": "empty", "née": "imp\0ort", "👩‍👩‍👧": "👍"],
    ]

    /// Saves a trip with each of the values.
    private func filled(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind)
        let context = store.context(author: "app")
        for metadata in Self.values {
            context.transactionMetadata = metadata
            try store.add("trip", in: context)
        }
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func transactionsHaveTheMetadataOfTheirContexts(_ kind: StoreKind) throws {
        let store = try filled(kind)
        #expect(try store.history().map(\.metadata) == Self.values)
        #expect(try store.store.fetchHistoryWithoutChanges(Descriptor()).map(\.metadata) == Self.values)
        try store.foreign("UPDATE Trip SET name = 'x'")
        #expect(try store.history().last?.metadata == [:])
        let context = store.context()
        context.transactionMetadata = ["reason": "cleaning"]
        try context.delete(model: Trip.self)
        try context.save()
        #expect(try store.history().last?.metadata == ["reason": "cleaning"])
    }

    @Test(arguments: StoreKind.allCases)
    func predicatesUseTheValueOfAKey(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let (key, none) = ("née", String?.none)
        let predicates: [Predicate<DefaultHistoryTransaction>] = [
            #Predicate { $0.metadata["reason"] == "import" }, #Predicate { $0.metadata["reason"] != "import" },
            #Predicate { $0.metadata["reason"] == none }, #Predicate { $0.metadata[key] == "imp\0ort" },
            #Predicate { $0.author == "app" && $0.metadata["request"] != none },
            #Predicate { $0.metadata["reason", default: "import"] == "import" },
        ]
        for predicate in predicates {
            let expected = try all.filter(predicate.evaluate).map(\.id)
            let descriptor = Descriptor(predicate: predicate)
            #expect(try store.history(descriptor).map(\.id) == expected)
            #expect(try store.store.fetchHistoryCount(descriptor) == expected.count)
            #expect(try store.history(descriptor.limited(1)).map(\.id) == Array(expected.prefix(1)))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func metadataIsDeletedWithItsTransaction(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let rows = "SELECT count(*) FROM chronicle_metadata"
        #expect(try store.number(rows) == 9)
        try store.store.deleteHistory(Descriptor(predicate: #Predicate { $0.metadata["request"] == "7" }))
        #expect(try store.number(rows) == 7)
        #expect(try store.history().map(\.metadata) == Self.values.filter { $0["request"] != "7" })
        try store.store.deleteHistory(Descriptor())
        #expect(try store.number(rows) == 0)
    }

    @Test func damagedMetadataThrows() throws {
        let store = try filled(.file)
        try store.shell("UPDATE chronicle_metadata SET value = x'00' WHERE name = 'request'")
        let error = try failure(of: { try store.history() })
        #expect(error == .damagedFile && error?.detail?.contains("chronicle_metadata") == true)
    }
}
