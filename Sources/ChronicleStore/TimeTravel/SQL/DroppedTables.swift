import ChronicleCore
import ChronicleSQLite

/// The tables of a tracked database that its program has dropped, or whose primary key it has changed. Past states contain none of
/// their rows.
enum DroppedTables {
    /// Throws an error if such a table had rows at the first position that were changed up to the last one.
    static func requireNone(after position: Int64, through last: Int64 = .max, _ connection: Connection) throws {
        for entity in try EntityRegistry(connection).entities() {
            let table = entity.tableName ?? entity.name
            let exists = try connection.scalarInt64(
                "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
            ) { try $0.bind(table, at: 1) }
            guard exists == nil, try hadRows(entity, after: position, through: last, connection) else { continue }
            throw SwiftDataError.historyValueMissing.with(
                detail:
                    "the table was dropped, or its primary key was changed, after position \(position), so its rows "
                    + "are not known as of that position; use a later one", entityName: entity.name)
        }
    }

    /// Whether the first change of a row is no insert.
    private static func hadRows(
        _ entity: RecordedEntity, after position: Int64, through last: Int64, _ connection: Connection
    ) throws -> Bool {
        let kinds = [ChangeTable.Operation.insert, .update, .delete].map {
            ChangeTable.Kind($0, of: entity.number).rawValue
        }
        // With `min`, the other columns are those of the row that has it. https://www.sqlite.org/lang_select.html#bareagg
        return try connection.scalarInt64(
            """
            SELECT 1 FROM (SELECT min(id), kind FROM main.\(ChangeTable.name) WHERE id > ?1 AND id <= ?2 \
            AND kind IN (\(kinds[0]), \(kinds[1]), \(kinds[2])) GROUP BY primary_key) WHERE kind <> \(kinds[0]) LIMIT 1
            """
        ) {
            try $0.bind(position, at: 1)
            try $0.bind(last, at: 2)
        } != nil
    }
}
