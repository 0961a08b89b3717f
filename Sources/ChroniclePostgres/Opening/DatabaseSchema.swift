#if Postgres
    import ChronicleCore

    struct DatabaseSchema {
        let columns: [String: [String: Column]]
        /// The foreign keys by the names of the constraints.
        let foreignKeys: [String: [String: ForeignKey]]
        let indexes: [String: Set<String>]
        let others: Set<String>
        /// Owners that are not trusted; see ``StoreRelations``.
        let untrustedOwners: [String: String]

        struct ForeignKey {
            let column: String
            let action: String
            let destination: String
        }

        struct Column {
            /// The type as the server names it.
            let type: String
            let isOptional: Bool
            let hasDefault: Bool
        }

        /// - Parameter includesViews: Whether views are tables, as in the history of another program's tables.
        init(_ connection: Connection, includesViews: Bool = false) throws {
            let results = try connection.pipeline { pipeline in
                pipeline.add(
                    """
                    SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, a.atthasdef, \
                    c.relkind IN ('r', 'p'\(includesViews ? ", 'v'" : "")), CASE WHEN NOT \(StoreRelations.isTrusted("c.relowner")) \
                    THEN pg_get_userbyid(c.relowner) END \
                    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \(StoreRelations.roles) LEFT JOIN pg_attribute AS a \
                    ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
                    WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                    """)
                pipeline.add(
                    """
                    SELECT c.relname, k.conname, k.confdeltype, d.relname, a.attname FROM pg_constraint AS k \
                    JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_class AS d ON d.oid = k.confrelid \
                    JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] \
                    WHERE k.contype = 'f' AND c.relnamespace = \(connection.namespace)
                    """)
                pipeline.add(
                    """
                    SELECT t.relname, i.relname FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
                    JOIN pg_class AS t ON t.oid = x.indrelid \
                    WHERE t.relnamespace = \(connection.namespace) AND x.indisvalid
                    """)
            }
            var columns: [String: [String: Column]] = [:]
            var others: Set<String> = []
            var untrustedOwners: [String: String] = [:]
            let attributes = results[0]
            for row in 0..<attributes.count {
                let table = attributes.text(row, 0)
                if !attributes.isNull(row, 6) { untrustedOwners[table] = attributes.text(row, 6) }
                guard attributes.bool(row, 5) else {
                    others.insert(table)
                    continue
                }
                columns[table, default: [:]][attributes.text(row, 1)] = Column(
                    type: attributes.text(row, 2), isOptional: attributes.bool(row, 3),
                    hasDefault: attributes.bool(row, 4))
            }
            var foreignKeys: [String: [String: ForeignKey]] = [:]
            let keys = results[1]
            for row in 0..<keys.count {
                let action =
                    switch keys.text(row, 2) {
                    case "c": "CASCADE"
                    case "n": "SET NULL"
                    case "a": "NO ACTION"
                    default: "other"
                    }
                foreignKeys[keys.text(row, 0), default: [:]][keys.text(row, 1)] = ForeignKey(
                    column: keys.text(row, 4), action: action, destination: keys.text(row, 3))
            }
            var indexes: [String: Set<String>] = [:]
            for row in 0..<results[2].count {
                indexes[results[2].text(row, 0), default: []].insert(results[2].text(row, 1))
            }
            (self.columns, self.foreignKeys, self.indexes, self.others) = (columns, foreignKeys, indexes, others)
            self.untrustedOwners = untrustedOwners
        }

        func hasTable(_ name: String) -> Bool { columns[name] != nil }

        /// The digest covers tables, columns, constraints, indexes, triggers and functions. It changes if any program
        /// changes a definition.
        static func digest(_ connection: Connection) throws -> String {
            let result = try connection.run(
                """
                SELECT md5(string_agg(part, E'\\n' ORDER BY part COLLATE "C")) FROM (
                SELECT concat_ws(' ', 'column', c.relname, c.relkind, a.attname, a.atttypid::regtype, a.attnotnull, \
                a.atthasdef, a.attcollation::regcollation, a.xmin) AS part FROM pg_class AS c JOIN pg_attribute AS a \
                ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
                WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
                UNION ALL SELECT concat_ws(' ', 'inherits', i.inhrelid::regclass, i.inhparent::regclass, i.xmin) FROM pg_inherits AS i \
                JOIN pg_class AS p ON p.oid = i.inhparent JOIN pg_class AS c ON c.oid = i.inhrelid \
                WHERE p.relkind IN ('r', 'p') AND \(connection.namespace) IN (p.relnamespace, c.relnamespace) \
                UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, contype, condeferrable, \
                condeferred, confdeltype, confrelid::regclass, conkey, convalidated) FROM pg_constraint \
                WHERE connamespace = \(connection.namespace) \
                UNION ALL SELECT concat_ws(' ', 'index', i.relname, x.indrelid::regclass, x.indisunique, x.indkey, \
                x.indisvalid, x.indpred IS NULL) FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid \
                WHERE i.relnamespace = \(connection.namespace) \
                UNION ALL SELECT concat_ws(' ', 'trigger', tgrelid::regclass, tgname, tgfoid::regproc, tgenabled, tgtype) \
                FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid JOIN pg_proc AS f ON f.oid = g.tgfoid \
                WHERE NOT tgisinternal AND \(connection.namespace) IN (c.relnamespace, f.pronamespace) \
                UNION ALL SELECT concat_ws(' ', 'partition', g.tgrelid::regclass, g.tgname, g.tgenabled) \
                FROM pg_trigger AS g JOIN pg_trigger AS t ON t.oid = g.tgparentid JOIN pg_proc AS f ON f.oid = g.tgfoid \
                WHERE g.tgenabled <> t.tgenabled AND f.pronamespace = \(connection.namespace) \
                UNION ALL SELECT concat_ws(' ', 'function', oid::regprocedure, prosecdef, md5(prosrc)) FROM pg_proc \
                WHERE pronamespace = \(connection.namespace)) AS definitions
                """)
            return result.text(0, 0)
        }
    }
#endif
