import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The file then has another version of the format; see ``FileFormat/sealed``. All keys are integers, which `VACUUM` preserves.
extension SealTables {
    static let names = [seal, commitment, commitmentKey, event, eventPart]

    /// In the order of ``names``. Events have no AUTOINCREMENT, because the newest one is never deleted.
    private static let createTables = [
        """
        CREATE TABLE IF NOT EXISTS \(seal)(number INTEGER PRIMARY KEY, last INTEGER NOT NULL, last_check INTEGER NOT NULL, \
        sealed REAL NOT NULL, previous BLOB NOT NULL, transactions BLOB NOT NULL, catalog BLOB, \
        catalog_hash BLOB NOT NULL, hash BLOB NOT NULL, public_key BLOB, signature BLOB)
        """,
        """
        CREATE TABLE IF NOT EXISTS \(commitment)(position INTEGER PRIMARY KEY, attribute INTEGER, key BLOB, \
        commitment BLOB, event INTEGER)
        """,
        """
        CREATE TABLE IF NOT EXISTS \(commitmentKey)(entity INTEGER, number INTEGER, key BLOB NOT NULL, \
        commitment BLOB NOT NULL, PRIMARY KEY (entity, number)) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS \(event)(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, time REAL NOT NULL, author TEXT, \
        program TEXT, process TEXT, detail TEXT NOT NULL, seal INTEGER)
        """,
        """
        CREATE TABLE IF NOT EXISTS \(eventPart)(event INTEGER, seal INTEGER, content BLOB, PRIMARY KEY (event, seal)) \
        WITHOUT ROWID
        """,
    ]

    /// Returns whether the history is sealed. Must be used in a transaction, because another process may begin to seal it.
    ///
    /// Throws ``SwiftDataError/damagedFile`` if the tables do not have their definitions, or contradict the format.
    static func exist(_ connection: Connection) throws -> Bool {
        let format = try FileFormat.version(connection)
        let isNamed = try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE lower(name) = '\(seal)'") != nil
        // Spares histories without seals from reading all definitions.
        guard isNamed || format == FileFormat.sealed else { return false }
        return try exist(in: FileSchema(connection), format: format)
    }

    /// Returns whether the history of a file with a supported format is sealed.
    @discardableResult
    static func exist(in file: FileSchema, format: Int64) throws -> Bool {
        // Without seals, another program may use the names of the other tables.
        guard file.contains(seal) || format == FileFormat.sealed else { return false }
        let exist = try file.hasHistory(createTables)
        guard exist == (format == FileFormat.sealed) else {
            throw SwiftDataError.damagedFile.with(
                detail: exist
                    ? "the file contains seals, but the version of its format is \(format) instead of "
                        + "\(FileFormat.sealed); another program changed it"
                    : "the tables of seals are missing, which another program dropped; restore the file from a backup")
        }
        return exist
    }

    /// Makes the history one that is sealed. Programs of an earlier version can no longer open the file.
    static func create(_ connection: Connection) throws {
        try MetaTable.keepingCompletions(connection) {
            for statement in createTables { try connection.execute(statement) }
            // Throws if another program has a table with one of the names.
            try exist(in: FileSchema(connection), format: FileFormat.sealed)
            for index in indexes {
                try connection.execute("CREATE INDEX IF NOT EXISTS \(index.name) ON \(index.table)(\(index.column))")
            }
        }
        try MetaTable.set(.format, FileFormat.sealed, connection)
        // The header of a tracked database belongs to its program.
        if try !FileFormat.isTracked(connection) { try FileFormat.setVersion(FileFormat.sealed, connection) }
        let facts = try HistoryPositions(connection).facts(at: 0)
        try EventTable(connection).add(
            .begun,
            BegunDetail(
                newest: facts.newest, floor: facts.floor, beginning: facts.deletions?.beginning ?? facts.floor,
                purged: HistoryPositions(connection).purged(), gap: facts.gap))
    }
}
