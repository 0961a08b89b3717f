public import Foundation

/// A durable name for a position in the history of a store; see ``ModelContext/tag(_:replacing:)``.
public struct HistoryTag<Token: HistoryToken>: Hashable, Sendable {
    /// The name of the tag, unique in its store.
    public let name: String
    /// The position.
    public let token: Token
    /// The time at which the tag was created, by the clock of that process. Use it for display only.
    public let date: Date

    /// Creates a tag, for a custom store.
    ///
    /// - Parameters:
    ///   - name: The name of the tag.
    ///   - token: The position.
    ///   - date: The time at which the tag was created.
    public init(name: String, token: Token, date: Date) {
        self.name = name
        self.token = token
        self.date = date
    }
}
