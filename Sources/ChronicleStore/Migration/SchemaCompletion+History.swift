import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// Creates and checks the triggers that record changes.
extension SchemaCompletion {
    /// Returns whether the file has the triggers that record every change, which another program may have dropped or
    /// changed.
    ///
    /// - Parameter links: The links whose tables are those of the schema, so that their triggers can be checked too.
    func isRecorded(_ registry: EntityRegistry, _ links: [Schema.Links]) throws -> Bool {
        guard try MetaTable.text(.history, connection) == "on" else { return true }
        for entity in try registry.entities() {
            // A dropped table that no model of this schema needs has nothing left to record.
            guard try schema.entitiesByName[entity.name] != nil || tableExists(entity.name) else { continue }
            let found = try Set(triggers(of: entity.name).values)
            guard try RecorderSQL.isRecorded(registry.table(of: entity), by: found) else { return false }
        }
        return try links.allSatisfy { try hasTriggers(registry.recordedLinks($0)) }
    }

    /// Creates the triggers of every entity in the file, or drops them if the history is disabled.
    func switchHistory(_ registry: EntityRegistry, wasRecorded: Bool) throws {
        let previousSetting = try MetaTable.text(.history, connection)
        for entity in try registry.entities() where try tableExists(entity.name) {
            let table = try registry.table(of: entity)
            guard
                try Set(triggers(of: entity.name).values) != Set(recordsHistory ? RecorderSQL.triggers(of: table) : [])
            else {
                continue
            }
            let statements =
                recordsHistory
                ? RecorderSQL.recreateTriggers(of: table)
                : RecorderSQL.resolveConflicts(of: table) + RecorderSQL.dropTriggers(of: entity.number)
            for statement in statements { try connection.execute(statement) }
        }
        if recordsHistory, previousSetting == "off" || !wasRecorded { try HistoryGap.record(connection) }
        try MetaTable.set(.history, recordsHistory ? "on" : "off", connection)
    }

    /// Creates the triggers of all entities and links again after a change of what the history preserves, and records
    /// that the file meets the schema.
    func recreateTriggers(_ registry: EntityRegistry) throws {
        for entity in try registry.entities() where try tableExists(entity.name) {
            for statement in RecorderSQL.recreateTriggers(of: try registry.table(of: entity)) {
                try connection.execute(statement)
            }
        }
        for links in try sharedLinks() where try tableExists(links.name) {
            try makeTriggers(of: registry.recordedLinks(links))
        }
        // Other programs create the triggers of links that this schema does not contain.
        try MetaTable.removeCompletions(connection)
        try recordCompletion()
    }

    /// Returns the links that all programs have. A later version of the models may have renamed some of those of this program.
    func sharedLinks() throws -> [Schema.Links] {
        do {
            return try shared(plan(knownSchemas(wasComplete: true), stage: nil, baseline: nil)).schema.links
        } catch let error as SwiftDataError where error == .newerSchemaVersion || error == .backwardMigration {
            return schema.links
        }
    }

    /// Returns the recorder's triggers of a table by their names. SQLite stores their text unchanged.
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
