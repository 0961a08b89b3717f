import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// What a program has done to recorded tables that the history does not have yet. Until the change is followed, rows as of a
// position would be those of another table, or lack changes.
extension TableTracking {
    /// Returns the reasons by the names of the tables, which are those in the history, and the present ones of renamed tables.
    /// Only compares two numbers if the schema has not changed.
    ///
    /// Tables with additional columns are not among them, because the history has the values of all other columns, nor those that
    /// cannot be recorded any more, because following the schema does not change this.
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
