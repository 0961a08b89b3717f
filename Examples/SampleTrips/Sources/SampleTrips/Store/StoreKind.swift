import Chronicle
import Foundation
import JournalStore

/// What keeps the trips.
///
/// The choice is made here: what reads the history is written for transactions of any type, and gets the type from
/// ``transactionType``.
public enum StoreKind: String, CaseIterable, Sendable {
    /// Chronicle's own store, an SQLite database.
    case sqlite
    /// The store of `Examples/JournalStore`, an append-only file.
    case journal

    /// By the ending of the file's name: `.journal` for a journal, any other for SQLite.
    init(of file: URL) {
        self = file.pathExtension.lowercased() == Self.journal.fileExtension ? .journal : .sqlite
    }

    public var fileExtension: String {
        switch self {
        case .sqlite: "store"
        case .journal: "journal"
        }
    }

    /// What the store remembers its changes as.
    public var transactionType: any HistoryTransaction.Type {
        switch self {
        case .sqlite: DefaultHistoryTransaction.self
        case .journal: JournalTransaction.self
        }
    }

    func configuration(_ file: URL) -> any DataStoreConfiguration {
        switch self {
        case .sqlite: ModelConfiguration(url: file)
        case .journal: JournalStoreConfiguration(url: file)
        }
    }
}
