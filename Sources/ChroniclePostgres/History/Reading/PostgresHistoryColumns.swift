#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// A transaction `h`, and its changes in `chronicle_change`.
    struct PostgresHistoryColumns: HistoryColumns {
        let dialect: any SQLDialect
        let entityNumbers: (String, Bool) throws -> [Int64]

        var author: SQLQuery { "h.author" }
        var contextName: SQLQuery { "h.context" }
        var bundleIdentifier: SQLQuery { "coalesce(h.bundle, '')" }
        var processIdentifier: SQLQuery { "coalesce(h.process, '')" }
        var isExternal: SQLQuery { dialect.value(of: "coalesce(h.process, '') = ''") }
        var timestamp: SQLQuery { "h.timestamp" }
        var position: SQLQuery { "h.position" }

        func metadata(_ key: String) -> SQLQuery { "(h.metadata ->> \(dialect.constant(.text(key))))" }

        func isPart(_ change: SQLQuery) -> SQLQuery {
            "\(change).transaction = h.transaction AND \(change).id BETWEEN h.first_change AND h.last_change"
        }

        func entity(of change: SQLQuery) -> SQLQuery { "\(change).entity" }

        func table(_ name: String) -> String { dialect.table(name) }

        func positionOrder(isDescending: Bool) -> [SQLQuery] { [isDescending ? "h.position DESC" : "h.position"] }

        func numbers(ofEntity name: String, isRoot: Bool) throws -> [Int64] { try entityNumbers(name, isRoot) }
    }
#endif
