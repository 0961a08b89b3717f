import ChronicleSQLite

enum HistoryTables {
    static let createTables =
        [MetaTable.createTable] + RecorderSQL.recordTables + EntityRegistry.tables
        + [SourceTable.createTable, SummaryTable.createTable, MetadataTable.createTable]

    /// Those of a tracked database do not use AUTOINCREMENT, because SQLite cannot drop `sqlite_sequence`. The only source
    /// of such a file is never deleted.
    static func createTables(isTracked: Bool) -> [String] {
        guard isTracked else { return createTables }
        return createTables.map { $0.replacing(" AUTOINCREMENT", with: "") } + [PendingTransaction.createTable]
    }

    static var names: [String] {
        createTables.map { String($0.dropFirst("CREATE TABLE IF NOT EXISTS ".count).prefix { $0 != "(" }) }
    }

    static func create(_ connection: Connection, isTracked: Bool = false) throws {
        for statement in createTables(isTracked: isTracked) { try connection.execute(statement) }
        try connection.execute(SourceTable.createIndex)
    }
}
