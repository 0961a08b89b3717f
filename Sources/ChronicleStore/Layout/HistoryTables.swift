import ChronicleSQLite

/// The tables and the index that belong to the history of a file.
enum HistoryTables {
    /// The statements that create the tables, if they do not exist.
    static let createTables =
        [MetaTable.createTable] + RecorderSQL.recordTables + EntityRegistry.tables
        + [SourceTable.createTable, SummaryTable.createTable, MetadataTable.createTable]

    /// Returns the statements that create the tables of a file.
    ///
    /// Those of a tracked database do not use AUTOINCREMENT, which would create the table `sqlite_sequence`, because SQLite
    /// cannot drop it. The only source of such a file is never deleted.
    static func createTables(isTracked: Bool) -> [String] {
        guard isTracked else { return createTables }
        return createTables.map { $0.replacing(" AUTOINCREMENT", with: "") } + [PendingTransaction.createTable]
    }

    /// The names of the tables.
    static var names: [String] {
        createTables.map { String($0.dropFirst("CREATE TABLE IF NOT EXISTS ".count).prefix { $0 != "(" }) }
    }

    /// Creates what is missing.
    static func create(_ connection: Connection, isTracked: Bool = false) throws {
        for statement in createTables(isTracked: isTracked) { try connection.execute(statement) }
        try connection.execute(SourceTable.createIndex)
    }
}
