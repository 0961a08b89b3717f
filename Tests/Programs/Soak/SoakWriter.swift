import Chronicle
import ChronicleTestSupport
import Foundation

/// Inserts, updates, and deletes random models until the process is killed.
struct SoakWriter {
    private let container: ModelContainer
    private let author: String
    private var random: SplitMix

    /// The number of articles from which more are deleted than inserted.
    private static let usualCount = 2_000

    init(_ container: ModelContainer, _ number: Int, _ random: SplitMix) {
        self.container = container
        self.random = random
        author = "writer-\(number)"
    }

    func run() throws -> Never {
        var writer = self
        while true {
            let context = ModelContext(container)
            context.author = author
            do {
                for _ in 0...writer.random.below(3) { try writer.change(context) }
                try context.save()
            } catch let error as SwiftDataError where Self.isExpected(error) {
                // Another process deleted a model that this save updates or references.
            }
            Thread.sleep(forTimeInterval: Double(writer.random.below(10)) / 1_000)
        }
    }

    private static func isExpected(_ error: SwiftDataError) -> Bool {
        SwiftDataError.modelNotFound ~= error || SwiftDataError.modelValidationFailure ~= error
            || SwiftDataError.storeBusy ~= error
    }

    private mutating func change(_ context: ModelContext) throws {
        let count = try context.fetchCount(FetchDescriptor<Article>())
        switch random.below(count > Self.usualCount ? 12 : 8) {
        case 0...2:
            for _ in 0...random.below(20) {
                let article = Article(title: "\(author) \(random.below(1_000))", number: random.below(1_000))
                context.insert(article)
                article.comments = (0..<random.below(3)).map { Comment(text: "comment \($0)") }
            }
        case 3...5:
            for article in try some(context, of: count) { article.number = random.below(1_000) }
        case 6:
            for article in try some(context, of: count) { article.comments.append(Comment(text: "later")) }
        default:
            for article in try some(context, of: count) { context.delete(article) }
        }
    }

    private mutating func some(_ context: ModelContext, of count: Int) throws -> [Article] {
        var descriptor = FetchDescriptor<Article>()
        descriptor.fetchLimit = 1 + random.below(20)
        descriptor.fetchOffset = random.below(count)
        return try context.fetch(descriptor)
    }
}
