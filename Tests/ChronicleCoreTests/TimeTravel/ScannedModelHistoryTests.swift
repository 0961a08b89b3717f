import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// The history of a model in a store that only returns transactions.
@Suite struct ScannedModelHistoryTests {
    /// A store in which each transaction changes one of three hotels, and the first two transactions insert them.
    private func scripted(_ count: Int64) throws -> ScriptedContainer {
        let scripted = try ScriptedContainer()
        let schema = scripted.container.schema
        let hotels = (0..<3).map { ScriptedStore.origin("Hotel").identifier($0) }
        scripted.script.change { script in
            script.transactions = (1...count).map { number in
                let hotel = hotels[Int(number) % 3]
                let changes: [HistoryChange] =
                    number <= 3
                    ? [.insert(of: hotel, changeIdentifier: number, transactionIdentifier: number, schema: schema)]
                    : [
                        .update(
                            of: hotel, updatedAttributeNames: [number % 2 == 0 ? "name" : "stars"],
                            changeIdentifier: number, transactionIdentifier: number, schema: schema)
                    ]
                return DefaultHistoryTransaction(
                    transactionIdentifier: number, storeIdentifier: "scripted-store",
                    token: DefaultHistoryToken(storeIdentifier: "scripted-store", position: number), timestamp: .now,
                    author: "author \(number)", contextName: nil, bundleIdentifier: "", processIdentifier: "1",
                    changes: changes)
            }
        }
        return scripted
    }

    @Test(arguments: [1, 2, 99, 1_000]) func pagesCoverTheHistory(_ limit: Int) throws {
        let scripted = try scripted(250)
        let hotel = ScriptedStore.origin("Hotel").identifier(1)
        let expected = (1...250 as ClosedRange<Int64>).filter { $0 % 3 == 1 }
        for order in [SortOrder.forward, .reverse] {
            var request = ModelHistoryRequest<DefaultHistoryTransaction>(hotel, order: order, limit: limit)
            var found: [Int64] = []
            repeat {
                let page = try scripted.context.historyPage(request)
                #expect(order == .reverse || page.entries.count <= limit)
                found += page.entries.map(\.transaction.id)
                request.continuation = page.continuation
            } while request.continuation != nil
            #expect(found == (order == .forward ? expected : expected.reversed()))
        }
        let names = try scripted.context.history(of: hotel, attribute: \Hotel.name)
        #expect(names.map(\.transaction.id) == expected.filter { $0 == 1 || $0 % 2 == 0 })
    }

    @Test func relatedModelsRequirePositions() throws {
        let scripted = try scripted(3)
        let hotel = ScriptedStore.origin("Hotel").identifier(1)
        let error = #expect(throws: SwiftDataError.self) {
            try scripted.context.history(of: hotel, including: [])
        }
        #expect(error?.code == .unsupportedFeature)
        #expect(error?.detail?.contains("read the history of each model instead") == true)
    }

    @Test func blameUsesTheTransactions() throws {
        let scripted = try scripted(20)
        let hotel = try scripted.add(("a", 1), ("b", 2))[0]
        let blame = try scripted.context.blame(hotel)
        #expect(hotel.persistentModelID == ScriptedStore.origin("Hotel").identifier(1))
        #expect(blame[\.name]?.author == "author 16" && blame[\.stars]?.author == "author 19")
        #expect(blame[\.opened]?.author == "author 1")
    }

    @Test func unsupportedFeaturesAreReported() throws {
        let context = try scripted(1).context
        #expect(try failure { try context.tags() } == .unsupportedFeature)
        #expect(try failure { try context.tag("a") } == .unsupportedFeature)
        let hotel = ScriptedStore.origin("Hotel").identifier(1)
        struct Other: HistoryTransaction {
            let author: String?
            let changes: [HistoryChange]
            let storeIdentifier: String
            let timestamp: Date
            let token: StrayToken
            let transactionIdentifier: Int
        }
        #expect(
            try failure { try context.history(of: hotel, for: Other.self) } == .invalidTransactionFetchRequest)
    }
}
