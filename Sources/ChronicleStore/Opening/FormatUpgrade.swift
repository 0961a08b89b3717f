import ChronicleCore
import ChronicleSQLite

/// Upgrades a file to the current format, in the transaction that completes its schema.
///
/// A process that ends at any time during the upgrade leaves the file as it was. Positions, check values, and the
/// identifiers of models and transactions do not change, so tokens remain valid.
struct FormatUpgrade {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    struct Result {
        /// Whether the file had the triggers that recorded every change.
        let wasRecorded: Bool
    }

    /// Upgrades the file, if it has an earlier format. The triggers of the entities are not created again.
    ///
    /// - Returns: `nil` if the file was not upgraded.
    /// - Throws: ``SwiftDataError/damagedFile`` if tables of the history are missing or have another definition, or
    ///   ``SwiftDataError/backwardMigration`` if another program created triggers or indexes on them, which may depend
    ///   on the columns of the earlier format.
    /// - Complexity: Proportional to the length of the history, which is copied.
    func run() throws -> Result? {
        guard try FileFormat.version(connection) < FileFormat.current else { return nil }
        let file = try FileSchema(connection)
        try FileFormat.setVersion(connection)
        // The process that created the file was interrupted before it created the tables.
        guard try file.hasHistory(Format1.createTables) else { return nil }
        try rejectForeignDefinitions()
        let result = Result(wasRecorded: try wasComplete(file))
        let triggers = try dropTriggers()
        try replaceTables()
        try MetaTable.set(.format, FileFormat.current, connection)
        try MetaTable.set(.preservesValues, "off", connection)
        try MetaTable.removeCompletions(connection)
        try SummaryTable.insertOpenRange(connection)
        if let newest = try connection.scalarInt64(ChangeTable.selectNewestHeader) {
            try SummaryTable.divide(from: newest, through: newest, connection)
        }
        for trigger in triggers { try connection.execute(Self.upgraded(trigger)) }
        return result
    }

    /// Throws an error for triggers and indexes of other programs on the replaced tables, which would be lost.
    private func rejectForeignDefinitions() throws {
        for table in Format1.tables {
            let found = try connection.scalarText(
                """
                SELECT type || ' "' || name || '"' FROM sqlite_schema WHERE type IN ('trigger', 'index') \
                AND lower(tbl_name) = ? AND sql IS NOT NULL
                """
            ) { try $0.bind(table.name, at: 1) }
            guard let found else { continue }
            throw SwiftDataError.backwardMigration.with(
                detail:
                    "the file has an earlier format, and another program created the \(found) on \(table.name); "
                    + "drop it, and create it again after the upgrade")
        }
    }

    /// Returns whether the definitions of the file are the same as when it last met a schema. If they are not, another
    /// program may have changed the triggers.
    private func wasComplete(_ file: FileSchema) throws -> Bool {
        try connection.scalarInt64(
            "SELECT 1 FROM chronicle_meta WHERE name >= 'complete:' AND name < 'complete;' AND value = ?"
        ) { try $0.bind(file.digest, at: 1) } != nil
    }

    /// Drops all triggers of Chronicle.
    ///
    /// - Returns: The definitions of the triggers of link tables. Those of entities are generated from the file.
    private func dropTriggers() throws -> [String] {
        let statement = try connection.prepare(
            """
            SELECT name, sql, tbl_name IN (SELECT name FROM chronicle_entity) FROM sqlite_schema \
            WHERE type = 'trigger' AND substr(name, 1, 10) = 'chronicle_' ORDER BY rowid
            """)
        var triggers: [(name: String, sql: String, isOfEntity: Bool)] = []
        while try statement.step() {
            triggers.append((statement.text(0), statement.text(1), statement.int64(2) != 0))
        }
        for trigger in triggers { try connection.execute(RecorderSQL.dropTrigger(named: trigger.name)) }
        return triggers.filter { !$0.isOfEntity }.map(\.sql)
    }

    private func replaceTables() throws {
        func old(_ name: String) -> String { "\(name)_format_1" }
        // Without this setting, a rename also checks and changes the views and triggers of other programs.
        // https://www.sqlite.org/pragma.html#pragma_legacy_alter_table
        try connection.execute("PRAGMA legacy_alter_table = ON")
        let renamed = Swift.Result {
            for table in Format1.tables {
                try connection.execute("ALTER TABLE \(table.name) RENAME TO \(old(table.name))")
            }
        }
        // In any case: the setting is not part of the transaction.
        try connection.execute("PRAGMA legacy_alter_table = OFF")
        try renamed.get()
        try HistoryTables.create(connection)
        // Throws if another program uses the name of a table that is new in the current format.
        _ = try FileSchema(connection).hasHistory()
        for table in Format1.tables {
            let columns = table.columns.map(\.name).joined(separator: ", ")
            try connection.execute("INSERT INTO \(table.name)(\(columns)) \(table.select(old))")
        }
        for table in Format1.tables { try connection.execute("DROP TABLE \(old(table.name))") }
    }

    /// Returns the definition of a link table's trigger for the current format. The links may be part of another
    /// program's schema only, so the trigger cannot be generated.
    private static func upgraded(_ trigger: String) -> String {
        trigger.replacing(
            #/INSERT INTO chronicle_change\(what, key, detail, more\) SELECT (\d+), (\S+), (\d+), (NULL|'[\d,]+') WHERE/#
        ) { match in
            let (_, what, key, mask, further) = match.output
            let kind = ChangeTable.Kind(.update, of: (Int64(what) ?? 0) >> 2).rawValue
            let attributes = further == "NULL" ? "\(mask)" : "'\(mask),\(further.dropFirst().dropLast())'"
            return
                "INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes) SELECT \(kind), \(key), \(attributes) WHERE"
        }
    }
}
