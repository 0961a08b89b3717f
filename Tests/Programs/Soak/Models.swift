import Chronicle

/// A model that the writers change.
@Model final class Article {
    var title: String
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Comment.article) var comments: [Comment] = []

    init(title: String, number: Int) {
        self.title = title
        self.number = number
    }
}

/// A model that belongs to an article.
@Model final class Comment {
    var text: String
    var article: Article?

    init(text: String) { self.text = text }
}

/// The trace of an insert that a consumer processed, in the same store.
@Model final class Receipt {
    /// The position of the insert in the history. A second receipt for it violates the constraint.
    @Attribute(.unique) var change: Int64
    var article: String

    init(change: Int64, article: String) {
        self.change = change
        self.article = article
    }
}

/// A copy of a model in the store of a consumer.
@Model final class Copy {
    @Attribute(.unique) var key: String
    var content: String

    init(key: String, content: String) {
        self.key = key
        self.content = content
    }
}
