import Chronicle
import Foundation

/// The changes that one save made in a ``JournalStore``: one record of its journal.
public struct JournalTransaction: HistoryTransaction, Identifiable {
    public let author: String?
    public let changes: [HistoryChange]
    public let storeIdentifier: String
    public let timestamp: Date
    public let token: JournalToken
    /// The number of the save in this store.
    public let transactionIdentifier: Int

    public var id: Int { transactionIdentifier }
}

public struct JournalInsert<Model: PersistentModel>: HistoryInsert {
    /// The number of the change in this store.
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
    }
}

public struct JournalUpdate<Model: PersistentModel>: HistoryUpdate {
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    /// Includes attributes that the class no longer has.
    public let updatedAttributeNames: [String]

    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        updatedAttributeNames.compactMap { Model.properties.keyPath(named: $0) }
    }

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier, _ names: [String]) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
        updatedAttributeNames = names
    }
}

public struct JournalDelete<Model: PersistentModel>: HistoryDelete {
    public let changeIdentifier: Int
    public let transactionIdentifier: Int
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    init(_ change: Int, _ transaction: Int, _ model: PersistentIdentifier, _ tombstone: HistoryTombstone<Model>) {
        (changeIdentifier, transactionIdentifier, changedPersistentIdentifier) = (change, transaction, model)
        self.tombstone = tombstone
    }
}
