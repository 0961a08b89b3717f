import Chronicle
import Foundation

/// The changes of one save to a ``MemoryStore``.
public struct MemoryTransaction: HistoryTransaction, Identifiable {
    public let author: String?
    public let changes: [HistoryChange]
    public let storeIdentifier: String
    public let timestamp: Date
    public let token: MemoryToken
    /// Counts the saves of the store.
    public let transactionIdentifier: Int

    public var id: Int { transactionIdentifier }
}

/// A position in the history of a ``MemoryStore``: the number of the transaction before it.
public struct MemoryToken: HistoryToken {
    public let storeIdentifier: String
    public let position: Int

    public var tokenValue: Int? { position }
    public var id: MemoryToken { self }

    /// Position 0 is the beginning.
    public init(storeIdentifier: String, position: Int) {
        self.storeIdentifier = storeIdentifier
        self.position = position
    }

    public static func < (a: MemoryToken, b: MemoryToken) -> Bool {
        (a.position, a.storeIdentifier) < (b.position, b.storeIdentifier)
    }
}

public struct MemoryInsert<Model: PersistentModel>: HistoryInsert {
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
    }
}

public struct MemoryUpdate<Model: PersistentModel>: HistoryUpdate {
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    /// Kept as names, because key paths cannot be.
    public let updatedAttributeNames: [String]

    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        updatedAttributeNames.compactMap { Model.properties.keyPath(named: $0) }
    }

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier, _ names: [String]) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
        updatedAttributeNames = names
    }
}

public struct MemoryDelete<Model: PersistentModel>: HistoryDelete {
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier, _ tombstone: HistoryTombstone<Model>) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
        self.tombstone = tombstone
    }
}
