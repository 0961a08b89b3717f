import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// What purges delete and keep, and what readers see between their steps.
@Suite struct RetentionTests {
    /// A store with five transactions of one change each.
    private func filled(_ kind: StoreKind) throws -> TestStore {
        let store = try TestStore(kind)
        for name in ["1", "2", "3", "4", "5"] { try store.add(name, author: "app") }
        return store
    }

    private func numbers(_ store: TestStore) throws -> [Int64?] {
        try store.history().map { $0.changes.first?.changedPersistentIdentifier.integerPrimaryKey }
    }

    /// Checks what must be true between the steps of a purge.
    private func check(_ store: TestStore, _ all: [Transaction]) throws {
        let failures = try store.historyFailures()
        #expect(failures.isEmpty, "\(failures)")
        let kept = try store.history()
        #expect(all.suffix(kept.count) == kept)
        #expect(try store.store.fetchHistoryCount(Descriptor()) == kept.count)
        #expect(try store.store.historyStatistics().transactions == kept.count)
        for (index, transaction) in all.enumerated() {
            let error = try failure(of: {
                let next = try store.history(.after(transaction.token))
                #expect(next == Array(all.dropFirst(index + 1)))
            })
            // The newest deleted transaction is the floor.
            #expect(error == (index < all.count - kept.count - 1 ? .historyTokenExpired : nil))
        }
    }

    // MARK: Limits

    @Test(arguments: StoreKind.allCases)
    func withoutLimitsNothingIsDeleted(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let results = try await store.container.purgeHistory()
        #expect(results.map(\.transactions) == [0] && results.map(\.changes) == [0])
        #expect(try numbers(store) == [1, 2, 3, 4, 5])
        #expect(try store.store.planHistoryPurge(.unlimited, at: .distantFuture).newest == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func age(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let all = try store.history()
        let retention = HistoryRetention(maximumAge: .seconds(3_600))
        #expect(try store.store.planHistoryPurge(retention, at: .now).newest == nil)
        // An hour after the third transaction, the ones before it are older.
        let plan = try store.store.planHistoryPurge(retention, at: all[2].timestamp + 3_600)
        let older = all.filter { $0.timestamp < all[2].timestamp }
        #expect(plan.newest == older.last?.token)
        let everything = try store.store.planHistoryPurge(retention, at: all[4].timestamp + 3_601)
        #expect(everything.newest == all[4].token)
    }

    /// Transactions with the given ages in days: one with a negative age was made by a program whose clock was wrong. The
    /// number of those that a limit of 30 days deletes.
    @Test(
        arguments: StoreKind.allCases,
        [
            ([90, -3_650, 80, 1, 0], 3), ([-3_650, 90, 80, 1, 0], 3), ([90, 80, -3_650, 1, 0], 2),
            ([90, 80, 70, -1, -1], 3),
            ([-1, -1, -1, -1, -1], 0), ([90, 1, -3_650, 80, 0], 1), ([90, 80, 1, 9_000, 0], 2),
            ([1, 9_000, 9_000, 0, 0], 0),
            ([90, 80, 70, 60, 50], 5), ([90, -1, 80, -1, 70], 5),
        ])
    func wrongClocks(_ kind: StoreKind, _ example: ([Double], Int)) throws {
        let (ages, deleted) = example
        let store = try filled(kind)
        let all = try store.history()
        let now = Date(timeIntervalSinceReferenceDate: 1e9)
        for (transaction, age) in zip(all, ages) {
            let seconds = now.timeIntervalSinceReferenceDate - age * 86_400
            try store.foreign("UPDATE chronicle_change SET primary_key = \(seconds) WHERE id = \(transaction.id)")
        }
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumAge: .seconds(30 * 86_400)), at: now)
        #expect(plan.newest == (deleted == 0 ? nil : all[deleted - 1].token))
    }

    /// Random ages in a history of several ranges, compared with the rule applied to all transactions.
    @Test(arguments: 0..<6)
    func randomClocks(_ number: Int) throws {
        var random = TestSeed.generator(number)
        let store = try TestStore(.file)
        let now = Date.now
        let context = store.context()
        let trip = Trip(name: "a", destination: "b")
        context.insert(trip)
        for step in 0..<1_500 {
            trip.note = "\(step)"
            try context.save()
        }
        // Blocks of equal ages, so that whole ranges are skipped.
        var ages: [Double] = []
        while ages.count < 1_500 {
            let age = random.pick([90.0, 60, 40, 20, 1, -1, -4_000, 9_000])
            ages += Array(repeating: age, count: 1 + random.below(number < 3 ? 3 : 600))
        }
        let all = try store.history()
        let updates = zip(all, ages).map { transaction, age in
            let seconds = now.timeIntervalSinceReferenceDate - age * 86_400
            return "UPDATE chronicle_change SET primary_key = \(seconds) WHERE id = \(transaction.id);"
        }
        try store.foreign(
            """
            BEGIN; \(updates.joined(separator: "\n")) COMMIT;
            UPDATE chronicle_summary SET (earliest, latest) = (SELECT min(primary_key), max(primary_key) \
            FROM chronicle_change WHERE kind < 0 AND id BETWEEN first AND last) WHERE latest IS NOT NULL
            """)
        let days = Double(1 + random.below(100))
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumAge: .seconds(days * 86_400)), at: now)
        let kept = ages.prefix(1_500).prefix { !(0...days).contains($0) }
        #expect(plan.newest == kept.lastIndex { $0 > days }.map { all[$0].token }, "\(TestSeed.description)")
    }

    @Test(arguments: StoreKind.allCases, 0...6)
    func numberOfChanges(_ kind: StoreKind, _ maximum: Int) async throws {
        let store = try filled(kind)
        let all = try store.history()
        let results = try await store.container.purgeHistory(HistoryRetention(maximumChanges: maximum))
        // The newest transaction is kept even if it exceeds the limit.
        let kept = min(max(maximum, 1), 5)
        #expect(try numbers(store) == Array([1, 2, 3, 4, 5].suffix(kept)))
        #expect(results.map(\.transactions) == [5 - kept] && results.map(\.changes) == [5 - kept])
        #expect(results.map(\.storeIdentifier) == [try store.store.identifier])
        try check(store, all)
    }

    @Test(arguments: StoreKind.allCases)
    func size(_ kind: StoreKind) async throws {
        let store = try TestStore(kind, preservesValues: true)
        for name in ["a", "b", "c"] { try store.add(String(repeating: name, count: 10_000)) }
        try store.add("d")
        let bytes = try store.store.historyStatistics().bytes
        #expect((30_000..<32_000).contains(bytes))
        _ = try await store.container.purgeHistory(HistoryRetention(maximumBytes: 25_000))
        #expect(try store.history().count == 3)
        #expect((20_000..<25_000).contains(try store.store.historyStatistics().bytes))
        _ = try await store.container.purgeHistory(HistoryRetention(maximumBytes: 1))
        #expect(try store.history().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func everythingCanBeDeletedByAge(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let all = try store.history()
        try store.foreign("UPDATE chronicle_change SET primary_key = primary_key - 1e6 WHERE kind < 0")
        _ = try await store.container.purgeHistory(HistoryRetention(maximumAge: .seconds(86_400)))
        #expect(try store.history().isEmpty)
        let statistics = try store.store.historyStatistics()
        #expect(statistics.transactions == 0 && statistics.changes == 0)
        #expect(statistics.oldest == nil && statistics.newest == nil)
        #expect(try store.store.currentHistoryToken() == all[4].token)
        try store.add("6")
        #expect(try store.history(.after(all[4].token)).map(\.id) == [12])
    }

    // MARK: Other programs

    @Test(arguments: StoreKind.allCases)
    func ungroupedChangesAreKept(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        try store.foreign("UPDATE chronicle_change SET primary_key = primary_key - 1e6 WHERE kind < 0")
        try store.foreign("UPDATE Trip SET note = 'x' WHERE id < 3")
        _ = try await store.container.purgeHistory(HistoryRetention(maximumAge: .seconds(86_400)))
        #expect(try store.lines().map { $0.contains("update Trip/1 note, update Trip/2 note") } == [true])
        try store.add("6")
        #expect(try store.history().count == 2)
        #expect(try store.historyFailures().isEmpty)
    }

    @Test func readOnlyStoresThrow() async throws {
        let store = try filled(.file)
        let configuration = ModelConfiguration(url: store.url, allowsSave: false)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        #expect(try container.historyStatistics().map(\.transactions) == [5])
        await #expect(throws: SwiftDataError.storeReadOnly) { try await container.purgeHistory() }
    }

    // MARK: Long transactions

    @Test(arguments: StoreKind.allCases)
    func aLongTransactionIsDeletedInSteps(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        let context = store.context()
        try store.add("a", "b", in: context)
        for number in 0..<20_000 { context.insert(BucketListItem(title: "\(number)")) }
        try context.save()
        try store.add("c", "d", in: context)
        let all = try store.history()
        #expect(all.map(\.changes.count) == [1, 1, 20_000, 1, 1])
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        #expect(plan.newest == all[3].token)
        var (steps, transactions, changes) = (0, 0, 0)
        while true {
            let step = try store.store.purgeHistory(plan)
            guard !step.isLast else { break }
            (steps, transactions, changes) = (steps + 1, transactions + step.transactions, changes + step.changes)
            try check(store, all)
        }
        #expect(steps > 2)
        #expect((transactions, changes) == (4, 20_003))
        #expect(try store.history() == Array(all.suffix(1)))
        #expect(try store.number("SELECT count(*) FROM chronicle_meta WHERE name = 'purged'") == 0)
    }

    /// A purge that was interrupted within a transaction, other deletes, and the next purge.
    @Test(arguments: StoreKind.allCases)
    func interruptedPurges(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let context = store.context()
        for number in 0..<5_000 { context.insert(BucketListItem(title: "\(number)")) }
        try context.save()
        try store.add("a", "b", "c", in: context)
        let all = try store.history()
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 3), at: .now)
        #expect(try store.store.purgeHistory(plan).transactions == 0)
        #expect(try store.number("SELECT value FROM chronicle_meta WHERE name = 'purged'") == 5_001)
        try check(store, all)
        try context.deleteHistory(.before(all[1].token))
        #expect(try store.history().map(\.id) == [5_005, 5_007])
        _ = try await store.container.purgeHistory()
        #expect(try store.number("SELECT min(id) FROM chronicle_change") == 5_004)
        try check(store, all)
    }

    @Test(arguments: ["9999999", "-1", "x'00'"])
    func aMarkOfAnUndeletedTransactionThrows(_ value: String) throws {
        let store = try filled(.file)
        try store.foreign("INSERT INTO chronicle_meta(name, value) VALUES ('purged', \(value))")
        #expect(throws: SwiftDataError.damagedFile) { try store.history() }
        #expect(throws: SwiftDataError.damagedFile) { try store.store.historyStatistics() }
        #expect(throws: SwiftDataError.damagedFile) { try store.store.purgeHistory(HistoryPurgePlan(newest: nil)) }
    }

    // MARK: Readers

    /// Creates a consumer with a position and the date of its last activity.
    private func register(_ name: String, _ store: TestStore, at token: DefaultHistoryToken, seen: Date) throws {
        _ = try store.consumer(name, at: .token(token))
        try store.store.updateConsumer(named: name, isDurable: true) { $0?.seen = seen }
    }

    @Test(arguments: StoreKind.allCases)
    func unreadTransactionsAreKept(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let now = Date.now
        try register("widget", store, at: all[1].token, seen: now - 60)
        try register("index", store, at: all[2].token, seen: now - 10)
        try register("reader", store, at: all[4].token, seen: now - 600)
        var retention = HistoryRetention(maximumChanges: 1)
        var plan = try store.store.planHistoryPurge(retention, at: now)
        #expect(plan.newest == all[1].token)
        #expect(plan.keptFor == ["index", "widget"] && plan.evicted == [])
        // Readers that were silent for too long are not waited for.
        retention.maximumSilence = .seconds(30)
        plan = try store.store.planHistoryPurge(retention, at: now)
        #expect(plan.newest == all[2].token)
        #expect(plan.keptFor == ["index"] && plan.evicted == ["widget"])
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(try store.history() == Array(all.suffix(2)))
    }

    /// A reader that registers itself after the plan was made is respected.
    @Test(arguments: StoreKind.allCases)
    func newReadersAreRespected(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let all = try store.history()
        let plan = try store.store.planHistoryPurge(HistoryRetention(maximumChanges: 1), at: .now)
        #expect(plan.newest == all[3].token)
        try register("new", store, at: all[0].token, seen: .now)
        while try !store.store.purgeHistory(plan).isLast {}
        #expect(try store.history() == Array(all.suffix(4)))
    }

    /// A purge waits for the acknowledgement of a consumer, and a silent consumer receives a reset.
    @Test(arguments: StoreKind.allCases)
    func consumersAcknowledgeOrAreEvicted(_ kind: StoreKind) async throws {
        let store = try filled(kind)
        let all = try store.history()
        let (live, silent) = (try store.consumer("live"), try store.consumer("silent"))
        for consumer in [live, silent] {
            #expect(try consumer.take(limit: 2) == ["insert Trip/1", "insert Trip/2"])
        }
        var retention = HistoryRetention(maximumChanges: 1)
        var result = try #require(try await store.container.purgeHistory(retention).first)
        #expect(result.transactions == 2)
        #expect(result.keptFor == ["live", "silent"] && result.evicted == [])
        #expect(try live.take(limit: 2) == ["insert Trip/3", "insert Trip/4"])
        #expect(try store.history() == Array(all.suffix(3)))

        retention.maximumSilence = .seconds(3_600)
        try store.store.updateConsumer(named: "silent", isDurable: true) { $0?.seen = .now - 3_601 }
        result = try #require(try await store.container.purgeHistory(retention).first)
        #expect(result.transactions == 2)
        #expect(result.keptFor == [] && result.evicted == ["silent"])
        #expect(try live.take() == ["insert Trip/5"])
        #expect(try silent.take() == ["reset: expired"])
        #expect(try silent.take() == (1...5).map { "model Trip/\($0)" })
        #expect(try silent.take() == nil)
    }

    @Test func plansOfOtherHistoriesThrow() throws {
        let store = try filled(.file)
        let forged = DefaultHistoryToken(storeIdentifier: try store.store.identifier, position: 4, checkValue: 1)
        let other = try filled(.file)
        let foreign = try #require(try other.store.currentHistoryToken())
        for token in [forged, foreign] {
            #expect(throws: SwiftDataError.self) { try store.store.purgeHistory(HistoryPurgePlan(newest: token)) }
        }
        #expect(try store.history().count == 5)
    }

    // MARK: Tasks

    @Test func cancellation() async throws {
        let store = try TestStore(.file)
        for number in 0..<3_000 { try store.add("\(number)") }
        let all = try store.history()
        let container = store.container
        let purge = Task {
            try await container.purgeHistory(HistoryRetention(maximumChanges: 10)) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await purge.value }
        let kept = try store.history()
        #expect(kept.count > 10 && kept.count < 3_000)
        #expect(kept == Array(all.suffix(kept.count)))
    }

    @Test(arguments: StoreKind.allCases)
    func savesDuringAPurge(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        let filling = store.context()
        for number in 0..<200 {
            for item in 0..<100 { filling.insert(BucketListItem(title: "\(number) \(item)")) }
            try filling.save()
        }
        let token = try filling.currentHistoryToken()
        let container = store.container
        async let purge = container.purgeHistory(HistoryRetention(maximumChanges: 1_000))
        let context = store.context(author: "writer")
        for number in 0..<100 { try store.add("\(number)", in: context) }
        let results = try await purge
        #expect(results[0].transactions > 150)
        let written = try store.history(.after(token))
        #expect(written.count == 100 && written.allSatisfy { $0.author == "writer" })
        #expect(try store.historyFailures().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func automaticPurges(_ kind: StoreKind) async throws {
        let directory = try TemporaryDirectory()
        var configuration =
            kind == .file
            ? ModelConfiguration(url: directory.file("automatic.store"), durability: .relaxed)
            : ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.historyRetention = HistoryRetention(maximumChanges: 2, purgeInterval: .zero)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        var names = 0
        // Each save starts a purge unless one is running.
        while try store.automaticPurgeOutcome == nil || store.fetchHistoryCount(Descriptor()) > 2 {
            if names < 10 || store.automaticPurgeOutcome != nil {
                names += 1
                context.insert(Trip(name: "\(names)", destination: "somewhere"))
                try context.save()
            }
            await Task.yield()
        }
        #expect(try context.fetchCount(FetchDescriptor<Trip>()) == names)
        let result = try #require(try store.automaticPurgeOutcome?.get())
        #expect(result.storeIdentifier == store.identifier)
    }
}
