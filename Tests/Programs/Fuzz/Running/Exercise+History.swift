import Chronicle
import ChronicleTestSupport
import Foundation

extension Exercise {
    mutating func readHistory(_ context: ModelContext) {
        let transactions = outcomes.attempt("fetch history") { try context.fetchHistory(Self.descriptor()) } ?? []
        for transaction in transactions { read(transaction) }
        let current = outcomes.attempt("current token") { try context.currentHistoryToken() }
        let token = random.pick(tokens)
        typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
        for descriptor in [Descriptor.after(token), .before(token), .after(current ?? token)] {
            let found = outcomes.attempt("fetch history by token") { try context.fetchHistory(descriptor) }
            for transaction in found ?? [] { read(transaction) }
        }
        for descriptor in descriptors(transactions) {
            let found = outcomes.attempt("fetch history by predicate") { try context.fetchHistory(descriptor) }
            for transaction in found ?? [] { read(transaction) }
            outcomes.attempt("fetch history without changes") { try context.fetchHistoryWithoutChanges(descriptor) }
            outcomes.attempt("count history") { try context.fetchHistoryCount(descriptor) }
            outcomes.attempt("history identifiers") { try context.fetchHistoryIdentifiers(descriptor) }
        }
        page(context)
        readChangePages(context, after: random.pick([nil, token, current]))
        outcomes.attempt("statistics") { try context.container.historyStatistics() }
        readModelHistories(context, transactions)
        outcomes.attempt("tags") { try context.tags() }
    }

    /// Reads the history of some models in pages.
    private mutating func readModelHistories(_ context: ModelContext, _ transactions: [DefaultHistoryTransaction]) {
        let models = transactions.flatMap { $0.changes.map(\.changedPersistentIdentifier) }
        guard !models.isEmpty else { return }
        for _ in 0..<4 {
            let order = random.pick([SortOrder.forward, .reverse])
            var request = ModelHistoryRequest<DefaultHistoryTransaction>(
                random.pick(models), order: order, limit: random.pick([1, 2, 1_000]))
            outcomes.attempt("history of a model") {
                for _ in 0..<10_000 {
                    request.continuation = try context.historyPage(request).continuation
                    if request.continuation == nil { return }
                }
                throw EndlessHistory()
            }
        }
    }

    private static func descriptor(
        _ predicate: Predicate<DefaultHistoryTransaction>? = nil, limit: UInt64 = 0, offset: UInt64 = 0,
        sortBy: [SortDescriptor<DefaultHistoryTransaction>] = []
    ) -> HistoryDescriptor<DefaultHistoryTransaction> {
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate, sortBy: sortBy)
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        return descriptor
    }

    /// Returns two of the descriptors, of different kinds.
    private mutating func descriptors(
        _ transactions: [DefaultHistoryTransaction]
    ) -> [HistoryDescriptor<DefaultHistoryTransaction>] {
        let token = random.pick(tokens)
        let changed = transactions.flatMap(\.changes).prefix(20).map(\.changedPersistentIdentifier)
        let time = Date(timeIntervalSinceReferenceDate: 300)
        let all = [
            Self.descriptor(#Predicate { $0.author == "second" }),
            Self.descriptor(#Predicate { $0.author == nil }, limit: 2),
            Self.descriptor(#Predicate { $0.timestamp > time && $0.contextName != "x" }),
            Self.descriptor(#Predicate { $0.token >= token }),
            Self.descriptor(#Predicate { $0.token > token && $0.author == "third" }),
            Self.descriptor(
                #Predicate { $0.changes.contains { $0.changedPersistentIdentifier.entityName == "Sample" } }),
            Self.descriptor(#Predicate { $0.changes.contains { changed.contains($0.changedPersistentIdentifier) } }),
            Self.descriptor(limit: 3, offset: 2), Self.descriptor(offset: .max),
            Self.descriptor(limit: .max - 1, offset: 1),
            Self.descriptor(sortBy: [SortDescriptor(\.timestamp, order: .reverse)]),
            Self.descriptor(
                limit: 2, sortBy: [SortDescriptor(\.author), SortDescriptor(\.transactionIdentifier, order: .reverse)]),
            Self.descriptor(#Predicate { $0.processIdentifier == "4711" || $0.bundleIdentifier == "" }),
        ]
        return [random.pick(all), random.pick(all)]
    }

    /// Reads page by page, each after the last token of the previous one. There are fewer transactions than pages here.
    private mutating func page(_ context: ModelContext) {
        var token: DefaultHistoryToken?
        for _ in 0..<200 {
            var descriptor = token.map { HistoryDescriptor.after($0) } ?? HistoryDescriptor()
            descriptor.fetchLimit = 7
            let page = outcomes.attempt("page") { try context.fetchHistory(descriptor) }
            guard let last = page?.last else { return }
            token = last.token
        }
        outcomes.attempt("page without end") { throw EndlessHistory() }
    }

    private struct EndlessHistory: Error {}

    /// Reads the changes of each transaction in pages.
    private mutating func readChangePages(_ context: ModelContext, after token: DefaultHistoryToken?) {
        let limit = random.pick([1, 3, 1_000])
        outcomes.attempt("pages of changes") {
            var reader = try context.historyReader(after: token)
            var count = 0
            while try reader.nextTransaction() != nil {
                while try reader.nextChanges(limit: limit) != nil {
                    count += 1
                    if count > 100_000 { throw EndlessHistory() }
                }
            }
        }
    }

    /// Creates or drops the index by model, and moves a tag.
    mutating func changeIndexAndTags(_ context: ModelContext) {
        guard let store = context.container.stores.first as? DefaultStore else { return }
        let isIndexed = random.below(2) == 0
        outcomes.attempt("index by model") { try store.setHistoryIndexedByModel(isIndexed) }
        outcomes.attempt("tag") { try context.tag("tag", replacing: true) }
        outcomes.attempt("token of a tag") { try context.fetchHistory(.after(context.token(tagged: "tag"))) }
    }

    /// Runs some or all steps of a purge.
    mutating func purgeHistory(_ context: ModelContext) {
        guard let store = context.container.stores.first as? DefaultStore else { return }
        let retention = random.pick([
            HistoryRetention(maximumChanges: 3), HistoryRetention(maximumBytes: 500),
            HistoryRetention(maximumAge: .seconds(1)), .unlimited,
        ])
        let steps = random.pick([1, 2, 10_000])
        outcomes.attempt("purge") {
            let plan = try store.planHistoryPurge(retention, at: .now)
            for _ in 0..<steps {
                if try store.purgeHistory(plan).isLast { return }
            }
            if steps == 10_000 { throw EndlessHistory() }
        }
    }

    private func read(_ transaction: DefaultHistoryTransaction) {
        _ = transaction.timestamp.description
        for change in transaction.changes {
            _ = "\(change.changedPersistentIdentifier)"
            switch change {
            case .update(let update as DefaultHistoryUpdate<Sample>): _ = update.containsAttribute(\.name)
            case .delete(let delete as DefaultHistoryDelete<Sample>):
                _ = (delete.tombstone[\.name], delete.tombstone[\.decimal], delete.tombstone[\.words])
                for (name, value) in delete.tombstone.namedValues { _ = "\(name) \(value)" }
            default: break
            }
        }
    }

    mutating func deleteHistory(_ context: ModelContext) {
        let token = random.pick(tokens)
        outcomes.attempt("delete history before") { try context.deleteHistory(.before(token)) }
        let some = random.pick([
            Self.descriptor(#Predicate { $0.author == "second" }, limit: 2),
            Self.descriptor(#Predicate { $0.author != nil }),
            Self.descriptor(limit: 3, sortBy: [SortDescriptor(\.timestamp, order: .reverse)]),
            Self.descriptor(offset: 2),
        ])
        outcomes.attempt("delete some history") { try context.deleteHistory(some) }
        readHistory(context)
        outcomes.attempt("delete history") { try context.deleteHistory(Self.descriptor()) }
        context.insert(Sample("after delete \(random.next())", random.below(1_000_000)))
        attemptSave("save after delete", context)
    }
}
