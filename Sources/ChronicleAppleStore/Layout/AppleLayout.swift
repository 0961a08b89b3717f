import ChronicleCore
import ChronicleSQL
import ChronicleSQLite
import ChronicleStore
import Foundation

/// What a file contains besides rows.
struct AppleLayout: Sendable {
    /// A UUID, which copies of the store share.
    let storeIdentifier: String
    /// The versions that the program declared, such as `1.0.0`.
    let modelVersions: [String]
    let entities: AppleEntities
    /// The tables by name in upper case.
    let tables: [String: AppleTable]
    /// Views, virtual tables such as those of spatial indexes, and tables with computed columns. The error is thrown where
    /// the table is needed.
    let unusableTables: [String: SwiftDataError]
    let model: SendableModel?
    let history: AppleHistoryTables?
    /// The columns by the name of the table.
    let columnUse: [String: AppleColumnUse]
    /// The columns that refer to files of external data, by the name of their table.
    let externalColumns: [String: Set<String>]

    /// `@unchecked Sendable`: `CachedModel.Entity` has only constants of value types.
    struct SendableModel: @unchecked Sendable {
        let entities: [String: CachedModel.Entity]
    }

    /// A file is recognized by these tables.
    static let requiredTables = ["Z_METADATA", "Z_PRIMARYKEY"]

    /// The size in bytes of the largest model that is decoded.
    private static let maximumModelSize = 1 << 26

    static func isRecognized(_ connection: Connection) throws -> Bool {
        let names = requiredTables.map { "'\($0)'" }.joined(separator: ", ")
        return try connection.scalarInt64(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND upper(name) IN (\(names))")
            ?? 0 == requiredTables.count
    }

    /// The database has the tables of Core Data, and no history of Chronicle.
    static func isUntracked(_ connection: Connection) throws -> Bool {
        guard try isRecognized(connection) else { return false }
        return try connection.scalarInt64(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'chronicle_meta'") == 0
    }

    /// Reads the layout in one transaction. Throws `SwiftDataError.unsupportedFileVersion` with the name of an unknown
    /// table.
    ///
    /// - Parameter model: The model to use instead of that of the file.
    init(_ connection: Connection, path: String, model: ModelFile? = nil) throws {
        guard try Self.isRecognized(connection) else {
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "\(path) is not a store of SwiftData or Core Data: it has no tables "
                    + Self.requiredTables.joined(separator: " and ") + "; specify the URL of such a store")
        }
        var tables: [String: AppleTable] = [:]
        var unusable: [String: SwiftDataError] = [:]
        for name in try Self.tableNames(connection) {
            do {
                tables[name.uppercased()] = try AppleTable(name, connection)
            } catch let error as SwiftDataError { unusable[name.uppercased()] = error }
        }
        (self.tables, unusableTables) = (tables, unusable)
        let bookkeeping = Self.requiredTables + ["Z_MODELCACHE"] + AppleHistoryTables.names.sorted()
        if let error = bookkeeping.lazy.compactMap({ unusable[$0] }).first { throw error }
        let metadata = try Self.metadata(connection, tables)
        (storeIdentifier, modelVersions) = (metadata.identifier, metadata.versions)
        let entities = try Self.entities(connection, tables)
        self.entities = entities
        self.model = try (model?.model(of: entities, tables, hashes: metadata.hashes) ?? Self.model(connection, tables))
            .map { SendableModel(entities: $0.entities) }
        history = try AppleHistoryTables(tables)
        for (_, entity) in entities.byNumber.sorted(by: { $0.key < $1.key }) {
            if let error = unusable[entity.tableName] { throw error }
        }
        columnUse = Self.columnUse(entities, self.model)
        let names = Set(entities.byNumber.values.map(\.tableName))
        externalColumns =
            ExternalData(path: path).exists
            ? try tables.filter { names.contains($0.key) }.mapValues { try Self.externalColumns($0, connection) } : [:]
    }

    /// The names begin with `Z` or are those of the history.
    private static func tableNames(_ connection: Connection) throws -> [String] {
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
        var names: [String] = []
        while try statement.step() {
            let name = statement.text(0)
            if name.uppercased().hasPrefix("Z") || AppleHistoryTables.names.contains(name.uppercased()) {
                names.append(name)
            }
        }
        return names
    }

    /// Columns with a reference to a file in one of the first rows. No known field of the cached model tells which
    /// attributes have external storage.
    private static func externalColumns(_ table: AppleTable, _ connection: Connection) throws -> Set<String> {
        var result: Set<String> = []
        // No table of a program has more; a damaged file takes no long time.
        for column in table.columns.filter({ $0.type == "BLOB" }).prefix(100) {
            let name: SQLQuery = "\(name: column.name)"
            // The type and the length of a value are known without its bytes.
            let query: SQLQuery = """
                SELECT 1 FROM (SELECT CASE WHEN typeof(\(name)) = 'blob' AND length(\(name)) = 38 THEN \(name) END AS value \
                FROM \(name: table.name) LIMIT \(raw: String(maximumSampleCount))) \
                WHERE \(ExternalData.isReference("value")) LIMIT 1
                """
            let statement = try SQLiteQueries.statement(query, connection)
            defer { statement.reset() }
            if try statement.step() { result.insert(column.name) }
        }
        return result
    }

    private static let maximumSampleCount = 10_000

    private static func metadata(
        _ connection: Connection, _ tables: [String: AppleTable]
    ) throws -> (identifier: String, versions: [String], hashes: [String: Data]) {
        try tables["Z_METADATA"]?.require("Z_UUID")
        let hasList = tables["Z_METADATA"]?.column("Z_PLIST") != nil
        let statement = try connection.prepare("SELECT Z_UUID\(hasList ? ", Z_PLIST" : "") FROM Z_METADATA LIMIT 1")
        guard try statement.step(), case .text(let text) = statement.value(0), !text.isEmpty else {
            throw SwiftDataError.damagedFile.with(
                detail: "the table Z_METADATA does not contain the identifier of the store")
        }
        let identifier = String(decoding: text, as: UTF8.self)
        guard hasList, case .blob(let bytes) = statement.value(1) else { return (identifier, [], [:]) }
        // Information only: a list in another form has none.
        let list = try? BinaryPropertyList(bytes)
        let versions = try? list?.versionIdentifiers()
        let hashes = try? list?.versionHashes()
        return (identifier, versions ?? [], hashes ?? [:])
    }

    private static func entities(_ connection: Connection, _ tables: [String: AppleTable]) throws -> AppleEntities {
        try tables["Z_PRIMARYKEY"]?.require("Z_ENT", "Z_NAME", "Z_SUPER")
        let statement = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        var rows: [(number: Int64, name: String, superentity: Int64)] = []
        while try statement.step() {
            guard case .integer(let number) = statement.value(0), case .text(let name) = statement.value(1) else {
                throw SwiftDataError.damagedFile.with(detail: "a row of the table Z_PRIMARYKEY is not an entity")
            }
            rows.append((number, String(decoding: name, as: UTF8.self), statement.int64(2)))
        }
        return AppleEntities(rows)
    }

    /// `nil` if the file has no model that can be decoded.
    private static func model(_ connection: Connection, _ tables: [String: AppleTable]) throws -> CachedModel? {
        guard tables["Z_MODELCACHE"]?.column("Z_CONTENT") != nil else { return nil }
        let statement = try connection.prepare(
            "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE length(Z_CONTENT) <= \(maximumModelSize) LIMIT 1")
        guard try statement.step(), case .blob(let bytes) = statement.value(0) else { return nil }
        // Names are then derived from the tables, see `AppleStore.hasModelNames`.
        do { return try CachedModel(compressed: Data(bytes)) } catch is Inflate.Failure, is KeyedArchive.Failure {
            return nil
        }
    }
}

extension BinaryPropertyList {
    /// The `NSStoreModelVersionIdentifiers` of a store's metadata.
    fileprivate func versionIdentifiers() throws -> [String] {
        guard case .array(let elements) = try value(of: "NSStoreModelVersionIdentifiers") else { return [] }
        return try elements.compactMap { if case .text(let text) = try object($0) { text } else { nil } }
    }

    /// The `NSStoreModelVersionHashes` of a store's metadata, by entity.
    fileprivate func versionHashes() throws -> [String: Data] {
        guard case .dictionary(let pairs) = try value(of: "NSStoreModelVersionHashes") else { return [:] }
        var hashes: [String: Data] = [:]
        for (key, value) in pairs {
            guard case .text(let name) = try object(key), case .data(let hash) = try object(value) else { continue }
            hashes[name] = hash
        }
        return hashes
    }

    private func value(of name: String) throws -> Object? {
        guard case .dictionary(let pairs) = try object(top) else { return nil }
        for (key, value) in pairs { if case .text(name) = try object(key) { return try object(value) } }
        return nil
    }
}
