import ChronicleCore
import ChronicleSQL

// Fetches as of a position.
extension FetchSQL {
    /// - Parameters:
    ///   - entity: The entity, or `nil` for that of the class.
    ///   - past: The tables as of a position, or `nil` for the present rows.
    init<Model>(
        _ descriptor: FetchDescriptor<Model>, of entity: Schema.Entity? = nil, lookup: DataStoreLookup? = nil,
        excluding excluded: Set<PersistentIdentifier> = [], includeSubclasses: Bool = true, schema: Schema,
        storeIdentifier: String, past: PastTables? = nil
    ) throws {
        func make(_ tables: some SQLTables) throws -> FetchSQL {
            try FetchSQL(
                descriptor, of: entity, lookup: lookup, excluding: excluded, includeSubclasses: includeSubclasses,
                schema: schema, storeIdentifier: storeIdentifier, dialect: SQLiteDialect(), tables: tables)
        }
        if let past { self = try make(past) } else { self = try make(ModelTables()) }
    }

    /// SQLite combines the query with ``PastTable/source`` only if it also selects the terms of its order.
    func select(_ columns: SQLQuery, past: PastTables?) -> SQLQuery {
        select(columns, includingOrder: past.map(readsChangedRows) ?? false)
    }

    func identifiers(past: PastTables?) -> SQLQuery { select(identifierColumns, past: past) }

    func count(past: PastTables?) -> SQLQuery {
        guard let past, limit == nil, readsChangedRows(past) else { return count }
        guard !excludesRows, !readsLinks, tableNames.count == 1, let table = past.tables[tableNames[0]] else {
            return past.count(rows)
        }
        return "SELECT \(table.count(where: condition, as: Self.table))"
    }

    private func readsChangedRows(_ past: PastTables) -> Bool {
        guard !past.tables.isEmpty || !past.links.isEmpty else { return false }
        return readsLinks || tableNames.contains { past.tables[$0] != nil }
    }
}

extension PastTables: SQLTables {
    func rows(of table: String) -> SQLQuery? { tables[table].map { SQLQuery(raw: $0.source) } }

    func links(of table: String) throws -> SQLQuery? { SQLQuery(raw: try linkSource(table)) }

    func join(_ table: String, as alias: String) -> SQLJoin? {
        tables[table].map { table in
            SQLJoin(
                clause: { table.join($0, as: alias) },
                column: { SQLQuery(raw: table.joinedValue($0, alias)) })
        }
    }

    /// A subquery that is an aggregate query would compute all rows of ``PastTable/source``. The limit prevents SQLite from
    /// combining both. https://www.sqlite.org/optoverview.html#flattening
    func count(_ rows: SQLQuery) -> SQLQuery { "SELECT count(*) FROM (SELECT 1 \(rows) LIMIT -1)" }
}
