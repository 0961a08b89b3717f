/// A text that a program passes for something new in a store.
enum StoredName: String {
    case consumer = "name of a consumer"
    case tag = "name of a tag"
    case author = "author of a context"
    case context = "name of a context"
    case metadataKey = "key of the metadata"

    /// Throws ``SwiftDataError/valueOutOfRange`` if a text contains a NUL character, which PostgreSQL cannot store and where
    /// programs written in C end a text, or if the name of a consumer or a tag is empty.
    ///
    /// Earlier versions accepted any text in a file. Such names can still be read, removed and replayed.
    func validate(_ text: String?) throws {
        guard let text else { return }
        if text.isEmpty, isIdentity {
            throw SwiftDataError.valueOutOfRange.with(detail: "the \(rawValue) is empty; choose one")
        }
        if self == .consumer { try Self.requireUnreservedConsumer(text) }
        guard text.utf8.contains(0) else { return }
        throw SwiftDataError.valueOutOfRange.with(detail: "the \(rawValue) contains a NUL character; remove it")
    }

    /// Throws ``SwiftDataError/valueOutOfRange`` for the name of the consumer that seals the history, whose record only the store
    /// changes. A program may remove it.
    static func requireUnreservedConsumer(_ name: String) throws {
        guard name == HistorySeal.consumerName else { return }
        throw SwiftDataError.valueOutOfRange.with(
            detail:
                "the \(Self.consumer.rawValue) \"\(name)\" is reserved for the one that seals the history; choose another"
        )
    }

    /// Whether something is found by the name, so that it must not be empty.
    private var isIdentity: Bool { self == .consumer || self == .tag }
}

extension EditingState {
    func validateNames() throws {
        try StoredName.author.validate(author)
        try StoredName.context.validate(contextName)
        for key in metadata.keys { try StoredName.metadataKey.validate(key) }
    }
}
