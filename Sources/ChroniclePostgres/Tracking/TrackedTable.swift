#if Postgres
    import ChronicleCore
    import Foundation

    /// A table of another program, as the server describes it.
    struct TrackedTable: Sendable {
        let oid: Int64
        let name: String
        let isPartitioned: Bool
        /// Together they show that all rows were written again with other values, by `ALTER COLUMN … TYPE … USING`; see
        /// ``TableFiles``.
        let file: String, columnVersions: String
        /// Generated columns follow from others and are not among them.
        let columns: [TrackedColumn]
        let key: TrackedKey
        /// The table, with its partitions.
        let relations: [RecordedTable.Relation]
        /// The table is recorded with its partitions; empty if it has none. Tables that inherit from it are recorded for
        /// themselves.
        let partitions: TableAttachments
        /// `nil` for a view.
        let circumstances: RecordedTable?
        /// Why the table cannot be recorded.
        let reason: String?
        /// Whether the only reason is the role of the connection.
        let isOfOtherRole: Bool
        /// `false` for a view.
        let isOrdinary: Bool

        private static let reservedColumns: Set<String> = [
            EntityTable.primaryKey, Schema.entityAttribute, "past.present", "past.unknown",
            "chronicle_place", "chronicle_number",
        ]

        /// All columns, except the integer that is the key in the history.
        var attributes: [TrackedColumn] { key.isNumbered ? columns : columns.filter { $0 != key.columns.first } }

        /// Another form of triggers is needed if a table begins to inherit.
        var isRecordedByRow: Bool { circumstances?.isInherited ?? false }

        /// Returns the tables and views of a schema in the order of their names, without partitions.
        static func all(_ connection: Connection, in schemaName: String) throws -> [TrackedTable] {
            // `NULL` if the program has dropped or renamed the schema.
            let namespace = "to_regnamespace(\(literal(quoted(schemaName))))"
            let results = try connection.pipeline { pipeline in
                pipeline.add(
                    """
                    SELECT c.oid::bigint, c.relname, c.relkind::text, c.relpersistence = 'u', pg_has_role(c.relowner, 'USAGE'), \
                    pg_get_userbyid(c.relowner), CASE WHEN c.relkind = 'p' THEN (\
                    SELECT md5(string_agg(f.relfilenode::text, ',' ORDER BY f.oid)) FROM pg_partition_tree(c.oid) AS t \
                    JOIN pg_class AS f ON f.oid = t.relid) ELSE c.relfilenode::text END, md5(coalesce((\
                    SELECT string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute AS a \
                    WHERE a.attrelid = c.oid AND a.attnum > 0), '')) FROM pg_class AS c WHERE c.relnamespace = \(namespace) \
                    AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition ORDER BY c.relname COLLATE "C"
                    """, isPrepared: false)
                pipeline.add(
                    """
                    SELECT c.oid::bigint, a.attnum::bigint, a.attname, format_type(a.atttypid, NULL), \
                    CASE WHEN b.typnamespace = 'pg_catalog'::regnamespace THEN b.typname END, \
                    CASE WHEN a.attcollation <> 0 THEN (SELECT format('%I.%I', m.nspname, l.collname) FROM pg_collation AS l \
                    JOIN pg_namespace AS m ON m.oid = l.collnamespace WHERE l.oid = a.attcollation) END \
                    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid JOIN pg_type AS t ON t.oid = a.atttypid \
                    JOIN pg_type AS b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END \
                    WHERE c.relnamespace = \(namespace) AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
                    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY 1, 2
                    """, isPrepared: false)
                pipeline.add(
                    """
                    SELECT c.oid::bigint, k.number::bigint FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid \
                    CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS k(number, place) \
                    WHERE c.relnamespace = \(namespace) AND i.indisprimary AND i.indisvalid AND k.place <= i.indnkeyatts \
                    ORDER BY 1, k.place
                    """, isPrepared: false)
            }
            var columns: [Int64: [TrackedColumn]] = [:]
            for row in 0..<results[1].count {
                func text(_ column: Int) -> String? {
                    results[1].isNull(row, column) ? nil : results[1].text(row, column)
                }
                columns[results[1].int64(row, 0), default: []].append(
                    TrackedColumn(
                        number: results[1].int64(row, 1), name: results[1].text(row, 2), type: results[1].text(row, 3),
                        base: text(4), collation: text(5)))
            }
            var keys: [Int64: [Int64]] = [:]
            for row in 0..<results[2].count {
                keys[results[2].int64(row, 0), default: []].append(results[2].int64(row, 1))
            }
            let circumstances = try RecordedTable.all(connection, in: schemaName)
            let partitions = try TableAttachments.all(
                connection,
                ofRoots: """
                    SELECT c.oid FROM pg_class AS c WHERE c.relnamespace = \(namespace) AND c.relkind = 'p' \
                    AND NOT c.relispartition
                    """)
            let tables = results[0]
            return (0..<tables.count).map { row in
                let (oid, name, kind) = (tables.int64(row, 0), tables.text(row, 1), tables.text(row, 2))
                let own = columns[oid] ?? []
                let numbers = keys[oid] ?? []
                let key = TrackedKey(columns: numbers.compactMap { number in own.first { $0.number == number } })
                let known = circumstances[name]
                // Tables that inherit are tables on their own, in contrast to partitions.
                let relations = (known?.relations ?? []).filter { kind == "p" || !$0.isPartition && $0.name == name }
                let isOwned = tables.bool(row, 4)
                var reason: String?
                var ownReason: String?
                switch kind {
                case "v", "m": reason = "it is a view"
                case "f": reason = "it is a foreign table, whose changes other servers make"
                default:
                    ownReason = Self.reason(
                        name, own, key, isKnown: key.columns.count == numbers.count,
                        isUnlogged: tables.bool(row, 3), hasForeignPartition: known?.hasForeignRelation ?? false)
                    let owner = isOwned ? nil : tables.text(row, 5)
                    reason =
                        ownReason
                        ?? owner.map { "the role \($0) owns it; connect as this role, or as a member of it" }
                }
                return TrackedTable(
                    oid: oid, name: name, isPartitioned: kind == "p", file: tables.text(row, 6),
                    columnVersions: tables.text(row, 7), columns: own, key: key,
                    relations: kind == "p" ? relations : Array(relations.prefix(1)),
                    partitions: partitions["\(oid)"] ?? TableAttachments(), circumstances: known,
                    reason: reason, isOfOtherRole: reason != nil && ownReason == nil && ["r", "p"].contains(kind),
                    isOrdinary: ["r", "p"].contains(kind))
            }
        }

        private static func reason(
            _ name: String, _ columns: [TrackedColumn], _ key: TrackedKey, isKnown: Bool, isUnlogged: Bool,
            hasForeignPartition: Bool
        ) -> String? {
            if name.hasPrefix("chronicle_") { return "the name is reserved" }
            if !isKnown { return "its primary key contains a generated column" }
            if key.columns.isEmpty { return "it has no primary key, so nothing identifies its rows" }
            if isUnlogged { return "it is unlogged: the server empties it after a crash" }
            if hasForeignPartition { return "one of its partitions is a foreign table, which has no triggers" }
            if let column = columns.first(where: { reservedColumns.contains($0.name) }) {
                return "the name of its column \"\(column.name)\" is reserved"
            }
            return nil
        }

        /// Returns the description of the table as an entity without a class.
        func definition() throws -> Schema.Entity {
            struct Attribute: Encodable {
                let kind = "attribute"
                let name: String
                let type: String
                let storage: Schema.Attribute.Storage
                let isOptional = true
            }
            struct Entity: Encodable {
                let name: String
                let properties: [Attribute]
            }
            let properties = attributes.map { column in
                let (type, storage) = column.attributeType
                return Attribute(name: column.name, type: type, storage: storage)
            }
            let json = try JSONEncoder().encode(Entity(name: name, properties: properties))
            return try Schema.Entity(json: String(decoding: json, as: UTF8.self))
        }
    }
#endif
