import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore
import ChronicleStore

/// The columns of a transaction `h` of `ATRANSACTION`, and of its changes.
struct AppleHistoryColumns: HistoryColumns {
    let tables: AppleHistoryTables
    let entities: HistoryEntities
    let dialect: any SQLDialect = SQLiteQueries.dialect

    var author: SQLQuery { "\(raw: tables.author.expression)" }
    var contextName: SQLQuery { "\(raw: tables.contextName.expression)" }
    var bundleIdentifier: SQLQuery { "ifnull(\(raw: tables.bundleIdentifier.expression), '')" }
    /// The name of the process, or the identifier of its bundle if the file does not have the name.
    var processIdentifier: SQLQuery { "ifnull(\(raw: tables.processName.expression), \(bundleIdentifier))" }
    var isExternal: SQLQuery { "(\(processIdentifier) = '')" }
    var timestamp: SQLQuery { "h.ZTIMESTAMP" }
    var position: SQLQuery { "h.Z_PK" }

    func metadata(_ key: String) -> SQLQuery { "NULL" }

    func isPart(_ change: SQLQuery) -> SQLQuery { "\(change).parent = h.Z_PK" }

    func entity(of change: SQLQuery) -> SQLQuery { "\(change).entity" }

    func table(_ name: String) -> String {
        switch name {
        case "chronicle_change":
            "(SELECT Z_PK AS id, ZTRANSACTIONID AS parent, ZENTITY AS entity, ZENTITYPK AS primary_key FROM ACHANGE)"
        default: "(SELECT Z_ENT AS id, Z_NAME AS name FROM Z_PRIMARYKEY)"
        }
    }

    func positionOrder(isDescending: Bool) -> [SQLQuery] { [isDescending ? "h.Z_PK DESC" : "h.Z_PK"] }

    func numbers(ofEntity name: String, isRoot: Bool) -> [Int64] { entities.numbers(ofEntity: name, isRoot: isRoot) }
}
