import Chronicle
import Foundation
import MemoryStore
import Testing

func importTrips(_ trips: [Trip], request: String, into context: ModelContext) throws {
    context.transactionMetadata = ["reason": "import", "request": request]
    defer { context.transactionMetadata = [:] }
    for trip in trips { context.insert(trip) }
    try context.save()
}

func findImports(of request: String, in context: ModelContext) throws -> [DefaultHistoryTransaction] {
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.metadata["reason"] == "import" && $0.metadata["request"] == request })
    return try context.fetchHistory(descriptor)
}

@Suite struct MemoryMetadataTests {
    @Test func transactionsHaveTheMetadataOfTheSave() throws {
        let context = try Fixture().context("app")
        try importTrips([Trip("Rome")], request: "7", into: context)
        context.insert(Trip("Oslo"))
        try context.save()
        try importTrips([Trip("Bern"), Trip("Graz")], request: "8", into: context)

        let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(
            history.map(\.metadata) == [
                ["reason": "import", "request": "7"], [:], ["reason": "import", "request": "8"],
            ])
        #expect(try findImports(of: "8", in: context).map(\.transactionIdentifier) == [3])
        #expect(try findImports(of: "9", in: context).isEmpty)
        let others = HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.metadata["reason"] == nil })
        #expect(try context.fetchHistory(others).map(\.transactionIdentifier) == [2])
        try context.deleteHistory(others)
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
    }

    @Test func batchDeletesHaveTheMetadataOfTheContext() throws {
        let context = try Fixture().context("app")
        try importTrips([Trip("Rome")], request: "7", into: context)
        context.transactionMetadata = ["reason": "cleanup"]
        try context.delete(model: Trip.self)
        let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
        #expect(last?.metadata == ["reason": "cleanup"] && last?.changes.count == 1)
    }
}
