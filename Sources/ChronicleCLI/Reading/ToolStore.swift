import Chronicle
import Foundation

protocol ToolStore: InspectedStore, DataStoreConsuming, DataStoreExporting, DataStoreNotifying, HistoryTagging,
    HistoryValueRetaining
{
    var isHistoryIndexedByModel: Bool { get throws }
    func isHistoryPurged() throws -> Bool
    /// Whether changes from now on preserve the values of each attribute, by the names of the entities and attributes in the
    /// history, also of removed ones.
    func preservedAttributes() throws -> [String: [String: Bool]]
    /// The columns of tracked tables that are the rowid, by the names of the tables.
    func rowIDColumns() throws -> [String: String]
    /// Returns an error for each tracked table that its program has changed since the schema was followed. Past states of these
    /// tables are unknown until it is followed again.
    func interruptedRecordings() throws -> [SwiftDataError]
    /// The position after which every change was recorded and none was deleted.
    func completeHistoryToken() throws -> DefaultHistoryToken
    /// The position at which recording resumed; `nil` if no transaction remains before a gap.
    func historyGap() throws -> DefaultHistoryToken?

    /// Passes on the rows of an SQL query over the models.
    func query(
        _ sql: String, replacesUnknownValues: Bool, columns: ([String]) throws -> Void,
        row: ([PropertyValue]) throws -> Void
    ) throws

    /// Throws an error if the store cannot be rebuilt.
    func requireVacuum() throws
    func compact() throws
}

extension DefaultStore: ToolStore {
    var placeName: String { configuration.url.lastPathComponent }

    func byteCount() throws -> Int64 { try configuration.url.byteCount() }
}
