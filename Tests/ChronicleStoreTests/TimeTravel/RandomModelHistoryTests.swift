import Chronicle
import ChronicleSQLite
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// Random histories with holes, purges, changes by other programs, and gaps. The changes of each model are compared with
/// those of all transactions.
@Suite struct RandomModelHistoryTests {
    /// The changes of a model in all transactions, oldest first.
    private func expected(_ model: PersistentIdentifier, _ history: [Transaction]) -> [String] {
        history.flatMap { transaction in
            transaction.changes.filter { $0.changedPersistentIdentifier == model }.map { line(transaction, $0) }
        }
    }

    private func line(_ transaction: Transaction, _ change: HistoryChange) -> String {
        let values = change.preservedValues.map { "\($0.name)=\($0.previousValue as Any)→\($0.value as Any)" }
        return "\(transaction.id) \(transaction.author ?? "-") \(transaction.contextName ?? "-") "
            + "\(transaction.metadata.sorted { $0.key < $1.key }) \(change.text) \(values)"
    }

    @Test(arguments: TestSeed.rounds(3))
    func historyOfAModelMatchesTheWholeHistory(_ number: Int) throws {
        var random = try RandomHistory(TestSeed.generator(number))
        let context = random.store.context()
        for _ in 0..<8 {
            for _ in 0..<4 { try random.step() }
            try random.store.foreign(
                "UPDATE BucketListItem SET isDone = 1 - isDone WHERE id % 5 = \(random.random.below(5))")
            let isIndexed = random.random.below(2) == 0
            try random.store.store.setHistoryIndexedByModel(isIndexed)
            #expect(try random.store.store.isHistoryIndexedByModel == isIndexed)
            let history = try random.store.history()
            let models = Array(Set(history.flatMap { $0.changes.map(\.changedPersistentIdentifier) })).sorted()
            for _ in 0..<min(10, models.count) {
                let model = random.random.pick(models)
                let lines = expected(model, history)
                try compare(model, lines, context, limit: random.random.pick([1, 2, 3, 1_000]))
                try compareBlame(model, history, context)
            }
        }
    }

    private func compare(_ model: PersistentIdentifier, _ lines: [String], _ context: ModelContext, limit: Int) throws {
        for order in [SortOrder.forward, .reverse] {
            var request = HistoryRequest(model, order: order, limit: limit)
            var found: [String] = []
            repeat {
                let page = try context.historyPage(request)
                #expect(page.entries.count <= limit)
                found += page.entries.map { line($0.transaction, $0.change) }
                request.continuation = page.continuation
            } while request.continuation != nil
            #expect(found == (order == .forward ? lines : lines.reversed()), "\(TestSeed.description)")
        }
    }

    /// Compares the blame of a model with a replay of all changes from the oldest on.
    private func compareBlame(
        _ identifier: PersistentIdentifier, _ history: [Transaction], _ context: ModelContext
    ) throws {
        var descriptor = FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.persistentModelID == identifier })
        descriptor.fetchLimit = 1
        guard let model = try ModelContext(context.container).fetch(descriptor).first else { return }
        let floor = try number("floor", context), gap = try number("gap", context)
        var expected: [String: Int64] = [:]
        for transaction in history where transaction.id > max(floor, gap) {
            for change in transaction.changes where change.changedPersistentIdentifier == identifier {
                let names =
                    if case .update(let update) = change { update.updatedAttributeNames } else {
                        ["title", "isDone", "trip"]
                    }
                for name in names { expected[name] = transaction.id }
            }
        }
        let blame = try context.blame(model)
        #expect(blame.attributeNames == ["title", "isDone", "trip"])
        for name in blame.attributeNames {
            #expect(blame[name]?.id == expected[name], "\(TestSeed.description)")
        }
        #expect(blame.attributeNamesBeforeHistory == blame.attributeNames.filter { expected[$0] == nil })
    }

    private func number(_ name: String, _ context: ModelContext) throws -> Int64 {
        let store = try #require(context.container.stores.first as? DefaultStore)
        return try store.database.read {
            try $0.scalarInt64("SELECT value FROM chronicle_meta WHERE name = '\(name)'") ?? 0
        }
    }
}
