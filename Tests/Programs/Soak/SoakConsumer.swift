import Chronicle
import ChronicleTestSupport
import Foundation

/// The consumers of the test, with different filters and speeds.
enum SoakConsumer: String, CaseIterable {
    /// Copies all articles and comments.
    case everything
    /// Copies articles, in small batches.
    case articles
    /// Copies the identifiers of articles, so it ignores updates.
    case identifiers
    /// Saves a receipt for each inserted article together with the acknowledgement, which must happen exactly once.
    case receipts
    /// Copies all articles and comments, but is sometimes silent for so long that it is evicted.
    case slow

    private var filter: HistoryFilter {
        switch self {
        case .everything, .slow: HistoryFilter(models: [Article.self, Comment.self])
        case .articles: HistoryFilter(models: [Article.self])
        case .identifiers: HistoryFilter(models: [Article.self], changeKinds: [.insert, .delete])
        case .receipts:
            HistoryFilter(
                models: [Article.self], changeKinds: [.insert], authors: .except(["receipts"]))
        }
    }

    private var limit: Int { self == .articles ? 7 : 200 }

    private func consumer(_ container: ModelContainer) throws -> HistoryConsumer<DefaultHistoryTransaction> {
        try container.historyConsumer(named: rawValue, filter: filter, startingNewAt: .beginning)
    }

    /// Processes batches until the process is killed.
    func follow(_ files: SoakFiles, _ random: inout SplitMix) async throws {
        let container = try files.open()
        let processor = try BatchProcessor(self, container, files)
        for try await batch in try consumer(container).batches(limit: limit) {
            try processor.process(batch)
            if self == .slow { try await Task.sleep(for: .milliseconds(random.below(100) == 0 ? 45_000 : 200)) }
        }
    }

    /// Processes the remaining batches.
    ///
    /// - Returns: The number of batches.
    @discardableResult
    func drain(_ files: SoakFiles) throws -> Int {
        let container = try files.open()
        let processor = try BatchProcessor(self, container, files)
        let consumer = try consumer(container)
        var count = 0
        while let batch = try consumer.nextBatch(limit: 1_000) {
            try processor.process(batch)
            count += 1
        }
        return count
    }

    /// Returns the lines that the copy must have, or `nil` for a consumer without a copy.
    func expectedCopies(_ context: ModelContext) throws -> [String: String]? {
        var copies: [String: String] = [:]
        switch self {
        case .everything, .slow:
            for article in try context.fetch(FetchDescriptor<Article>()) { copies[article.key] = article.content }
            for comment in try context.fetch(FetchDescriptor<Comment>()) { copies[comment.key] = comment.content }
        case .articles:
            for article in try context.fetch(FetchDescriptor<Article>()) { copies[article.key] = article.content }
        case .identifiers:
            for article in try context.fetch(FetchDescriptor<Article>()) { copies[article.key] = "" }
        case .receipts: return nil
        }
        return copies
    }
}

extension PersistentModel {
    var key: String { "\(persistentModelID)" }
}

extension Article {
    var content: String { "\(title), \(number)" }
}

extension Comment {
    var content: String { "\(text), \(article.map(\.key) ?? "none")" }
}

/// Processes the batches of a consumer.
struct BatchProcessor {
    private let consumer: SoakConsumer
    private let container: ModelContainer
    private let copies: ModelContainer

    init(_ consumer: SoakConsumer, _ container: ModelContainer, _ files: SoakFiles) throws {
        self.consumer = consumer
        self.container = container
        copies = try files.openCopy(of: consumer.rawValue)
    }

    func process(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws {
        if consumer == .receipts { return try addReceipts(for: batch) }
        let context = ModelContext(copies)
        switch batch.content {
        case .changes, .largeTransaction: try update(Set(batch.changes.map(\.changedPersistentIdentifier)), context)
        case .snapshot(let identifiers): try update(Set(identifiers), context)
        case .reset: try context.delete(model: Copy.self)
        }
        try context.save()
        try acknowledge(batch)
    }

    private func acknowledge(_ batch: HistoryBatch<DefaultHistoryTransaction>) throws {
        // Only moves the position, like `HistoryConsumer.acknowledge(_:)`.
        try ModelContext(container).save(acknowledging: batch)
    }

    private func addReceipts(for batch: HistoryBatch<DefaultHistoryTransaction>) throws {
        guard case .changes = batch.content else {
            throw SoakFailure("the consumer of receipts was evicted or lost its position: \(batch.content)")
        }
        let context = ModelContext(container)
        context.author = "receipts"
        // A second receipt for a change is a failure, and must not replace the first one.
        context.mergePolicy = .error
        for case .insert(let insert) in try batch.changes {
            guard let change = insert.changeIdentifier as? Int64 else { continue }
            context.insert(Receipt(change: change, article: "\(insert.changedPersistentIdentifier)"))
        }
        try context.save(acknowledging: batch)
    }

    /// Replaces the copies of models by their current state.
    private func update(_ identifiers: Set<PersistentIdentifier>, _ context: ModelContext) throws {
        let source = ModelContext(container)
        var current: [String: String] = [:]
        for article in try source.fetch(
            FetchDescriptor<Article>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
        {
            current[article.key] = consumer == .identifiers ? "" : article.content
        }
        if consumer != .identifiers {
            for comment in try source.fetch(
                FetchDescriptor<Comment>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
            {
                current[comment.key] = comment.content
            }
        }
        let keys = identifiers.map { "\($0)" }
        var known: [String: Copy] = [:]
        for copy in try context.fetch(FetchDescriptor<Copy>(predicate: #Predicate { keys.contains($0.key) })) {
            known[copy.key] = copy
        }
        for key in keys {
            switch (known[key], current[key]) {
            case (let copy?, let content?): copy.content = content
            case (let copy?, nil): context.delete(copy)
            case (nil, let content?): context.insert(Copy(key: key, content: content))
            case (nil, nil): break
            }
        }
    }
}
