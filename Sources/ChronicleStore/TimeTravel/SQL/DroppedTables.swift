import ChronicleCore
import ChronicleSQLite

/// The tables of a tracked database that its program has dropped, or whose primary key it has changed. Past states contain none of
/// their rows.
enum DroppedTables {
    /// Throws an error if such a table has changes after a position, and up to another one.
    static func requireNone(after position: Int64, through last: Int64 = .max, _ connection: Connection) throws {
        let name = try connection.scalarText(
            """
            SELECT e.name FROM main.chronicle_entity AS e WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_schema AS s \
            WHERE s.type = 'table' AND s.name = e.table_name) AND EXISTS (SELECT 1 FROM main.\(ChangeTable.name) AS c \
            WHERE c.id BETWEEN ?1 AND ?2 AND \(ChangeTable.isChange("c.")) AND \(ChangeTable.entity("c.")) = e.id) ORDER BY e.id
            """
        ) {
            try $0.bind(position + 1, at: 1)
            try $0.bind(last, at: 2)
        }
        guard let name else { return }
        throw SwiftDataError.historyValueMissing.with(
            detail: "the table was dropped, or its primary key was changed, after position \(position), so its rows are not known "
                + "as of that position; use a later one", entityName: name)
    }
}
