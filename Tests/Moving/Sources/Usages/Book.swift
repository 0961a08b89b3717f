import SwiftData

// Without `import Observation`, as with SwiftData.

@Model
public final class Book {
    @Attribute(.unique, originalName: "name") public var title: String
    public var pages: Int
    public var state: State
    public var added: Date
    @Attribute(.transformable(by: "TagsTransformer")) public var tags: [String] = []
    @Attribute(.externalStorage) public var cover: Data?
    @Relationship(deleteRule: .cascade, inverse: \Note.book) public var notes: [Note] = []

    public init(title: String, pages: Int, state: State = .unread, added: Date = .now) {
        self.title = title
        self.pages = pages
        self.state = state
        self.added = added
    }

    public enum State: String, Codable, CaseIterable, Sendable {
        case unread, reading, finished
    }
}

@Model
public final class Note {
    public var text: String
    public var book: Book?

    public init(text: String) { self.text = text }
}

@Observable
public final class BookShelf {
    public private(set) var count = 0
    @ObservationIgnored private let context: ModelContext

    public init(context: ModelContext) {
        self.context = context
        context.undoManager = nil
        context.autosaveEnabled = false
    }

    public func reload() throws {
        count = try context.fetchCount(FetchDescriptor<Book>())
    }

    /// Calls a closure before the number of books changes.
    public func onChange(_ action: @escaping @Sendable () -> Void) {
        withObservationTracking {
            _ = count
        } onChange: {
            action()
        }
    }
}
