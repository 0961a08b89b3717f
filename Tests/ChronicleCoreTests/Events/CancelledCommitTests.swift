import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Commits of cancelled tasks are announced once, and consumers apply each change once.
///
/// https://github.com/groue/GRDB.swift/issues/1747
@Suite("Commits of cancelled tasks", .timeLimit(.minutes(5)))
struct CancelledCommitTests {
    private func count(_ observer: HistoryObserver, reaching expected: Int) async -> Int {
        for await count in observer.eventCounts where count >= expected { return count }
        return -1
    }

    @Test(arguments: StoreKind.allCases) func aSaveOfACancelledTaskIsAnnounced(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let container = store.container
        let observer = try HistoryObserver(modelContainer: container)
        for number in 1...20 {
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                let context = ModelContext(container)
                context.insert(Trip(name: "\(number)", destination: ""))
                try context.save()
                return !context.hasChanges
            }
            task.cancel()
            #expect(try await task.value)
            #expect(await count(observer, reaching: number) == number)
        }
        #expect(try store.history().count == 20 && observer.error == nil)
    }

    @Test(arguments: StoreKind.allCases, 0..<4)
    func tasksThatAreCancelledAtAnyTimeLoseNoCommit(_ kind: StoreKind, _ seed: Int) async throws {
        var random = SplitMix(state: UInt64(seed))
        let store = try TestStore(kind)
        let container = store.container
        let observer = try HistoryObserver(modelContainer: container)
        for number in 0..<20 {
            let task = Task {
                for part in 0..<5 {
                    await Task.yield()
                    let context = ModelContext(container)
                    // Reads of a cancelled task throw.
                    guard (try? context.fetchCount(FetchDescriptor<Trip>())) != nil else { return }
                    context.insert(Trip(name: "\(number) \(part)", destination: ""))
                    try context.save()
                }
            }
            for _ in 0..<random.below(8) { await Task.yield() }
            task.cancel()
            try await task.value
        }
        let transactions = try store.history().count
        if transactions > 0 { #expect(await count(observer, reaching: transactions) == transactions) }
        #expect(try store.context().fetchCount(FetchDescriptor<Trip>()) == transactions)
    }

    @Test(arguments: StoreKind.allCases, 0..<4)
    func aCancelledConsumerAppliesEachChangeOnce(_ kind: StoreKind, _ seed: Int) async throws {
        var random = SplitMix(state: UInt64(seed))
        let store = try TestStore(kind)
        let container = store.container
        for number in 0..<40 { try store.add("\(number)") }
        let consume: @Sendable () async throws -> Void = {
            let consumer = try container.historyConsumer(
                named: "copies", filter: HistoryFilter(models: [Trip.self]), startingNewAt: .beginning)
            defer { consumer.release() }
            while let batch = try consumer.nextBatch(limit: 3) {
                await Task.yield()
                let context = ModelContext(container)
                for change in try batch.changes {
                    context.insert(BucketListItem(title: "\(change.changedPersistentIdentifier)"))
                }
                try context.save(acknowledging: batch)
                await Task.yield()
            }
        }
        for _ in 0..<20 {
            let task = Task { try await consume() }
            for _ in 0..<random.below(12) { await Task.yield() }
            task.cancel()
            do { try await task.value } catch is CancellationError {}
        }
        try await consume()
        let titles = try store.context().fetch(FetchDescriptor<BucketListItem>(sortBy: [SortDescriptor(\.title)]))
            .map(\.title)
        #expect(titles == (1...40).map { "Trip/\($0)" }.sorted())
    }
}
