#if Postgres
    import ChronicleCore
    import ChronicleSQL
    import ChronicleSQLStore

    /// The temporary views of a query: the models and links, named as the classes and relationships, and their history.
    ///
    /// A query creates only those whose names its text contains, because each costs rows in the server's catalog.
    struct QueryViews {
        private let sql: String
        private let store: PostgresStore

        init(for sql: String, _ store: PostgresStore) {
            self.sql = sql.lowercased()
            self.store = store
        }

        /// Whether the query may read the history, in which new transactions need a position.
        var includeHistory: Bool { store.past == nil && (sql.contains("_history") || sql.contains("_revisions")) }

        /// A name can also be written with escapes.
        private func isMentioned(_ name: String) -> Bool {
            sql.contains("u&") || sql.contains(quoted(name).dropFirst().dropLast().lowercased())
        }

        /// Creates the views in the open transaction.
        ///
        /// - Parameters:
        ///   - tables: The tables as of a position, or `nil` for the present.
        ///   - replacesUnknownValues: Whether unknown values are NULL, and unknown links are missing.
        func create(_ connection: Connection, _ tables: PastTables?, replacesUnknownValues: Bool) throws {
            if let name = tables?.unknowns.changedForms.min(), let tables {
                throw tables.unknowns.changedForm(of: name)
            }
            try requireRecorded(connection, tables)
            let queried = try QueriedRows.all(connection, store)
            var tables = tables
            tables?.selection.ignoresUnknown = replacesUnknownValues
            try writeTables(connection, queried, &tables)
            var names: Set<String> = []
            var views: [(name: String, select: String)] = []
            for rows in queried {
                names.formUnion(rows.views.map(\.name))
                let mentioned = rows.views.filter { isMentioned($0.name) }
                // The rows of a past state are a long text.
                guard !mentioned.isEmpty else { continue }
                let source = tables?.rows(of: rows.name)?.sql ?? store.layout.qualified(rows.name)
                for entity in mentioned {
                    let columns = entity.columns.map { "r.\(quoted(rows.column($0))) AS \(quoted($0))" }
                    let condition = entity.condition.map { " WHERE r.\($0)" } ?? ""
                    views.append(
                        (entity.name, "SELECT \(columns.joined(separator: ", ")) FROM \(source) AS r\(condition)"))
                }
            }
            for name in store.layout.linksByName.keys.sorted() {
                names.insert(name)
                guard isMentioned(name) else { continue }
                views.append((name, links(name, tables, replacesUnknownValues: replacesUnknownValues)))
            }
            if includeHistory {
                views += try HistoryViews(connection, store.schema, queried).all()
                    .filter { !names.contains($0.name) && isMentioned($0.name) }
            }
            let statements = views.map { "CREATE VIEW pg_temp.\(quoted($0.name)) AS \($0.select)" }
            if !statements.isEmpty { try connection.script(statements.joined(separator: "; "), mayCommit: false) }
        }

        /// Throws an error if the query may read the rows as of a position, or the states, of a table whose recording is
        /// interrupted.
        private func requireRecorded(_ connection: Connection, _ tables: PastTables?) throws {
            guard tables != nil || includeHistory else { return }
            var unknowns = tables?.unknowns ?? PastUnknowns(storeIdentifier: store.identifier, position: 0)
            if tables == nil { unknowns.interruptions = try store.interruptions(connection) }
            let known = Set(store.schema.entities.map(\.rootName))
            for name in unknowns.interruptions.keys.sorted() {
                // A store without the entity has neither of the views.
                let views =
                    tables == nil ? ["\(name)_revisions"] + (known.contains(name) ? [] : ["\(name)_history"]) : [name]
                if views.contains(where: sql.containsName) { try unknowns.requireRecorded(name) }
            }
        }

        private func links(_ name: String, _ tables: PastTables?, replacesUnknownValues: Bool) -> String {
            if tables?.unknowns.links[name] != nil {
                // An error when the view is read.
                let condition = replacesUnknownValues ? "FALSE" : PastTable.failure(ofLinks: name)
                return "SELECT NULL::bigint AS owner, NULL::bigint AS destination WHERE \(condition)"
            }
            let table = store.layout.qualified(name)
            let source = tables?.links[name]?.rows(of: table).sql ?? table
            return "SELECT l.owner, l.destination FROM \(source) AS l"
        }

        /// Writes the changed rows to temporary tables, because a view has no parameters.
        private func writeTables(
            _ connection: Connection, _ queried: [QueriedRows], _ tables: inout PastTables?
        ) throws {
            guard tables != nil else { return }
            var count = 0
            func name() -> String {
                count += 1
                return "pg_temp.\(quoted("chronicle.past.\(count)"))"
            }
            for rows in queried where rows.views.contains(where: { isMentioned($0.name) }) {
                try tables?.tables[rows.name]?.write(to: name(), connection)
            }
            for links in store.layout.linksByName.keys where isMentioned(links) {
                try tables?.links[links]?.write(to: name(), connection)
            }
        }
    }
#endif
