#if Postgres
    import ChronicleCore

    /// Includes the partitions of the table and the tables that inherit from it.
    struct RecordedTable {
        /// The quoted name of the schema.
        let schema: String
        /// Constraints of the table, or foreign keys that reference it, may be checked at the end of a transaction.
        let isDeferred: Bool
        /// Constraints of the table itself may be, the only ones that are checked for a new row.
        let isInsertDeferred: Bool
        /// A statement that names another table can change the rows.
        let isInherited: Bool
        /// The actions of foreign keys can update a row several times, all in one statement.
        let repeatsUpdates: Bool
        /// The table first.
        let relations: [Relation]
        /// A partition is a foreign table, which has no triggers.
        private(set) var hasForeignRelation = false
        /// `nil` for the table of a store.
        var tracking: Tracking?

        /// The table belongs to another program, whose statements must not fail.
        struct Tracking {
            /// The quoted name of the schema with the history.
            let schema: String
            let entity: Int64
            let settings: [String]
            /// Whether only rows of the table itself are read, not those of tables that inherit from it.
            let readsOnly: Bool
        }

        struct Relation {
            let schemaName: String
            let name: String
            /// A partition has the triggers of rows that its parent has.
            let isPartition: Bool

            var qualifiedName: String { qualified(name, in: schemaName) }
        }

        /// Throws an error if the schema of the store was renamed. A partition, or a table that inherits, can belong to
        /// another schema, and be added at any time. The schema of the trigger's function then shows the name of the
        /// store's.
        var requireSchemaName: String {
            let name = literal(relations[0].schemaName)
            let failure = """
                RAISE EXCEPTION 'the schema of the store was renamed; open the store once as the owner of its tables'
                            USING ERRCODE = 'invalid_schema_name';
                """
            // Two conditions: the first one is a simple expression, which needs no executor.
            let isRenamed = """
                NOT EXISTS (SELECT FROM pg_trigger AS g JOIN pg_proc AS p ON p.oid = g.tgfoid \
                JOIN pg_namespace AS n ON n.oid = p.pronamespace \
                WHERE g.tgrelid = TG_RELID AND g.tgname = TG_NAME AND n.nspname = \(name))
                """
            return """
                IF TG_TABLE_SCHEMA <> \(name) THEN
                        \(isInherited ? "IF \(isRenamed) THEN \(failure) END IF;" : failure)
                    END IF;
                """
        }

        /// Returns the tables by name. Throws `SwiftDataError.notAChronicleStore` if a partition is a foreign table.
        static func all(_ connection: Connection) throws -> [String: RecordedTable] {
            let tables = try all(connection, in: connection.settings.schemaName ?? "public")
            if let (name, table) = tables.first(where: \.value.hasForeignRelation) {
                throw SwiftDataError.notAChronicleStore.with(
                    detail:
                        "a partition of the table \(table.relations[0].qualifiedName) is a foreign table, whose changes "
                        + "cannot be recorded; detach it",
                    entityName: name)
            }
            return tables
        }

        /// Returns the tables of a schema, which may be another one than that of the history.
        static func all(_ connection: Connection, in schemaName: String) throws -> [String: RecordedTable] {
            let found = try connection.run(
                """
                WITH RECURSIVE tree AS (
                SELECT oid AS root, oid FROM pg_class WHERE relnamespace = \(literal(quoted(schemaName)))::regnamespace \
                AND relkind IN ('r', 'p')
                UNION SELECT t.root, i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid)
                SELECT r.relname, n.nspname, c.relname, c.relispartition, c.relkind = 'f', \
                EXISTS (SELECT FROM pg_constraint AS k WHERE k.condeferrable AND t.root IN (k.conrelid, k.confrelid)), \
                r.relkind = 'p' OR EXISTS (SELECT FROM pg_inherits AS i WHERE t.root IN (i.inhparent, i.inhrelid)), \
                EXISTS (SELECT FROM pg_constraint AS k WHERE k.condeferrable AND t.root = k.conrelid), \
                (SELECT count(*) > 1 FROM pg_constraint AS k WHERE k.contype = 'f' AND t.root = k.conrelid \
                AND (k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('c', 'n', 'd')))
                FROM tree AS t JOIN pg_class AS r ON r.oid = t.root JOIN pg_class AS c ON c.oid = t.oid \
                JOIN pg_namespace AS n ON n.oid = c.relnamespace \
                ORDER BY r.relname, c.oid <> r.oid, n.nspname, c.relname
                """, isPrepared: false)
            var tables: [String: RecordedTable] = [:]
            for row in 0..<found.count {
                let name = found.text(row, 0)
                let relation = Relation(
                    schemaName: found.text(row, 1), name: found.text(row, 2), isPartition: found.bool(row, 3))
                tables[name] = RecordedTable(
                    schema: connection.schema, isDeferred: found.bool(row, 5), isInsertDeferred: found.bool(row, 7),
                    isInherited: found.bool(row, 6), repeatsUpdates: found.bool(row, 8),
                    relations: (tables[name]?.relations ?? []) + [relation],
                    hasForeignRelation: found.bool(row, 4) || tables[name]?.hasForeignRelation ?? false)
            }
            return tables
        }
    }

    /// Show whether another program replaced rows without firing triggers: with `ALTER TABLE … TYPE … USING`, or by adding
    /// or removing partitions and tables that inherit from those of the models.
    struct TableFiles {
        /// The server, the database and `chronicle_history`, without which the rest has no meaning: a restored dump has
        /// other files.
        private let database: String
        private let tables: [String: File]
        private let attachments: [TableAttachments]
        /// `nil` if an earlier version of Chronicle did not keep them.
        private let attachmentVersions: TableAttachments.Versions?

        private struct File: Equatable {
            /// Changes if the table is rewritten.
            let number: String
            /// Versions of definitions, which `VACUUM FULL` and `CLUSTER` do not change.
            let columns: String
            /// A table inherits from one of the store, without recording its rows.
            let isUnrecorded: Bool
        }

        init(_ connection: Connection) throws {
            let found = try connection.run(
                """
                WITH RECURSIVE tree AS (
                SELECT c.oid, FALSE AS is_child FROM pg_class AS c JOIN \(connection.schema).chronicle_entity AS e \
                ON c.relname = e.name OR starts_with(c.relname, e.name || '.') \
                WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p')
                UNION SELECT i.inhrelid, TRUE FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid)
                SELECT c.oid::text, c.relfilenode::text, coalesce((SELECT md5(string_agg(concat_ws(':', a.attnum, a.xmin), ',' \
                ORDER BY a.attnum)) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0), ''), \
                bool_or(t.is_child) AND NOT EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgrelid = c.oid \
                AND g.tgname = '\(RecorderSQL.rowTrigger)'), format('%I.%I', n.nspname, c.relname)
                FROM tree AS t JOIN pg_class AS c ON c.oid = t.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
                GROUP BY c.oid, c.relfilenode, n.nspname, c.relname ORDER BY c.oid
                """, isPrepared: false)
            var tables: [String: File] = [:]
            for row in 0..<found.count {
                var isUnrecorded = found.bool(row, 3)
                if isUnrecorded {
                    let rows = try connection.run("SELECT FROM ONLY \(found.text(row, 4)) LIMIT 1", isPrepared: false)
                    isUnrecorded = rows.count > 0
                }
                tables[found.text(row, 0)] = File(
                    number: found.text(row, 1), columns: found.text(row, 2), isUnrecorded: isUnrecorded)
            }
            let identifiers = try connection.run(
                """
                SELECT concat_ws(' ', s.system_identifier, d.oid, \
                to_regclass(\(literal(connection.schema + ".chronicle_history")))::oid) \
                FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database()
                """, isPrepared: false)
            (database, self.tables) = (identifiers.text(0, 0), tables)
            attachments = try TableAttachments.all(
                connection,
                ofRoots: """
                    SELECT c.oid FROM pg_class AS c JOIN \(connection.schema).chronicle_entity AS e \
                    ON c.relname = e.name OR starts_with(c.relname, e.name || '.') \
                    WHERE c.relnamespace = \(connection.namespace) AND c.relkind IN ('r', 'p')
                    """
            ).values.map(\.self)
            attachmentVersions = attachments.reduce(into: [:]) { $0.merge($1.versions) { $1 } }
        }

        /// `nil` if ``text`` is not valid.
        init?(_ text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard let first = lines.first else { return nil }
            database = String(first)
            var tables: [String: File] = [:]
            var versions: TableAttachments.Versions?
            for line in lines.dropFirst() {
                if line.hasPrefix(Self.attachmentsPrefix) {
                    versions = TableAttachments.versions(String(line.dropFirst(Self.attachmentsPrefix.count)))
                    continue
                }
                let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 3 else { return nil }
                tables[parts[0]] = File(number: parts[1], columns: parts[2], isUnrecorded: false)
            }
            (self.tables, attachments, attachmentVersions) = (tables, [], versions)
        }

        private static let attachmentsPrefix = "attachments "

        /// The description for `chronicle_meta`.
        var text: String {
            ([database] + tables.sorted { $0.key < $1.key }.map { "\($0) \($1.number) \($1.columns)" }
                + [Self.attachmentsPrefix + TableAttachments.text(attachmentVersions ?? [:])]).joined(separator: "\n")
        }

        func isChanged(since earlier: TableFiles) -> Bool {
            if tables.values.contains(where: \.isUnrecorded) { return true }
            // An earlier version of Chronicle did not keep the last identifier.
            guard database == earlier.database || database.hasPrefix(earlier.database + " ") else { return false }
            if let versions = earlier.attachmentVersions {
                func isKnown(_ attachments: TableAttachments) -> Bool {
                    attachments.change(since: versions.filter { attachments.versions[$0.key] != nil }) == nil
                }
                // A table that is not attached any more is not among the tables.
                if !attachments.allSatisfy(isKnown) { return true }
            }
            return earlier.tables.contains { table, file in
                guard let current = tables[table] else { return true }
                return current.number != file.number && current.columns != file.columns
            }
        }
    }
#endif
