import ChronicleCore
import ChronicleSQLite

/// The tables of format 1, as the tables of the current format.
///
/// Each table of the current format is a SELECT from those of format 1. With write access, a file is upgraded with
/// these statements; see ``FormatUpgrade``. With read-only access, they are temporary views.
enum Format1 {
    static let version: Int64 = 1

    /// The statements that created the tables. They are only compared with the definitions in a file, never run.
    static let createTables = [
        "CREATE TABLE chronicle_meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID",
        createChangeTable,
        "CREATE TABLE chronicle_conflict(entity INTEGER, key INTEGER, what INTEGER, detail, more)",
        "CREATE TABLE chronicle_entity(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        """
        CREATE TABLE chronicle_attribute(entity INTEGER NOT NULL, number INTEGER NOT NULL, \
        name TEXT NOT NULL, preserved INTEGER NOT NULL, present INTEGER NOT NULL, \
        PRIMARY KEY (entity, number)) WITHOUT ROWID
        """,
        """
        CREATE TABLE chronicle_source(id INTEGER PRIMARY KEY, author TEXT, context TEXT, program TEXT, \
        process TEXT)
        """,
    ]

    /// A table whose definition the current format changed.
    struct Table {
        let name: String
        /// The values of the current columns as an expression for each, in terms of the columns of format 1.
        let columns: [(name: String, expression: String)]

        /// Returns the SELECT statement.
        ///
        /// - Parameter source: Returns the name of a table of format 1.
        func select(_ source: (String) -> String) -> String {
            let values = columns.map {
                "\($0.expression.replacing("$source", with: source("chronicle_source"))) AS \($0.name)"
            }
            return "SELECT \(values.joined(separator: ", ")) FROM \(source(name))"
        }
    }

    // The last two bits of `what` were the operation. `more` contained the value of a delete, the masks after the first
    // of an update, and the first change of a header. Invalid values remain, so that readers detect them.
    private static let kind = "CASE WHEN \(isChange) THEN (what >> 2) << 4 | (what & 3) ELSE what END"
    private static let isUpdate = "\(isChange) AND what & 3 = 2"
    private static let isChange =
        "typeof(what) = 'integer' AND what BETWEEN 1 AND \(ChangeTable.entityNumbers.upperBound << 2 | 3)"
    private static let process = """
        CASE WHEN what < 0 THEN (SELECT CASE WHEN CAST(CAST(process AS INTEGER) AS TEXT) = process \
        THEN CAST(process AS INTEGER) ELSE process END FROM $source WHERE id = -what) END
        """

    static let tables = [
        Table(
            name: ChangeTable.name,
            columns: [
                ("id", "id"), ("kind", kind), ("primary_key", "key"),
                ("attributes", "CASE WHEN \(isUpdate) AND more IS NOT NULL THEN detail || ',' || more ELSE detail END"),
                ("old_value", "CASE WHEN \(isUpdate) THEN NULL ELSE more END"), ("new_value", process),
            ]),
        Table(
            name: "chronicle_conflict",
            columns: [
                ("entity", "entity"), ("primary_key", "key"), ("kind", kind), ("attributes", "detail"),
                ("old_value", "more"),
            ]),
        Table(
            name: "chronicle_entity",
            columns: [
                ("id", "id"), ("name", "name"), ("superentity", "NULL"), ("table_name", "NULL"),
                ("key_columns", "NULL"),
                ("definition", "NULL"),
            ]),
        Table(
            name: "chronicle_attribute",
            columns: [
                ("entity", "entity"), ("number", "number"), ("name", "name"), ("type", "NULL"), ("destination", "NULL"),
                ("present", "present"), ("preserved_inserts", "0"), ("preserved_updates", "0"),
                ("preserved_deletes", "CASE WHEN preserved <> 0 THEN \(Preservation.Extent.all.rawValue) ELSE 0 END"),
            ]),
        Table(
            name: SourceTable.name,
            columns: [
                ("id", "id"), ("author", "author"), ("context", "context"), ("program", "program"), ("newest", "NULL"),
            ]),
    ]

    /// Returns whether the file has the history of format 1, whatever version another program wrote to its header.
    static func hasHistory(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_master WHERE type = 'table' AND sql = ?") {
            try $0.bind(createChangeTable, at: 1)
        } != nil
    }

    private static let createChangeTable =
        "CREATE TABLE \(ChangeTable.name)(id INTEGER PRIMARY KEY, what INTEGER, key, detail, more)"

    /// Creates temporary views with the names of the current tables, if a file that is opened read-only has format 1.
    static func createViews(_ connection: Connection) throws {
        guard try hasHistory(connection) else { return }
        for table in tables {
            try connection.createTemporaryView(table.name, as: table.select { "main.\($0)" })
        }
        // All transactions are in the open range.
        try connection.createTemporaryView(
            SummaryTable.name,
            as: "SELECT 1 AS first, \(SummaryTable.open) AS last, -1 AS sources, NULL AS earliest, NULL AS latest, "
                + "0 AS transactions")
        try connection.createTemporaryView(
            MetadataTable.name, as: "SELECT 0 AS position, '' AS name, '' AS value WHERE 0")
    }

    /// Calls a function, and replaces its SQLite errors if the views of the connection are outdated.
    ///
    /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if another program upgraded the file after
    ///   ``createViews(_:)``.
    static func reading<Result>(_ connection: Connection, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            guard connection.hasTemporaryViews, try FileFormat.version(connection) != version,
                try !FileFormat.isTracked(connection)
            else { throw error }
            throw SwiftDataError.loadIssueModelContainer.with(
                detail: "another program upgraded the file while it was open; open the store again",
                underlying: DatabaseError(error))
        }
    }
}
