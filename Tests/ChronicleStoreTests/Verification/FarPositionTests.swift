import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChronicleStore

/// A damaged history with a row that is far behind the others: the time of each operation depends on the rows, not on the
/// positions between them.
@Suite struct FarPositionTests {
    enum Operation: String, CaseIterable, Sendable {
        case verify, statistics, transactions, changes, count, consumer, purgeByCount, purgeByAge, delete, export
        case asOf, modelHistory, reversedModelHistory, blame, netChanges, erase, save

        fileprivate func run(_ store: DefaultStore, _ container: ModelContainer, _ start: DefaultHistoryToken) throws {
            let context = ModelContext(container)
            switch self {
            case .verify: try DefaultStore.verify(fileAt: store.configuration.url) { _ in }
            case .statistics: _ = try store.historyStatistics()
            case .transactions: _ = try store.fetchHistoryWithoutChanges(HistoryDescriptor())
            case .changes: _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
            case .count: _ = try store.estimatedChangeCount(after: start)
            case .consumer:
                let consumer = try container.historyConsumer(
                    named: "reader", of: DefaultHistoryTransaction.self, startingNewAt: .beginning)
                while let batch = try consumer.nextBatch(limit: 100) { try consumer.acknowledge(batch) }
            case .purgeByCount: try purge(store, HistoryRetention(maximumChanges: 1))
            case .purgeByAge: try purge(store, HistoryRetention(maximumAge: .zero))
            case .delete: try context.deleteHistory(.after(start))
            case .export: try container.exportHistory { _ in }
            case .asOf: _ = try ModelContext(container, asOf: start).fetch(FetchDescriptor<Trip>())
            case .modelHistory: try modelHistory(.forward, store)
            case .reversedModelHistory: try modelHistory(.reverse, store)
            case .blame:
                if let trip = try context.fetch(FetchDescriptor<Trip>()).first { _ = try context.blame(trip) }
            case .netChanges:
                if let newest = try store.currentHistoryToken() {
                    _ = try context.changes(between: start, and: newest, of: DefaultHistoryTransaction.self)
                }
            case .erase: try store.erasePreservedValues(ofEntityNamed: "Trip")
            case .save:
                context.insert(Trip(name: "new", destination: "x"))
                try context.save()
            }
        }

        private func purge(_ store: DefaultStore, _ retention: HistoryRetention) throws {
            let plan = try store.planHistoryPurge(retention, at: .now)
            while try !store.purgeHistory(plan).isLast {}
        }

        private func modelHistory(_ order: SortOrder, _ store: DefaultStore) throws {
            let model = PersistentIdentifier.Origin(storeIdentifier: store.identifier, entityName: "Trip").identifier(1)
            var request = ModelHistoryRequest<DefaultHistoryTransaction>(model, order: order)
            repeat {
                request.continuation = try store.fetchModelHistory(request).continuation
            } while request.continuation != nil
        }
    }

    private static let far = 0x3fff_ffff_ffff_fff0

    @Test(
        arguments: Operation.allCases,
        [
            "INSERT INTO chronicle_change(id, kind, primary_key) VALUES (\(far), 18, 1)",
            "UPDATE chronicle_change SET id = \(far) WHERE id = (SELECT max(id) FROM chronicle_change)",
        ])
    func theTimeDependsOnTheRows(_ operation: Operation, _ damage: String) throws {
        let test = try TestStore(.file, preservesValues: true)
        try test.add("a", "b")
        let start = try #require(try test.store.currentHistoryToken())
        try test.add("c")
        try test.add("d")
        try test.shell(damage)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // The error of a damaged history is as good as a result.
            _ = try? operation.run(test.store, test.container, start)
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .seconds(60)) == .success, "the operation does not end")
    }

    @Test func theVerificationReportsTheRow() throws {
        let test = try TestStore(.file)
        try test.add("a")
        try test.shell("INSERT INTO chronicle_change(id, kind, primary_key) VALUES (\(Self.far), 18, 1)")
        var parts = 0
        var kinds: Set<StoreProblem.Kind> = []
        try DefaultStore.verify(fileAt: test.url, progress: { _ in parts += 1 }) { kinds.insert($0.kind) }
        #expect(kinds.contains(.position) && parts < 10)
    }
}
