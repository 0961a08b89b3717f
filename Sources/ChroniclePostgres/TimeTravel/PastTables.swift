#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// The rows that have changed since a position, and the SQL of the tables as of the position.
    ///
    /// The client has the changed rows and sends them with each query that reads their tables, as arrays. So the server keeps
    /// nothing between two reads, which a standby server could not, and neither could a role without the privilege to
    /// create temporary tables, nor a session that a proxy assigns to a transaction.
    struct PastTables: Sendable {
        /// The qualified and quoted name of a table.
        let qualified: @Sendable (String) -> String
        /// The tables of models that have changed, by name.
        var tables: [String: PastTable] = [:]
        /// The link tables that have changed, by name.
        var links: [String: PastLinks] = [:]
        var unknowns: PastUnknowns
        /// The rows that the present query needs.
        var selection = PastTable.Selection()

        /// The same tables for a query that reads only the rows with some keys, or all.
        func selecting(_ keys: Set<Int64>?) -> PastTables {
            var tables = self
            tables.selection.keys = keys
            return tables
        }

        /// The same tables for a query in which unknown values are NULL.
        var ignoringUnknownValues: PastTables {
            var tables = self
            tables.selection.ignoresUnknown = true
            return tables
        }
    }

    extension PastTables: SQLTables {
        func rows(of table: String) -> SQLQuery? {
            guard let past = tables[table], past.hasRows(selection) else { return nil }
            return past.rows(of: SQLQuery(raw: qualified(table)), selection)
        }

        func links(of table: String) throws -> SQLQuery? {
            try unknowns.requireLinks(table)
            return links[table].map { $0.rows(of: qualified(table)) }
        }

        func join(_ table: String, as alias: String) -> SQLJoin? {
            tables[table].map { $0.join(SQLQuery(raw: qualified(table)), as: alias, selection) }
        }
    }

    /// The changed rows of a link table.
    struct PastLinks: Sendable {
        private var known: Set<PastChanges.Link> = []
        private var owners = ArrayText()
        private var destinations = ArrayText()
        private var presence = ArrayText()
        /// See ``PastTable``.
        private var temporary: String?

        /// Adds links, except those that are known already.
        ///
        /// - Parameter links: Whether the links existed.
        mutating func append(_ links: [PastChanges.Link: Bool]) {
            for (link, existed) in links where known.insert(link).inserted {
                owners.append(.integer(link.owner))
                destinations.append(.integer(link.destination))
                presence.append(.text(existed ? "t" : "f"))
            }
        }

        /// Returns an item of a FROM clause with the links as of the position.
        func rows(of table: String) -> SQLQuery {
            let columns: SQLQuery = """
                \(owners.parameter(nil))::bigint[], \(destinations.parameter(nil))::bigint[]
                """
            let keys: SQLQuery = temporary.map { "\(raw: $0) AS k" } ?? "unnest(\(columns)) AS k(owner, destination)"
            return """
                (SELECT m.owner, m.destination FROM \(raw: table) AS m WHERE NOT EXISTS \
                (SELECT FROM \(keys) WHERE k.owner = m.owner AND k.destination = m.destination) \
                UNION ALL SELECT p.owner, p.destination FROM \(changedLinks) WHERE p.present)
                """
        }

        private var changedLinks: SQLQuery {
            if let temporary { return "\(raw: temporary) AS p" }
            return """
                unnest(\(owners.parameter(nil))::bigint[], \(destinations.parameter(nil))::bigint[], \
                \(presence.parameter(nil))::boolean[]) AS p(owner, destination, present)
                """
        }

        /// Writes the links to a temporary table; see ``PastTable``.
        mutating func write(to name: String, _ connection: Connection) throws {
            try connection.createTemporary(name, "SELECT * FROM \(changedLinks)")
            temporary = name
        }
    }

    extension Connection {
        /// Creates a temporary table that the end of the transaction drops. The statistics are for the planner.
        func createTemporary(_ name: String, _ rows: SQLQuery) throws {
            try run(
                "CREATE TEMPORARY TABLE \(name) ON COMMIT DROP AS \(rows.sql(for: PostgreSQLDialect()))",
                Parameters(rows.bindings),
                isPrepared: false)
            try run("ANALYZE \(name)", isPrepared: false)
        }
    }
#endif
