import ChronicleSQLite

/// The tables and the index that belong to the history of a file.
enum HistoryTables {
    /// The statements that create the tables, if they do not exist.
    static let createTables =
        [MetaTable.createTable] + RecorderSQL.recordTables + EntityRegistry.tables
        + [SourceTable.createTable, SummaryTable.createTable, MetadataTable.createTable]

    /// Creates what is missing.
    static func create(_ connection: Connection) throws {
        for statement in createTables { try connection.execute(statement) }
        try connection.execute(SourceTable.createIndex)
    }
}
