import Chronicle
import Foundation

/// What the commands need of a store: the protocols of stores, and its content without model classes.
protocol ToolStore: InspectedStore, DataStoreConsuming, DataStoreExporting, DataStoreNotifying, HistoryTagging,
    HistoryRetaining
{
    /// Whether the history has an index by model.
    var isHistoryIndexedByModel: Bool { get throws }
    /// Returns whether history was deleted.
    func isHistoryPurged() throws -> Bool

    /// Throws an error if the store cannot be rebuilt.
    func requireVacuum() throws
    /// Rebuilds the store, which returns its free space.
    func compact() throws
}

extension DefaultStore: ToolStore {
    var placeName: String { configuration.url.lastPathComponent }

    func byteCount() throws -> Int64 { try configuration.url.byteCount() }
}
