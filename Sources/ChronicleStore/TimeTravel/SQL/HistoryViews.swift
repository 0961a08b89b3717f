import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The views `<entity>_history` and `<entity>_revisions` of each entity, in SQL that reads the file format: temporary views for a
/// query, or permanent ones (``PermanentViews``).
///
/// Their queries sort the changes and pass over them once, so they take time proportional to the history and the table, except
/// for the sort. Changes are joined from their headers, because looking the header of a change up would visit the rest of
/// a large transaction each time. https://www.sqlite.org/windowfunctions.html
struct HistoryViews {
    private let schema: Schema
    private let recorded: [RecordedRows]
    private let entities: [RecordedEntity]
    /// The default values of columns, by table.
    private let defaults: [String: [String: String]]
    /// The positions at which relationships changed between to-one and to-many, by the number of the entity. Their columns have no
    /// values before.
    private let changedForms: [Int64: Int64]
    /// What precedes the name of a table. A temporary view would read another temporary view of the name. A permanent one can
    /// read no other database, and with the name `main`, the file could not be attached.
    private let database: String

    init(_ connection: Connection, _ schema: Schema, isTracked: Bool, arePermanent: Bool = false) throws {
        self.schema = schema
        database = arePermanent ? "" : "main."
        recorded = try RecordedRows.all(connection, schema, isTracked: isTracked)
            .filter { try !arePermanent || connection.tableExists($0.name) }
        entities = try EntityRegistry(connection).entities()
        var defaults: [String: [String: String]] = [:]
        // In a tracked database, the values of a column that was added are updates.
        for rows in recorded where !isTracked {
            let statement = try connection.prepare(
                "SELECT name, dflt_value FROM pragma_table_info(?, 'main') WHERE dflt_value IS NOT NULL")
            try statement.bind(rows.name, at: 1)
            while try statement.step() { defaults[rows.name, default: [:]][statement.text(0)] = statement.text(1) }
        }
        self.defaults = defaults
        var changedForms: [Int64: Int64] = [:]
        for rows in recorded {
            changedForms[rows.entity] = try MetaTable.position(.relationships(rows.entity), connection)
        }
        self.changedForms = changedForms
    }

    struct View {
        let name: String
        let entityName: String
        let select: String
    }

    func all() -> [View] {
        recorded.flatMap { rows in
            rows.entities(schema).flatMap { entity in
                [
                    View(name: entity.historyName, entityName: entity.name, select: history(of: entity, rows)),
                    View(
                        name: entity.revisionsName, entityName: entity.name, select: revisions(of: entity, rows)),
                ]
            }
        }
    }

    // MARK: Changes

    /// The changes and preserved values of an entity, with the transactions, and with the number of the change to which a value
    /// belongs. Rows after the last header have no transaction yet.
    ///
    /// - Parameter more: A further column with a comma before it. A query with a window computes it once for each row.
    private func changes(of entity: QueriedEntity, adding more: String = "") -> String {
        let numbers = entities.filter { entity.kinds.contains($0.name) }.map { String($0.number) }
        let condition = "c.kind > 0 AND c.kind >> 4 IN (\(numbers.joined(separator: ", ")))"
        let columns = "c.id, c.kind, c.primary_key, c.attributes, c.old_value, c.new_value"
        return """
            SELECT *\(more), max(CASE WHEN kind & 15 <> 0 THEN id END) OVER (ORDER BY id) AS change FROM (\
            SELECT h.id AS position, h.primary_key AS time, s.author, \(columns) FROM \(database)chronicle_change AS h \
            CROSS JOIN \(database)chronicle_change AS c ON c.id >= h.old_value AND c.id < h.id \
            LEFT JOIN \(database)chronicle_source AS s ON s.id = -h.kind WHERE h.kind < 0 AND \(condition) \
            UNION ALL SELECT (SELECT max(id) FROM \(database)chronicle_change), NULL, NULL, \(columns) \
            FROM \(database)chronicle_change AS c WHERE c.id > ifnull((SELECT id FROM \(database)chronicle_change WHERE kind <= 0 \
            ORDER BY id DESC LIMIT 1), 0) AND \(condition))
            """
    }

    // MARK: History

    /// A row for each preserved value, and for each attribute of an update whose values are unknown.
    private func history(of entity: QueriedEntity, _ rows: RecordedRows) -> String {
        let columns =
            "position, strftime('%Y-%m-%dT%H:%M:%fZ', time + 978307200, 'unixepoch') AS date, author, operation"
        let attribute = "\(database)chronicle_attribute AS a ON a.entity = \(rows.entity)"
        let last = lastAttribute(of: rows)
        let masks = AttributeMasks.spaced("attributes", upTo: last)
        let isSpaced = masks != "attributes"
        let isChanged = AttributeMasks.contains("a.number", upTo: last, in: isSpaced ? "c.masks" : "c.attributes")
        return """
            WITH chronicle_changes AS (\(changes(of: entity, adding: isSpaced ? ", \(masks) AS masks" : ""))), \
            chronicle_results AS (SELECT c.position, c.time, c.author, \
            (SELECT o.kind & 15 FROM \(database)chronicle_change AS o WHERE o.id = c.change) AS kind, c.id, c.primary_key, a.name, \
            c.old_value, c.new_value, c.attributes IS NULL AS unknown \
            FROM chronicle_changes AS c LEFT JOIN \(attribute) AND a.number = c.attributes WHERE c.kind & 15 <> 2 \
            UNION ALL SELECT c.position, c.time, c.author, 2, c.id, c.primary_key, a.name, NULL, NULL, 1 \
            FROM chronicle_changes AS c JOIN \(attribute) AND \(isChanged) WHERE c.kind & 15 = 2 \
            AND NOT EXISTS (SELECT 1 FROM \(database)chronicle_change AS v WHERE v.id > c.id AND v.id < ifnull((\
            SELECT n.id FROM \(database)chronicle_change AS n WHERE n.id > c.id AND (n.kind <= 0 OR n.kind & 15 <> 0) \
            ORDER BY n.id LIMIT 1), 9223372036854775807) AND v.attributes = a.number)) \
            SELECT \(columns.replacing("operation", with: Self.operation)), \(key(of: rows)) AS key, r.name AS attribute, \
            r.old_value AS previous, r.new_value AS value, r.unknown FROM chronicle_results AS r \
            WHERE r.kind <> 2 OR r.name IS NOT NULL OR r.unknown = 0 ORDER BY r.id
            """
    }

    private func lastAttribute(of rows: RecordedRows) -> Int {
        entities.first { $0.number == rows.entity }?.attributes.map(\.number).max() ?? 0
    }

    private static let operation =
        "CASE r.kind WHEN 1 THEN 'insert' WHEN 2 THEN 'update' ELSE 'delete' END AS operation"

    /// The primary key of a changed row as its program knows it.
    private func key(of rows: RecordedRows) -> String {
        if rows.hasRowIDKey { return "r.primary_key" }
        let columns = rows.key.indices.map { "k.\(NumberedKey.column($0))" }
        let value =
            columns.count == 1
            ? columns[0] : "'(' || \(columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")) || ')'"
        return
            "(SELECT \(value) FROM \(database)\(quoted(NumberedKey.table(of: rows.entity))) AS k WHERE k.id = r.primary_key)"
    }

    // MARK: Revisions

    /// A row for each state of a model after a transaction, and for the state in which the history begins.
    ///
    /// The value of an attribute is that before the next later change of it, or the present one. For each attribute, `m` is the
    /// place of a change of it: four times the position of the value, or of the change, and a code. Later changes have greater
    /// places, so the least place of the later changes of a model is the next one.
    private func revisions(of entity: QueriedEntity, _ rows: RecordedRows) -> String {
        let attributes = attributes(of: entity, rows)
        let last = lastAttribute(of: rows)
        let places = attributes.map { "\($0.place(since: "since", upTo: last)) AS m\($0.number)" }
        let masks = AttributeMasks.spaced("max(CASE WHEN kind & 15 = 2 THEN attributes END)", upTo: last)
        let noPlaces = attributes.map { _ in ", NULL" }.joined()
        let values = attributes.map {
            ", max(CASE WHEN kind & 15 <> 2 AND attributes = \($0.number) THEN id END) AS v\($0.number)"
        }.joined()
        let next = attributes.map { ", min(m\($0.number)) OVER later AS n\($0.number)" }.joined()
        let names = attributes.map { ", \($0.value) AS \(quoted(Self.column($0.name)))" }.joined()
        let unknown = attributes.map {
            "CASE WHEN \($0.isUnknown) THEN ',' || \(RecorderSQL.literal($0.name)) ELSE '' END"
        }
        let key = rows.hasRowIDKey ? ", q.key AS \(quoted(Self.column(rows.key[0])))" : ""
        let condition = entity.condition.map { " AND t.\($0)" } ?? ""
        let complete = meta("max", ["floor", "gap"])
        let start = changedForms[rows.entity].map { "max(\(complete), \($0))" } ?? complete
        return """
            WITH chronicle_rows AS (\(changes(of: entity))), \
            chronicle_start(position, since) AS (SELECT \(start), \
            CASE WHEN (SELECT value FROM \(database)chronicle_meta WHERE name = 'preservesValues') IS 'on' \
            THEN \(meta("max", ["preservesValuesSince"])) ELSE 9223372036854775807 END), \
            chronicle_changes AS (SELECT change AS id, position, primary_key AS key, max(CASE WHEN id = change THEN kind & 15 END) AS kind, \
            max(CASE WHEN id = change THEN kind >> 4 END) AS entity, \
            \(masks) AS masks, \
            max(kind & 15 <> 2 AND attributes IS NULL) AS lacks\(values) \
            FROM chronicle_rows WHERE change > (SELECT position FROM chronicle_start) GROUP BY change), \
            chronicle_places AS (SELECT id, c.position, key, kind\(places.map { ", \($0)" }.joined()) \
            FROM chronicle_changes AS c, chronicle_start), \
            chronicle_states AS (SELECT * FROM chronicle_places \
            UNION ALL SELECT 0, NULL, key, 0\(noPlaces) FROM (SELECT key, kind, min(id) FROM chronicle_places GROUP BY key) WHERE kind <> 1 \
            UNION ALL SELECT 0, NULL, t._rowid_, 0\(noPlaces) FROM \(present(rows)) AS t \
            WHERE t._rowid_ NOT IN (SELECT key FROM chronicle_places)\(condition)), \
            chronicle_ordered AS (SELECT id, position, key, kind, \
            lag(position) OVER (PARTITION BY key ORDER BY id DESC) AS until\(next) FROM chronicle_states \
            WINDOW later AS (PARTITION BY key ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) \
            SELECT q.position AS "from", q.until AS "to"\(key)\(names), \
            nullif(substr(\(concatenation(of: unknown[...])), 2), '') AS unknown \
            FROM chronicle_ordered AS q LEFT JOIN \(present(rows)) AS t ON t._rowid_ = q.key \
            WHERE q.kind <> 3 AND (q.until IS NULL OR q.position IS NULL OR q.until <> q.position)
            """
    }

    /// The name of the column of a property, which must not be that of a column that each revision has. SQLite would rename the
    /// last one of two equal names.
    private static func column(_ name: String) -> String {
        ["from", "to", "unknown"].contains(TableNames.folded(name)) ? "\(name):1" : name
    }

    /// In halves, because SQLite limits the depth of an expression.
    private func concatenation(of terms: ArraySlice<String>) -> String {
        guard terms.count > 1 else { return terms.first ?? "''" }
        let middle = terms.startIndex + terms.count / 2
        return "(\(concatenation(of: terms[..<middle])) || \(concatenation(of: terms[middle...])))"
    }

    private func meta(_ function: String, _ names: [String]) -> String {
        let list = names.map(RecorderSQL.literal).joined(separator: ", ")
        return
            "(SELECT ifnull(\(function)(CAST(value AS INTEGER)), 0) FROM \(database)chronicle_meta WHERE name IN (\(list)))"
    }

    private func present(_ rows: RecordedRows) -> String {
        TrackedRows.source(
            rows.name, rows.entity, rows.hasRowIDKey ? nil : rows.key, columns: rows.columns, database: database)
    }

    private func attributes(of entity: QueriedEntity, _ rows: RecordedRows) -> [RevisedAttribute] {
        guard let root = entities.first(where: { $0.number == rows.entity }) else { return [] }
        let kinds = entities.filter { entity.kinds.contains($0.name) }
        let numbers = Dictionary(root.attributes.map { ($0.name, $0.number) }, uniquingKeysWith: { $1 })
        return entity.columns.compactMap { column in
            guard let number = numbers[column] else { return nil }
            let isEntity = column == Schema.entityAttribute
            let value = schema.entitiesByName[entity.name]?.propertiesByName[column]?.defaultValue
            return RevisedAttribute(
                name: column, number: number,
                database: database, kinds: isEntity ? kinds.map { ($0.number, $0.name, $0.number == root.number) } : [],
                defaultValue: defaults[rows.name]?[column] ?? value.flatMap(SQLLiteral.expression) ?? "NULL")
        }
    }
}

/// A column of a revision.
private struct RevisedAttribute {
    let name: String
    let number: Int
    /// See ``HistoryViews``.
    let database: String
    /// For the attribute with the name of the entity: the entities, of which the root has no name.
    let kinds: [(number: Int64, name: String, isRoot: Bool)]
    /// A literal.
    let defaultValue: String

    /// The codes of a place; see ``HistoryViews``.
    private enum Code: Int { case value, unknown, defaultValue }

    /// An expression for a change.
    ///
    /// - Parameter last: The greatest number of an attribute.
    func place(since: String, upTo last: Int) -> String {
        let mask = AttributeMasks.contains("\(number)", upTo: last, in: "masks")
        let deleted =
            "CASE WHEN lacks = 0 AND id > \(since) THEN \(Code.defaultValue.rawValue) ELSE \(Code.unknown.rawValue) END"
        return "CASE WHEN kind = 1 THEN NULL WHEN v\(number) IS NOT NULL THEN v\(number) * 4 "
            + "WHEN kind = 2 AND \(mask) THEN id * 4 + \(Code.unknown.rawValue) WHEN kind = 3 THEN id * 4 + \(deleted) END"
    }

    var value: String {
        guard kinds.isEmpty else {
            // The class of a model never changes.
            return "CASE WHEN q.n\(number) IS NULL THEN t.\(quoted(name)) ELSE (SELECT CASE c.kind >> 4 "
                + kinds.filter { !$0.isRoot }.map { "WHEN \($0.number) THEN \(RecorderSQL.literal($0.name)) " }.joined()
                + "END FROM \(database)chronicle_change AS c WHERE c.id = q.n\(number) >> 2) END"
        }
        return "CASE WHEN q.n\(number) IS NULL THEN t.\(quoted(name)) WHEN q.n\(number) & 3 = \(Code.value.rawValue) "
            + "THEN (SELECT c.old_value FROM \(database)chronicle_change AS c WHERE c.id = q.n\(number) >> 2) "
            + "WHEN q.n\(number) & 3 = \(Code.defaultValue.rawValue) THEN \(defaultValue) END"
    }

    var isUnknown: String {
        guard kinds.isEmpty else { return "0" }
        return "q.n\(number) & 3 = \(Code.unknown.rawValue) OR q.n\(number) IS NULL AND t._rowid_ IS NULL"
    }
}
