import Chronicle
import Foundation
import JournalStore

#if Postgres
    import ChroniclePostgres
#endif

/// The kind of store that keeps the trips.
///
/// The code that reads the history works with transactions of any type, and gets the type from ``transactionType``.
public enum StoreKind: String, CaseIterable, Sendable {
    /// Chronicle's own store, an SQLite database.
    case sqlite
    /// The store of `Examples/JournalStore`, an append-only file.
    case journal
    /// A database on a server, in a build with the trait `Postgres`.
    case postgres

    /// Determines the kind from the address: that of a database, or a file with the extension `.journal` or any other.
    init(of url: URL) {
        if url.scheme == "postgresql" {
            self = .postgres
        } else {
            self = url.pathExtension.lowercased() == "journal" ? .journal : .sqlite
        }
    }

    /// The type of the store's transactions.
    public var transactionType: any HistoryTransaction.Type {
        switch self {
        case .sqlite, .postgres: DefaultHistoryTransaction.self
        case .journal: JournalTransaction.self
        }
    }

    /// How much of its history a database keeps: 30 days. Changes that the search index has not read are kept longer,
    /// but not if it was not updated for 60 days. The app and the index start over if they come later.
    static let historyRetention = HistoryRetention(
        maximumAge: .seconds(30 * 86_400), maximumSilence: .seconds(60 * 86_400))

    func configuration(_ url: URL) throws -> any DataStoreConfiguration {
        switch self {
        case .sqlite:
            return ModelConfiguration(url: url, preservesValues: true, historyRetention: Self.historyRetention)
        case .journal: return JournalStoreConfiguration(url: url)
        case .postgres:
            #if Postgres
                return PostgresConfiguration(
                    url.absoluteString, preservesValues: true, historyRetention: Self.historyRetention)
            #else
                throw Failure("this program was built without PostgreSQL; build it with `--traits Postgres`.")
            #endif
        }
    }
}
