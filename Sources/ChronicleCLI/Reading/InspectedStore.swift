import Chronicle
import ChronicleAppleStore
import Foundation

/// What the reading commands need of a store, which is one of Chronicle or one of SwiftData or Core Data.
protocol InspectedStore: DataStore, HistoryPaging
where HistoryType == DefaultHistoryTransaction, Snapshot == DefaultSnapshot {
    /// The names of all attributes and relationships in the history, also of those that were removed.
    var recordedPropertyNames: Set<String> { get }
    /// Whether the store is a tracked database.
    var isTracked: Bool { get }
    /// A name for titles, without a password: that of the file, or those of the database and the schema.
    var placeName: String { get throws }
    /// The number of bytes of the store.
    func byteCount() throws -> Int64
    /// The names of the columns of a tracked table's primary key, or `nil` for the model of a store.
    func primaryKeyColumns(ofEntity entityName: String) -> [String]?
    /// Returns the values of a tracked table's primary key.
    func primaryKey(of identifier: PersistentIdentifier) throws -> [PropertyValue]
    func identifier(ofEntity entityName: String, primaryKey: [PropertyValue]) throws -> PersistentIdentifier?

    func historyTags() throws -> [HistoryTag<DefaultHistoryToken>]
    func fetchCount(ofEntity entityName: String) throws -> Int
    func fetchRows(
        ofEntity entityName: String, identifiers: Set<PersistentIdentifier>?, _ row: (DefaultSnapshot) throws -> Void
    ) throws
    /// Calls a closure with each row, and with the names of the properties whose values are not known.
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

extension URL {
    /// Returns the size of a file, to which a symbolic link may refer.
    func byteCount() throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }
}
