import ChronicleCore
import ChronicleSQLite

// The triggers that record changes.
extension SchemaCompletion {
    /// Whether the triggers are those that recorded every change up to now, which another program may have dropped or
    /// changed.
    ///
    /// - Parameter linksToo: Whether the tables of links are those of the schema.
    func isRecorded(_ registry: EntityRegistry, linksToo: Bool) throws -> Bool {
        guard try MetaTable.text(.history, connection) == "on" else { return true }
        for entity in try registry.entities() {
            // Of a table that was dropped, and that no model of this schema needs, there is nothing left to record.
            guard try schema.entitiesByName[entity.name] != nil || exists(entity.name) else { continue }
            let expected = RecorderSQL.triggers(of: try registry.table(of: entity))
            guard try Set(triggers(of: entity.name).values) == Set(expected) else { return false }
        }
        return try !linksToo || schema.links.allSatisfy { try hasTriggers(registry.recordedLinks($0)) }
    }

    /// Makes the triggers of every entity of the file, or leaves them away.
    func switchHistory(_ registry: EntityRegistry, wasRecorded: Bool) throws {
        let wasOn = try MetaTable.text(.history, connection)
        for entity in try registry.entities() where try exists(entity.name) {
            let table = try registry.table(of: entity)
            guard
                try Set(triggers(of: entity.name).values) != Set(recordsHistory ? RecorderSQL.triggers(of: table) : [])
            else {
                continue
            }
            let statements =
                recordsHistory
                ? RecorderSQL.recreateTriggers(of: table)
                : RecorderSQL.settleConflicts(of: table) + RecorderSQL.dropTriggers(of: entity.number)
            for statement in statements { try connection.execute(statement) }
        }
        if recordsHistory, wasOn == "off" || !wasRecorded { try HistoryGap.record(connection) }
        try MetaTable.set(.history, recordsHistory ? "on" : "off", connection)
    }

    /// The recorder's triggers that a table has by name, as SQLite keeps them: the same text as the recorder's.
    func triggers(of table: String) throws -> [String: String] {
        let statement = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND substr(name, 1, 10) = 'chronicle_'"
        )
        try statement.bind(table, at: 1)
        var triggers: [String: String] = [:]
        while try statement.step() { triggers[statement.text(0)] = statement.text(1) }
        return triggers
    }
}
