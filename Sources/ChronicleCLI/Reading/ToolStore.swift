import Chronicle
import Foundation

/// What the commands need of a store: the protocols of stores, and its content without model classes.
protocol ToolStore: DataStoreConsuming, DataStoreExporting, DataStoreNotifying, HistoryTagging, HistoryRetaining
where HistoryType == DefaultHistoryTransaction, Snapshot == DefaultSnapshot {
    /// Whether the store is the database of another program.
    var isTracked: Bool { get }
    /// Whether the history has an index by model.
    var isHistoryIndexedByModel: Bool { get throws }
    /// The names of all attributes and relationships in the history, also of those that were removed.
    var recordedPropertyNames: Set<String> { get }
    /// A name for titles, without a password: that of the file, or those of the database and the schema.
    var placeName: String { get throws }
    /// The number of bytes of the store.
    func byteCount() throws -> Int64
    /// Returns whether history was deleted.
    func isHistoryPurged() throws -> Bool

    /// Returns the columns of the primary key, or `nil` if identifiers contain it.
    func primaryKeyColumns(ofEntity entityName: String) -> [String]?
    /// Returns the primary key of a row; empty if no row ever had the identifier.
    func primaryKey(of identifier: PersistentIdentifier) throws -> [PropertyValue]
    /// Returns the identifier of a row with a primary key, or `nil` if there never was one.
    func identifier(ofEntity entityName: String, primaryKey: [PropertyValue]) throws -> PersistentIdentifier?

    /// Calls a closure with the rows of an entity and those that inherit from it.
    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?, _ row: (DefaultSnapshot) throws -> Void
    ) throws
    /// Calls a closure with each row, and with the names of the properties whose values the history does not contain.
    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?,
        withMissingValues row: (DefaultSnapshot, Set<String>) throws -> Void
    ) throws
    /// Returns the number of models of an entity and of those that inherit from it.
    func fetchCount(ofEntity entityName: String) throws -> Int

    /// Throws an error if the store cannot be rebuilt.
    func requireVacuum() throws
    /// Rebuilds the store, which returns its free space.
    func compact() throws
}

extension DefaultStore: ToolStore {
    var placeName: String { configuration.url.lastPathComponent }

    func byteCount() throws -> Int64 {
        let path = configuration.url.resolvingSymlinksInPath().path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }
}
