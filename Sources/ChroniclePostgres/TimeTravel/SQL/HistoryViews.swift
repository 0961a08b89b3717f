#if Postgres
    import ChronicleCore
    import ChronicleSQLStore

    /// The views `<entity>_history` and `<entity>_revisions` of each entity, in SQL that reads the tables of the history.
    ///
    /// Their queries sort the changes and pass over them once, so they take time proportional to the history and the table,
    /// except for the sort.
    struct HistoryViews {
        private let schema: Schema
        /// The quoted name of the schema with the history.
        private let place: String
        private let queried: [QueriedRows]
        private let entities: [RecordedEntity]
        /// The positions at which relationships changed between to-one and to-many, by the number of the entity. Their columns have
        /// no values before.
        private let changedForms: [Int64: Int64]

        init(_ connection: Connection, _ schema: Schema, _ queried: [QueriedRows]) throws {
            (self.schema, place, self.queried) = (schema, connection.schema, queried)
            entities = try Catalog(connection).entities()
            changedForms = try MetaTable.changedRelationships(connection)
        }

        /// Without views whose names the server would truncate.
        func all() -> [(name: String, select: String)] {
            queried.flatMap { rows in
                rows.views.flatMap { entity in
                    [
                        (entity.historyName, history(of: entity, rows)),
                        (entity.revisionsName, revisions(of: entity, rows)),
                    ]
                }
            }.filter { $0.0.utf8.count <= TableNames.lengthLimit }
        }

        // MARK: Changes

        /// The changes of an entity. Those without a position have the next one.
        private func changes(of entity: QueriedEntity) -> String {
            let numbers = entities.filter { entity.kinds.contains($0.name) }.map { String($0.number) }
            let condition = "c.entity IN (\(numbers.joined(separator: ", ")))"
            let columns =
                "c.id, c.kind, c.entity, c.primary_key, c.attributes, c.preserved, c.old_values, c.new_values"
            return """
                SELECT h.position, h.timestamp, h.author, \(columns) FROM \(place).chronicle_transaction AS h \
                JOIN \(place).chronicle_change AS c ON c.transaction = h.transaction \
                AND c.id BETWEEN h.first_change AND h.last_change WHERE \(condition) \
                UNION ALL SELECT s.position + 1, NULL, NULL, \(columns) FROM \(place).chronicle_history AS s \
                CROSS JOIN \(PastChangeReader.pending(place)) AS p JOIN \(place).chronicle_change AS c \
                ON c.transaction = p.transaction AND c.id > p.after WHERE \(condition)
                """
        }

        // MARK: History

        /// A row for each preserved value, and for each attribute of an update whose values are unknown.
        private func history(of entity: QueriedEntity, _ rows: QueriedRows) -> String {
            // Seconds since 2001, which a program states. The server rejects years that are far away.
            let date = """
                CASE WHEN c.timestamp BETWEEN -200000000000 AND 9000000000000 \
                THEN to_timestamp(c.timestamp + 978307200) END
                """
            return """
                SELECT c.position, \(date) AS date, c.author, \
                CASE c.kind WHEN 'i' THEN 'insert' WHEN 'u' THEN 'update' ELSE 'delete' END AS operation, \
                \(key(of: rows)) AS key, a.name AS attribute, \(Self.text("v.old")) AS previous, \
                \(Self.text("v.new")) AS value, coalesce(v.unknown, TRUE) AS unknown \
                FROM (\(changes(of: entity))) AS c LEFT JOIN LATERAL (\
                SELECT p.number, p.old, p.new, FALSE AS unknown \
                FROM unnest(c.preserved, c.old_values, c.new_values) AS p(number, old, new) \
                UNION ALL SELECT u.number, NULL, NULL, TRUE FROM unnest(c.attributes) AS u(number) \
                WHERE u.number <> ALL (coalesce(c.preserved, '{}'))) AS v ON TRUE \
                LEFT JOIN \(place).chronicle_attribute AS a ON a.entity = \(rows.entity.number) AND a.number = v.number \
                WHERE c.kind <> 'u' OR v.unknown IS NOT NULL ORDER BY c.position, c.id
                """
        }

        /// A preserved value without the letter of its type.
        private static func text(_ value: String) -> String {
            "CASE left(\(value), 1) WHEN 'x' THEN \(literal("\\x")) || substr(\(value), 2) ELSE substr(\(value), 2) END"
        }

        /// The primary key of a changed row as its program knows it.
        private func key(of rows: QueriedRows) -> String {
            guard let key = rows.numberedKey else { return "c.primary_key" }
            let texts = key.columns.enumerated().map { index, column in
                let text = "k.\(TrackedKey.column(index))::text"
                return key.columns.count == 1 || column.isInteger ? text : "quote_literal(\(text))"
            }
            let value = texts.count == 1 ? texts[0] : "'(' || \(texts.joined(separator: " || ', ' || ")) || ')'"
            let table = "\(place).\(TrackedKey.table(of: rows.entity.number))"
            return "(SELECT \(value) FROM \(table) AS k WHERE k.id = c.primary_key)"
        }

        // MARK: Revisions

        /// A row for each state of a model after a transaction, and for the state in which the history begins.
        ///
        /// The value of an attribute is that before the next later change of it, or the present one. For each attribute, `m` is
        /// the mark of a change of it: the place of the change, and what was known of the value before it. The places of later
        /// changes are greater, so the least mark of the later changes of a model is the next one.
        private func revisions(of entity: QueriedEntity, _ rows: QueriedRows) -> String {
            let attributes = attributes(of: entity, rows)
            let marks = attributes.map { ", \($0.mark) AS m\($0.number)" }.joined()
            let noMarks = attributes.map { _ in ", NULL" }.joined()
            let next = attributes.map { ", min(m\($0.number)) OVER later AS n\($0.number)" }.joined()
            let present = "\(place).\(quoted(rows.name))"
            let condition = entity.condition.map { " WHERE t.\($0)" } ?? ""
            let values = entity.columns.compactMap { name -> String? in
                // As SQLite names a column if there is another one of the name.
                let alias = quoted(["from", "to", "unknown"].contains(name) ? "\(name):1" : name)
                if rows.column(name) == EntityTable.primaryKey { return "q.key AS \(alias)" }
                if name == Schema.entityAttribute { return "\(className(of: entity, rows)) AS \(alias)" }
                return attributes.first { $0.name == name }.map { "\($0.value) AS \(alias)" }
            }
            let unknown = attributes.map { "CASE WHEN \($0.isUnknown) THEN \(literal($0.name)) END" }
            let changed = changedForms[rows.entity.number].map { ", \($0)" } ?? ""
            return """
                WITH chronicle_changes AS (SELECT c.position, c.place, c.kind, c.entity, c.primary_key AS key\(marks) \
                FROM (SELECT c.*, \
                (lpad(c.position::text, 19, '0') || lpad(c.id::text, 19, '0')) COLLATE "C" AS place \
                FROM (\(changes(of: entity))) AS c) AS c \
                WHERE c.position > (SELECT greatest(s.floor, s.gap\(changed)) FROM \(place).chronicle_history AS s)), \
                chronicle_states AS (SELECT * FROM chronicle_changes \
                UNION ALL SELECT NULL, '' COLLATE "C", NULL, NULL, k.key\(noMarks) FROM (\
                SELECT t.\(EntityTable.primaryKey) AS key FROM \(present) AS t\(condition) \
                UNION SELECT key FROM chronicle_changes) AS k), \
                chronicle_ordered AS (SELECT position, place, key, kind, lag(kind) OVER states AS next_kind, \
                coalesce(entity, lag(entity) OVER states) AS entity, lag(position) OVER states AS until\(next) \
                FROM chronicle_states WINDOW states AS (PARTITION BY key ORDER BY place DESC), \
                later AS (states ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) \
                SELECT \((["q.position AS \"from\"", "q.until AS \"to\""] + values).joined(separator: ", ")), \
                nullif(array_to_string(ARRAY[\(unknown.joined(separator: ", "))]::text[], ','), '') AS unknown \
                FROM chronicle_ordered AS q LEFT JOIN \(present) AS t ON t.\(EntityTable.primaryKey) = q.key \
                WHERE q.kind IS DISTINCT FROM 'd' AND (q.place <> '' OR q.next_kind IS DISTINCT FROM 'i') \
                AND (q.until IS NULL OR q.position IS NULL OR q.until <> q.position)
                """
        }

        /// The class of a model never changes. The root has no name.
        private func className(of entity: QueriedEntity, _ rows: QueriedRows) -> String {
            let cases = entities.filter { entity.kinds.contains($0.name) && $0.number != rows.entity.number }
                .map { " WHEN \($0.number) THEN \(literal($0.name))" }.joined()
            let name = cases.isEmpty ? "NULL" : "CASE q.entity\(cases) END"
            return "CASE WHEN q.entity IS NULL THEN t.\(quoted(Schema.entityAttribute)) ELSE \(name) END"
        }

        private func attributes(of entity: QueriedEntity, _ rows: QueriedRows) -> [RevisedAttribute] {
            let properties = schema.entitiesByName[entity.name]?.propertiesByName ?? [:]
            return entity.columns.compactMap { name in
                guard let property = properties[name],
                    let attribute = rows.entity.attributes.first(where: { $0.name == name && $0.isPresent })
                else { return nil }
                let type = ColumnType(property)
                func literal(_ value: PropertyValue) -> String { type.literal(value) ?? "NULL" }
                return RevisedAttribute(
                    name: name, number: attribute.number, addedAfter: attribute.addedAfter, type: type,
                    nullValue: literal(schema.pastValue(.null, of: name, inEntity: entity.name)),
                    defaultValue: literal(
                        schema.valueOfEarlierRow(of: name, inEntity: entity.name, columnDefault: .null)))
            }
        }
    }

    /// A column of a revision.
    private struct RevisedAttribute {
        let name: String
        let number: Int
        let addedAfter: Int64?
        let type: ColumnType
        /// Literals of the values of rows with NULL, and of rows from before the attribute was added.
        let nullValue: String, defaultValue: String

        /// What is known of a value, if it is not the text of a preserved one.
        private enum Mark: String { case null = "n", unknown = "u", defaultValue = "d" }

        /// An expression for a change: its place and a mark, or NULL if the value before it is that after it.
        var mark: String {
            let index = "array_position(c.preserved, \(number)::smallint)"
            let lacks = addedAfter.map { "c.id <= \($0)" } ?? "FALSE"
            return """
                CASE WHEN c.kind = 'i' THEN NULL \
                WHEN \(index) IS NOT NULL THEN ARRAY[c.place, coalesce(c.old_values[\(index)], '\(Mark.null.rawValue)')] \
                WHEN c.kind = 'u' THEN CASE WHEN \(number) = ANY (c.attributes) \
                THEN ARRAY[c.place, '\(Mark.unknown.rawValue)'] END \
                WHEN \(lacks) THEN ARRAY[c.place, '\(Mark.defaultValue.rawValue)'] \
                ELSE ARRAY[c.place, '\(Mark.unknown.rawValue)'] END
                """
        }

        private var next: String { "(q.n\(number))[2]" }
        private var kind: String { "left(\(next), 1)" }
        private var text: String { "substr(\(next), 2)" }

        /// The preserved values that the column can contain. An integer of up to 15 digits is also a real number.
        private var conversion: (condition: String, value: String) {
            switch type {
            case .integer: ("\(kind) = 'i'", "\(text)::bigint")
            case .real: ("\(kind) = 'r' OR \(kind) = 'i' AND length(\(next)) <= 16", "\(text)::double precision")
            case .text: ("\(kind) = 't'", text)
            case .blob: ("\(kind) = 'x'", "decode(\(text), 'hex')")
            }
        }

        private var known: [(condition: String, value: String)] {
            [
                conversion,
                ("\(kind) = '\(Mark.null.rawValue)'", nullValue),
                ("\(kind) = '\(Mark.defaultValue.rawValue)'", defaultValue),
            ]
        }

        var value: String {
            let cases = known.map { " WHEN \($0.condition) THEN \($0.value)" }.joined()
            let collation = type == .text ? " COLLATE \"C\"" : ""
            return "(CASE WHEN q.n\(number) IS NULL THEN t.\(quoted(name))\(cases) END)\(collation)"
        }

        var isUnknown: String {
            let isKnown = known.map { "(\($0.condition))" }.joined(separator: " OR ")
            return "CASE WHEN q.n\(number) IS NULL THEN t.\(EntityTable.primaryKey) IS NULL ELSE NOT (\(isKnown)) END"
        }
    }
#endif
