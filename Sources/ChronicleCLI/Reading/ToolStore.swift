import Chronicle
import Foundation

protocol ToolStore: InspectedStore, DataStoreConsuming, DataStoreExporting, DataStoreNotifying, HistoryTagging,
    HistoryRetaining
{
    var isHistoryIndexedByModel: Bool { get throws }
    func isHistoryPurged() throws -> Bool

    /// Throws an error if the store cannot be rebuilt.
    func requireVacuum() throws
    func compact() throws
}

extension DefaultStore: ToolStore {
    var placeName: String { configuration.url.lastPathComponent }

    func byteCount() throws -> Int64 { try configuration.url.byteCount() }
}
