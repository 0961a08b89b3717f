import Chronicle
import ChronicleAppleStore
import Foundation

/// The reading commands need this of stores of Chronicle, SwiftData or Core Data.
protocol InspectedStore: DataStore, HistoryPaging
where HistoryType == DefaultHistoryTransaction, Snapshot == DefaultSnapshot {
    /// Includes removed attributes and relationships.
    var recordedPropertyNames: Set<String> { get }
    var isTracked: Bool { get }
    /// A name for titles, without a password: that of the file, or those of the database and the schema.
    var placeName: String { get throws }
    func byteCount() throws -> Int64
    /// `nil` for the model of a store, which has no tracked table.
    func primaryKeyColumns(ofEntity entityName: String) -> [String]?
    func primaryKey(of identifier: PersistentIdentifier) throws -> [PropertyValue]
    func identifier(ofEntity entityName: String, primaryKey: [PropertyValue]) throws -> PersistentIdentifier?

    func historyTags() throws -> [HistoryTag<DefaultHistoryToken>]
    func fetchCount(ofEntity entityName: String) throws -> Int
    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?, _ row: (DefaultSnapshot) throws -> Void
    ) throws
    /// Passes the names of the properties whose values are not known with each row.
    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?,
        withMissingValues row: (DefaultSnapshot, Set<String>) throws -> Void
    ) throws
}

extension AppleStore: InspectedStore {
    var recordedPropertyNames: Set<String> { [] }
    var isTracked: Bool { false }
    var placeName: String { configuration.url.lastPathComponent }

    func byteCount() throws -> Int64 { try configuration.url.byteCount() }

    func primaryKeyColumns(ofEntity entityName: String) -> [String]? { nil }
    func primaryKey(of identifier: PersistentIdentifier) -> [PropertyValue] { [] }

    func identifier(ofEntity entityName: String, primaryKey: [PropertyValue]) -> PersistentIdentifier? {
        guard primaryKey.count == 1, case .integer(let key) = primaryKey[0] else { return nil }
        return PersistentIdentifier.Origin(
            storeIdentifier: identifier, entityName: entityName,
            rootEntityName: schema.entitiesByName[entityName]?.rootName ?? entityName
        ).identifier(key)
    }

    func historyTags() -> [HistoryTag<DefaultHistoryToken>] { [] }

    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?,
        withMissingValues row: (DefaultSnapshot, Set<String>) throws -> Void
    ) throws {
        try fetchRows(ofEntity: entityName, identifiers: identifiers) { try row($0, []) }
    }
}

extension StoreFile {
    /// The size of the write-ahead log, which contains the newest saves; 0 without a log, and `nil` in PostgreSQL.
    func logByteCount() -> Int64? {
        guard let url = location.url else { return nil }
        // The log may have been removed meanwhile.
        return (try? URL(fileURLWithPath: url.resolvingSymlinksInPath().path + "-wal").byteCount()) ?? 0
    }
}

extension URL {
    /// A symbolic link may refer to the file.
    func byteCount() throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }
}
