import Chronicle
import ChronicleTestSupport
import Foundation
import Synchronization
import Testing

// The listings of the guide for users of a tracking kit.

/// Merges the transactions of other authors into contexts.
@MainActor
func trackingKit(
    for container: ModelContainer, _ contexts: [ModelContext], _ logger: any StoreLogger
) throws -> HistoryTrackingKit {
    try HistoryTrackingKit(
        container: container, currentAuthor: "app", allAuthors: ["app", "widget"], contexts: contexts,
        maximumDuration: .seconds(7 * 86_400), cleanStrategy: .byNotification(times: 10), logger: logger,
        logLevel: .debug)
}

/// Deletes what every consumer has acknowledged, or what is older than seven days.
let cleaningAfterMerge = HistoryRetention(
    maximumAge: .zero, maximumSilence: .seconds(7 * 86_400), purgeInterval: .seconds(60))

/// Deletes the transactions of some authors that every consumer has acknowledged.
func clean(_ authors: [String?], in container: ModelContainer) throws {
    guard let merged = try container.historyConsumers().compactMap(\.position).min() else { return }
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.token <= merged && authors.contains($0.author) })
    try ModelContext(container).deleteHistory(descriptor)
}

/// Prints what a store logs.
struct PrintingLogger: StoreLogger {
    func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
        print(level, message, metadata["consumer"] ?? "")
    }
}

func loggedConfiguration(_ url: URL) -> ModelConfiguration {
    var configuration = ModelConfiguration(url: url)
    configuration.logger = PrintingLogger()
    configuration.logLevel = .debug
    return configuration
}

/// Keeps what a kit logs.
private final class MergeLogger: StoreLogger {
    let messages = Mutex<[String]>([])

    func log(level: StoreLogLevel, message: String, metadata: [String: String]) {
        let values = ["event", "consumer", "authors", "transactions", "changes"].compactMap { metadata[$0] }
        messages.withLock { $0.append(values.joined(separator: " ")) }
    }
}

@Suite("Listings for users of a tracking kit", .timeLimit(.minutes(5)))
struct TrackingKitListingTests {
    private func authors(_ store: TestStore) throws -> [String?] { try store.history().map(\.author) }

    private func rename(_ name: String, _ author: String, _ store: TestStore) throws {
        let context = store.context(author: author)
        let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
        trip.name = name
        try context.save()
    }

    // MARK: Merging

    /// `currentAuthor`, `allAuthors`, `contexts`, `start()` and `stop()`.
    @MainActor @Test(arguments: StoreKind.allCases)
    func othersAreMergedIntoTheContexts(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        try store.add("Rome", author: "app")
        let contexts = [store.context(author: "app"), store.context(author: "app")]
        let trips = try contexts.map { try #require(try $0.fetch(FetchDescriptor<Trip>()).first) }
        let logger = MergeLogger()
        let tracker = try trackingKit(for: store.container, contexts, logger)
        tracker.start()
        try rename("Oslo", "widget", store)
        while trips.contains(where: { $0.name != "Oslo" }) { await Task.yield() }
        // Authors that are not listed, and the tracker's own, are not merged.
        try rename("Bonn", "sync", store)
        try rename("Bern", "app", store)
        try store.add("last", author: "widget")
        let token = try store.context().currentHistoryToken()
        while try token > #require(try store.container.historyConsumers().first?.position) { await Task.yield() }
        #expect(trips.map(\.name) == ["Oslo", "Oslo"])
        await tracker.stop()
        try rename("Rome", "widget", store)
        // The lock is free, and the changes since then are delivered after the next start.
        let consumer = try store.container.historyConsumer(
            named: "app", filter: HistoryFilter(authors: .only(["widget"])), startingNewAt: .now)
        #expect(try consumer.nextBatch()?.changes.count == 1)
        consumer.release()
        #expect(trips.map(\.name) == ["Oslo", "Oslo"])
        tracker.start()
        while trips.contains(where: { $0.name != "Rome" }) { await Task.yield() }
        await tracker.stop()
        let messages = logger.messages.withLock { $0 }
        #expect(messages.first == "historyMerged app widget 1 1" && Set(messages).count == 1)
    }

    /// The log has no merges with the default level, and the error that ends the task.
    @MainActor @Test func anErrorIsLogged() async throws {
        let store = try TestStore(.inMemory)
        let logger = MergeLogger()
        let kit = try HistoryTrackingKit(
            container: store.container, currentAuthor: "app", allAuthors: ["widget"], contexts: [store.context()],
            logger: logger, autoStart: false)
        #expect(kit.task == nil)
        try store.container.removeHistoryConsumer(named: "app")
        kit.start()
        let result = await kit.task?.result
        #expect(throws: SwiftDataError.historyConsumerNotFound) { try result?.get() }
        #expect(logger.messages.withLock { $0.map { $0.prefix(21) } } == ["historyTrackingFailed"])
    }

    /// `includingCloudKitMirroring`: a system's author is merged if it is listed.
    @Test(arguments: StoreKind.allCases)
    func authorsOfASystemAreMergedIfTheyAreListed(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        try store.add("a", author: "app")
        try store.add("b", author: "widget")
        try store.add("c", author: "sync")
        try store.add("d")
        func received(_ name: String, _ authors: HistoryFilter.Authors) throws -> [String?] {
            let consumer = try store.container.historyConsumer(
                named: name, filter: HistoryFilter(authors: authors), startingNewAt: .beginning)
            guard case .changes(let transactions)? = try consumer.nextBatch()?.content else { return [] }
            return transactions.map(\.author)
        }
        #expect(try received("1", .only(["widget"])) == ["widget"])
        #expect(try received("2", .only(["widget", "sync"])) == ["widget", "sync"])
        #expect(try received("3", .except(["app"])) == ["widget", "sync", nil])
    }

    /// `userDefaults` and `uniqueString`: the store keeps the position by the name of the consumer.
    @Test func positionsArePartOfTheStore() throws {
        let store = try TestStore(.file)
        try store.add("a")
        do {
            let consumer = try store.container.historyConsumer(named: "app", startingNewAt: .beginning)
            try consumer.acknowledge(try #require(try consumer.nextBatch()))
        }
        try store.add("b")
        let reopened = try store.reopened().historyConsumer(named: "app", startingNewAt: .beginning)
        let token = try #require(try reopened.nextBatch()).token
        #expect(try token == store.history().last?.token && store.history().count == 2)
    }

    // MARK: Cleaning

    private func acknowledgeAll(_ name: String, _ store: TestStore) throws {
        let consumer = try store.container.historyConsumer(named: name, startingNewAt: .beginning)
        while let batch = try consumer.nextBatch() { try consumer.acknowledge(batch) }
    }

    /// `allAuthors` and `batchAuthors`: a transaction is kept until every consumer has acknowledged it; authors that
    /// only write have no consumer, and purges do not wait for them.
    @Test(arguments: StoreKind.allCases)
    func transactionsAreKeptForConsumers(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        _ = try store.container.historyConsumer(named: "widget", startingNewAt: .now)
        for author in ["app", "batch", "sync"] { try store.add(author, author: author) }
        try acknowledgeAll("app", store)
        var retention = cleaningAfterMerge
        retention.purgeInterval = nil
        let kept = try await store.container.purgeHistory(retention)
        #expect(kept.map(\.keptFor) == [["widget"]])
        #expect(try authors(store) == ["app", "batch", "sync"])
        try acknowledgeAll("widget", store)
        _ = try await store.container.purgeHistory(retention)
        // Without regard to the author.
        #expect(try authors(store) == [])
    }

    /// Authors of others that are not cleaned.
    @Test(arguments: StoreKind.allCases)
    func someAuthorsAreCleaned(_ kind: StoreKind) throws {
        let store = try TestStore(kind)
        for author in ["app", "sync", "widget"] { try store.add(author, author: author) }
        try acknowledgeAll("app", store)
        try store.add("last", author: "widget")
        try clean(["app", "widget"], in: store.container)
        #expect(try authors(store) == ["sync", "widget"])
    }

    /// `maximumDuration`: a consumer that was silent for longer is not waited for.
    @Test(arguments: StoreKind.allCases)
    func silentConsumersAreNotWaitedFor(_ kind: StoreKind) async throws {
        let store = try TestStore(kind)
        _ = try store.container.historyConsumer(named: "widget", startingNewAt: .now)
        try store.add("a", "b")
        var retention = cleaningAfterMerge
        #expect(try await store.container.purgeHistory(retention).map(\.evicted) == [[]])
        #expect(try authors(store).count == 2)
        // The consumer was used for the last time moments ago.
        retention.maximumSilence = .zero
        #expect(try await store.container.purgeHistory(retention).map(\.evicted) == [["widget"]])
        #expect(try authors(store).isEmpty)
    }

    /// `cleanStrategy`: with an interval, the store purges after a save by itself; without, only on request.
    @Test(arguments: [Duration.seconds(60), nil])
    func purgesDependOnTheInterval(_ interval: Duration?) async throws {
        var retention = cleaningAfterMerge
        #expect(retention.purgeInterval == .seconds(60))
        retention.purgeInterval = interval
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true, historyRetention: retention)
        let container = try ModelContainer(for: Schema([Trip.self]), configurations: [configuration])
        let store = try #require(container.stores.first as? DefaultStore)
        let context = ModelContext(container)
        func save() throws {
            context.insert(Trip(name: "a", destination: "b"))
            try context.save()
        }
        try save()
        if interval != nil {
            while store.automaticPurgeOutcome == nil { await Task.yield() }
        }
        // At most once per interval.
        try save()
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        let kept = try context.fetchHistoryCount(descriptor)
        #expect(kept == (interval == nil ? 2 : 1))
        // On request, at any time.
        #expect(try await container.purgeHistory().map(\.transactions) == [kept])
        #expect(try context.fetchHistoryCount(descriptor) == 0)
    }

    /// `cleanStrategy` after a number of notifications, after a time, and on request.
    @MainActor
    @Test(arguments: [HistoryTrackingKit.CleanStrategy.byNotification(times: 3), .byDuration(seconds: 0), .none])
    func mergesClean(_ strategy: HistoryTrackingKit.CleanStrategy) async throws {
        let store = try TestStore(.inMemory)
        let kit = try HistoryTrackingKit(
            container: store.container, currentAuthor: "app", allAuthors: ["widget"], cleanStrategy: strategy)
        let context = store.context()
        let descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        for number in 1...3 {
            try store.add("\(number)", author: "widget")
            let token = try context.currentHistoryToken()
            while try store.container.historyConsumers().first?.position != token { await Task.yield() }
            if strategy == .byDuration(seconds: 0) || strategy == .byNotification(times: 3) && number == 3 {
                while try context.fetchHistoryCount(descriptor) > 0 { await Task.yield() }
            } else {
                #expect(try context.fetchHistoryCount(descriptor) == number)
            }
        }
        try await kit.clean()
        #expect(try context.fetchHistoryCount(descriptor) == 0)
        await kit.stop()
    }

    // MARK: Logging

    /// `logger` and `logLevel`. `StoreLoggerTests` has each message.
    @Test func configurationHasTheLoggerAndTheLevel() throws {
        let configuration = loggedConfiguration(URL(fileURLWithPath: "unused.store"))
        #expect(configuration.logger is PrintingLogger && configuration.logLevel == .debug)
        let plain = ModelConfiguration(url: configuration.url)
        #expect(plain.logger == nil && plain.logLevel == .notice)
    }
}
