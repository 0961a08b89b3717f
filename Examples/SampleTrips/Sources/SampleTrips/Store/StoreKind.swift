import Chronicle
import Foundation
import JournalStore

/// The kind of store that keeps the trips.
///
/// The code that reads the history works with transactions of any type, and gets the type from ``transactionType``.
public enum StoreKind: String, CaseIterable, Sendable {
    /// Chronicle's own store, an SQLite database.
    case sqlite
    /// The store of `Examples/JournalStore`, an append-only file.
    case journal

    /// Determines the kind from the file's extension: `.journal` for a journal, any other for SQLite.
    init(of file: URL) {
        self = file.pathExtension.lowercased() == Self.journal.fileExtension ? .journal : .sqlite
    }

    public var fileExtension: String {
        switch self {
        case .sqlite: "store"
        case .journal: "journal"
        }
    }

    /// The type of the store's transactions.
    public var transactionType: any HistoryTransaction.Type {
        switch self {
        case .sqlite: DefaultHistoryTransaction.self
        case .journal: JournalTransaction.self
        }
    }

    /// How much of its history an SQLite store keeps: 30 days. Changes that the search index has not read are kept longer,
    /// but not if it was not updated for 60 days. The app and the index start over if they come later.
    static let historyRetention = HistoryRetention(
        maximumAge: .seconds(30 * 86_400), maximumSilence: .seconds(60 * 86_400))

    func configuration(_ file: URL) -> any DataStoreConfiguration {
        switch self {
        case .sqlite: ModelConfiguration(url: file, preservesValues: true, historyRetention: Self.historyRetention)
        case .journal: JournalStoreConfiguration(url: file)
        }
    }
}
