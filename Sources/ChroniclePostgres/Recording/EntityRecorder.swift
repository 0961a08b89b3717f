#if Postgres
    import ChronicleCore
    import ChronicleSQLStore
    import Foundation

    struct EntityRecorder {
        private let entity: RecordedEntity
        /// The quoted name of the schema.
        private let schema: String
        private let columns: [Column]
        private let lists: [RecorderSQL.RecordedList]
        private static let key = EntityTable.primaryKey

        private struct Column {
            let attribute: RecordedAttribute
            /// The type as the server names it.
            let type: String

            var name: String { quoted(attribute.name) }

            /// Reals are compared by their bytes: the operators of the server consider 0 and -0 equal.
            var isChanged: String {
                type == "double precision"
                    ? "float8send(o.\(name)) IS DISTINCT FROM float8send(n.\(name))"
                    : "o.\(name) IS DISTINCT FROM n.\(name)"
            }
        }

        init(_ entity: RecordedEntity, types: [String: String], lists: [RecorderSQL.RecordedList], schema: String) {
            self.entity = entity
            self.lists = lists
            self.schema = schema
            columns = entity.attributes.compactMap { attribute in
                guard attribute.isPresent, let type = types[attribute.name] else { return nil }
                return Column(attribute: attribute, type: type)
            }
        }

        func inserts(_ rows: RecorderSQL.Rows) -> String {
            """
            \(RecorderSQL.insertChanges(schema)) \(Self.number(of: entity, "n")), 'i', n.\(Self.key), NULL, \(inserted.numbers), \
            NULL, \(inserted.newValues)
            FROM \(rows.new) AS n
            """
        }

        /// Where a delete finds the links of its rows.
        enum LinkSource {
            /// In `chronicle_removed`; see ``RecorderSQL/linksTrigger(of:_:_:)``. Their own tables do not contain them any more.
            case noted
            /// In their own tables, which `TRUNCATE` has not emptied yet.
            case stored
        }

        /// Returns the statement that records deletes.
        ///
        /// A delete also preserves links. An empty list has a NULL, so that a reader can distinguish it from one that is not
        /// preserved.
        ///
        /// - Parameters:
        ///   - rows: The deleted rows.
        ///   - links: Where the links of the rows are.
        func deletes(from rows: String, links: LinkSource) -> String {
            guard !lists.isEmpty else { return deletes(rows, deleted.numbers, deleted.oldValues) }
            func array(_ known: String, _ empty: (Int) -> String, _ links: String, _ type: String) -> String {
                var parts = ["coalesce(\(known), '{}'::\(type)[])", "coalesce(g.\(links), '{}'::\(type)[])"]
                parts += Set(lists.map(\.number)).sorted().map { number in
                    "CASE WHEN \(number) = ANY (g.numbers) THEN '{}'::\(type)[] ELSE ARRAY[\(empty(number))]::\(type)[] END"
                }
                return parts.joined(separator: " || ")
            }
            let statement = deletes(
                rows, array(deleted.numbers, { "\($0)" }, "numbers", "smallint"),
                array(deleted.oldValues, { _ in "NULL" }, "texts", "text"))
            let found =
                switch links {
                case .noted:
                    """
                    DELETE FROM \(schema).chronicle_removed AS r USING \(rows) AS o \
                    WHERE r.transaction = pg_current_xact_id() AND r.entity = \(entity.number) AND r.primary_key = o.\(Self.key) \
                    RETURNING r.primary_key, r.attribute, r.destination
                    """
                case .stored:
                    lists.map {
                        "SELECT l.\($0.column) AS primary_key, \($0.number)::smallint AS attribute, l.\($0.other) AS destination "
                            + "FROM \(schema).\(quoted($0.table)) AS l"
                    }.joined(separator: " UNION ALL ")
                }
            let destination = PreservedText.expression("l.destination", type: "bigint")
            return """
                WITH links AS (
                \(found)
                ), grouped AS (
                SELECT l.primary_key, array_agg(l.attribute ORDER BY l.attribute, l.destination) AS numbers, \
                array_agg(\(destination) ORDER BY l.attribute, l.destination) AS texts FROM links AS l GROUP BY l.primary_key
                ) \(statement) LEFT JOIN grouped AS g ON g.primary_key = o.\(Self.key)
                """
        }

        private func deletes(_ rows: String, _ numbers: String, _ oldValues: String) -> String {
            """
            \(RecorderSQL.insertChanges(schema)) \(Self.number(of: entity, "o")), 'd', o.\(Self.key), NULL, \(numbers), \
            \(oldValues), NULL
            FROM \(rows) AS o
            """
        }

        /// A row whose key changes is another row: a delete and an insert.
        ///
        /// - Parameter areRepeated: Whether a row can be updated several times. The server adds the row before an update
        ///   and that after it at the same time, so the places of both tables show which belong together.
        func updates(_ rows: RecorderSQL.Rows, areRepeated: Bool) -> String {
            func updated(_ rows: String) -> String {
                guard areRepeated else { return rows }
                return """
                    (SELECT *, row_number() OVER (PARTITION BY \(Self.key) ORDER BY chronicle_place) AS chronicle_number \
                    FROM (SELECT *, row_number() OVER () AS chronicle_place FROM \(rows) AS r) AS r)
                    """
            }
            let isSame =
                "o.\(Self.key) = n.\(Self.key)" + (areRepeated ? " AND o.chronicle_number = n.chronicle_number" : "")
            let changed = columns.map { "CASE WHEN \($0.isChanged) THEN \($0.attribute.number)::smallint END" }
            let attributes =
                changed.isEmpty ? "NULL::smallint[]" : "array_remove(ARRAY[\(changed.joined(separator: ", "))], NULL)"
            let preserved = PreservedColumns(columns.map { ($0.attribute.number, $0.attribute.preservation.updates) }) {
                let column = columns[$0]
                return .init(
                    old: "o.\(column.name)", new: "n.\(column.name)", type: column.type, condition: column.isChanged)
            }
            func choice(_ value: (PreservedColumns) -> String) -> String {
                let (update, insert, delete) = (value(preserved), value(inserted), value(deleted))
                if update == insert, update == delete { return update }
                return "CASE c.kind WHEN 'u' THEN \(update) WHEN 'i' THEN \(insert) ELSE \(delete) END"
            }
            return """
                \(RecorderSQL.insertChanges(schema)) \
                CASE c.kind WHEN 'd' THEN \(Self.number(of: entity, "o")) ELSE \(Self.number(of: entity, "n")) END, \
                c.kind, c.key, CASE c.kind WHEN 'u' THEN c.attributes END, \(choice(\.numbers)), \
                \(choice(\.oldValues)), \(choice(\.newValues))
                FROM \(updated(rows.old)) AS o FULL JOIN \(updated(rows.new)) AS n \
                ON \(isSame) CROSS JOIN LATERAL (
                SELECT CASE WHEN o.\(Self.key) IS NULL THEN 'i'::"char" WHEN n.\(Self.key) IS NULL THEN 'd' ELSE 'u' END \
                AS kind, coalesce(n.\(Self.key), o.\(Self.key)) AS key, \(attributes) AS attributes) AS c
                WHERE c.kind <> 'u' OR c.attributes <> '{}'\(areRepeated ? " ORDER BY n.chronicle_place" : "")
                """
        }

        private var inserted: PreservedColumns {
            PreservedColumns(columns.map { ($0.attribute.number, $0.attribute.preservation.inserts) }) {
                .init(new: "n.\(columns[$0].name)", type: columns[$0].type)
            }
        }

        private var deleted: PreservedColumns {
            PreservedColumns(columns.map { ($0.attribute.number, $0.attribute.preservation.deletes) }) {
                .init(old: "o.\(columns[$0].name)", type: columns[$0].type)
            }
        }

        /// One that inherits from the entity of the table, or that entity itself.
        static func number(of entity: RecordedEntity, _ row: String) -> String {
            guard !entity.subentities.isEmpty else { return "\(entity.number)" }
            let cases = entity.subentities.sorted { $0.value < $1.value }
                .map { "WHEN \(literal($0.key)) THEN \($0.value)" }.joined(separator: " ")
            return "CASE \(row).\(quoted(Schema.entityAttribute)) \(cases) ELSE \(entity.number) END"
        }
    }
#endif
