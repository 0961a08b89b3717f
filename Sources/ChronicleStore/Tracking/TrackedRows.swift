import ChronicleCore
import ChronicleSQLite

/// The rows of a tracked database, as the rows of tables of models. If the primary key of a table is not the rowid, each
/// connection that only reads has a temporary view of the same name, whose column `_rowid_` contains the number of the
/// row's key; see ``KeyTable``.
enum TrackedRows {
    static func createViews(_ connection: Connection) throws {
        let present = try entities(connection)
        for entity in try EntityRegistry(connection).entities() where present.contains(entity.name) {
            guard let keyColumns = entity.keyColumns else { continue }
            let columns = entity.attributes.filter(\.isPresent).map(\.name)
            try connection.createTemporaryView(
                entity.name,
                as: KeyTable.select(entity.name, entity.number, keyColumns: keyColumns, columns: columns))
        }
    }

    /// Returns the rows with the key as `_rowid_`, for connections without the views, and all columns if `columns` is `nil`.
    static func source(
        _ name: String, _ entity: Int64, _ keyColumns: [String]?, columns: [String]? = nil, database: String = "main."
    ) -> String {
        guard let keyColumns else { return "\(database)\(quoted(name))" }
        return "(\(KeyTable.select(name, entity, keyColumns: keyColumns, columns: columns, database: database)))"
    }

    /// Recorded entities whose tables have all recorded columns.
    static func entities(_ connection: Connection) throws -> Set<String> {
        let statement = try connection.prepare(
            """
            SELECT e.name FROM main.chronicle_entity AS e WHERE e.table_name IS NOT NULL \
            AND EXISTS (SELECT 1 FROM main.sqlite_schema AS s WHERE s.type = 'table' AND s.name = e.table_name) \
            AND NOT EXISTS (SELECT 1 FROM main.chronicle_attribute AS a WHERE a.entity = e.id AND a.present \
            AND a.name NOT IN (SELECT c.name FROM pragma_table_info(e.table_name, 'main') AS c))
            """)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }
}
