import ChronicleCore
import ChronicleSQL
import ChronicleSQLStore

/// The columns of a header `h`, its source `s`, and its changes, which begin at `h.old_value`; see ``ChangeTable``.
struct SQLiteHistoryColumns: HistoryColumns {
    typealias EntityNumbers = (_ name: String, _ isRoot: Bool) throws -> [Int64]

    let dialect: any SQLDialect = SQLiteDialect()
    let entityNumbers: EntityNumbers

    var author: SQLQuery { "s.author" }
    var contextName: SQLQuery { "s.context" }
    var bundleIdentifier: SQLQuery { "ifnull(s.program, '')" }
    var processIdentifier: SQLQuery { "ifnull(CAST(h.new_value AS TEXT), '')" }
    var isExternal: SQLQuery { "(s.id = \(raw: "\(SourceTable.external)"))" }
    var timestamp: SQLQuery { "h.primary_key" }
    var position: SQLQuery { "h.id" }

    func metadata(_ key: String) -> SQLQuery {
        "(SELECT value FROM \(raw: MetadataTable.name) WHERE position = h.id AND name = \(value: .text(key)))"
    }

    func isPart(_ change: SQLQuery) -> SQLQuery {
        "\(change).id BETWEEN h.old_value AND h.id AND \(raw: ChangeTable.isOperation("\(change.sql)."))"
    }

    func entity(of change: SQLQuery) -> SQLQuery { "\(raw: ChangeTable.entity("\(change.sql)."))" }

    func table(_ name: String) -> String { name }

    /// Ascending positions are the default order, in which ``HeaderSearch`` visits the headers.
    func positionOrder(isDescending: Bool) -> [SQLQuery] { isDescending ? ["h.range DESC", "h.id DESC"] : [] }

    func numbers(ofEntity name: String, isRoot: Bool) throws -> [Int64] { try entityNumbers(name, isRoot) }
}
