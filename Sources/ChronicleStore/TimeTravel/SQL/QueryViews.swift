import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The views of a query: the models and links as of a position, named as the classes and relationships.
struct QueryViews {
    let connection: Connection
    /// The tables as of the position, or without changed rows for the present.
    let tables: PastTables
    let store: DefaultStore
    /// See ``TableTracking/interruptions()``.
    let interruptions: [String: String]
    private let recorded: [RecordedRows]

    init(_ connection: Connection, _ tables: PastTables, _ store: DefaultStore) throws {
        (self.connection, self.tables, self.store) = (connection, tables, store)
        recorded = try RecordedRows.all(connection, store.schema, isTracked: store.isTracked)
        interruptions =
            try store.past == nil && store.isTracked
            ? TableTracking(connection).interruptions() : tables.unknowns.interruptions
    }

    func models() throws -> [(name: String, select: String)] {
        var views: [(name: String, select: String)] = []
        for rows in recorded where store.past == nil || interruptions[rows.name] == nil {
            // New keys of an interrupted table have no numbers. The present rows can be read without them.
            let hasNumbers = !rows.hasRowIDKey && interruptions[rows.name] == nil
            // Not the temporary view of a tracked table, because a view of this query replaces it.
            let present = TrackedRows.source(rows.name, rows.entity, hasNumbers ? rows.key : nil)
            let past = tables.tables[rows.name]?.reading(present)
            for entity in rows.entities(store.schema) {
                let columns = zip(rows.values(of: entity), entity.columns).map { value, column in
                    "\(past?.checkedValue(value, "r") ?? "r.\(quoted(value))") AS \(quoted(column))"
                }.joined(separator: ", ")
                let condition = entity.condition.map { " WHERE r.\($0)" } ?? ""
                views.append((entity.name, "SELECT \(columns) FROM \(past?.unchecked ?? present) AS r\(condition)"))
            }
        }
        if store.past != nil, store.isTracked {
            for name in interruptions.keys.sorted() { views.append((name, failure(of: name))) }
            views += try unrecorded()
        }
        for name in store.layout.linkTablesByName.keys.sorted() {
            if let unknown = tables.unknowns.links[name] {
                // An error when the view is read.
                let missing = PredicateFunctions.missing(unknown.property, of: unknown.entity, key: "\(unknown.key)")
                views.append((name, "SELECT NULL AS owner, NULL AS destination WHERE \(missing)"))
            } else {
                let source = tables.links[name]?.source ?? "main.\(quoted(name))"
                views.append((name, "SELECT l.owner AS owner, l.destination AS destination FROM \(source) AS l"))
            }
        }
        return views
    }

    /// The tables that are not recorded, which are an error when they are read: without a view, a query would find their present
    /// rows.
    private func unrecorded() throws -> [(name: String, select: String)] {
        let names = Set(recorded.map(\.name)).union(interruptions.keys)
        return try TrackedTable.names(connection).filter { try !names.contains($0) && isOrdinary($0) }.map { name in
            let missing = PredicateFunctions.missing("", of: name, key: "0")
            return (name, "SELECT * FROM main.\(quoted(name)) WHERE \(missing)")
        }
    }

    /// A view that fails when it is read. SQLite rejects queries that name a column; ``DefaultStore`` replaces that error.
    private func failure(of name: String) -> String {
        "SELECT NULL AS \"from\" WHERE \(PredicateFunctions.interrupted(name))"
    }

    private func isOrdinary(_ name: String) throws -> Bool { try TrackedTable(name, connection)?.isOrdinary == true }

    /// The histories and the revisions of the models.
    func histories() throws -> [(name: String, select: String)] {
        let all = try HistoryViews(connection, store.schema, isTracked: store.isTracked).all()
        let views = all.map { view in
            let isUnknown = interruptions[view.entityName] != nil && view.name.hasSuffix("_revisions")
            return (name: view.name, select: isUnknown ? failure(of: view.entityName) : view.select)
        }
        let missing = interruptions.keys.sorted().flatMap { name in
            ["\(name)_history", "\(name)_revisions"].map { (name: $0, select: failure(of: name)) }
        }
        return views + missing.filter { missing in !views.contains { $0.name == missing.name } }
    }
}

extension RecordedRows {
    /// Returns the entities whose rows the table contains.
    func entities(_ schema: Schema) -> [QueriedEntity] {
        QueriedEntity.all(ofTable: name, key: hasRowIDKey ? key : [], columns: columns, in: schema)
    }

    /// Returns the columns of ``PastTables`` with the values of an entity, where the rowid has another name.
    func values(of entity: QueriedEntity) -> [String] {
        entity.columns.map { hasRowIDKey && $0 == key.first ? RecordedTable.primaryKey : $0 }
    }
}

extension PastTable {
    /// Returns the table with another FROM clause for the present rows.
    func reading(_ present: String) -> PastTable {
        var table = PastTable(
            name: name, present: present, temporary: temporary, columns: columns, changed: changed)
        for column in incomplete { table.addIncomplete(column) }
        return table
    }
}
