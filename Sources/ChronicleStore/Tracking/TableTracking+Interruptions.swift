import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// Changes of recorded tables by their program that Chronicle has not followed. Until it follows them, rows as of a position would
// be those of another table, or lack changes.
extension TableTracking {
    /// Returns why the recording of tables is interrupted, by name. A renamed table has an entry for both names. If the schema has
    /// not changed, this only compares two numbers.
    ///
    /// Omits tables with additional columns, because the history has the values of all others, and tables that can no longer be
    /// recorded, because following the schema does not change this.
    func interruptions() throws -> [String: String] {
        guard try SchemaFollowing(connection).isDue else { return [:] }
        var reasons: [String: String] = [:]
        var formerNames: [String: String] = [:]
        for entity in try registry.entities() {
            guard let name = entity.tableName else { continue }
            if let renamed = try newName(of: entity) {
                reasons[name] = "the table was renamed to \(renamed)"
                formerNames[renamed] = name
            } else {
                reasons[name] = try interruption(of: entity, named: name)
            }
        }
        for (name, former) in formerNames where reasons[name] == nil {
            reasons[name] = "the table was renamed from \(former)"
        }
        return reasons
    }

    private func interruption(of entity: RecordedEntity, named name: String) throws -> String? {
        guard let table = try TrackedTable(name, connection) else { return "the table does not exist" }
        guard table.reason == nil else { return nil }
        return try SchemaFollowing(connection).renamedColumn(of: entity, table)
            ?? interruption(of: entity, table, allowsNewColumns: true)
    }
}

extension DefaultStore {
    /// Throws an error if the recording of a table is interrupted, or of any table if `name` is `nil`.
    func requireRecorded(_ name: String?, _ connection: Connection) throws {
        guard isTracked else { return }
        let reasons = try TableTracking(connection).interruptions()
        guard let name = name ?? reasons.keys.min(), let reason = reasons[name] else { return }
        throw SwiftDataError.interruptedRecording(of: name, reason)
    }
}
