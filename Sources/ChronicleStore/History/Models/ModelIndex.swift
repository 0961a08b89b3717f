import ChronicleCore
import ChronicleSQLite

/// The optional index of the history by model.
///
/// It contains inserts, updates and deletes, but neither headers nor preserved values, which follow their changes. The
/// changes of a model are in commit order, because an entry ends with the row's key. The second term is an expression and
/// not `kind`, whose value also depends on the operation; a query must contain the same one.
/// https://www.sqlite.org/expridx.html
enum ModelIndex {
    static let name = "chronicle_change_model"

    /// The condition of the index, which a query must contain. https://www.sqlite.org/partialindex.html
    static let condition = ChangeTable.isOperation()

    private static let createIndex =
        "CREATE INDEX \(name) ON \(ChangeTable.name)(primary_key, \(ChangeTable.entity())) WHERE \(condition)"

    /// An index of this name with another definition is not used.
    static func exists(_ connection: Connection) throws -> Bool {
        try connection.scalarText("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = '\(name)'")
            == createIndex
    }

    static func set(_ isIndexed: Bool, _ connection: Connection) throws {
        try MetaTable.keepingCompletions(connection) {
            try connection.execute("DROP INDEX IF EXISTS \(name)")
            if isIndexed { try connection.execute(createIndex) }
        }
    }
}
