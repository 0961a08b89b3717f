import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Writes changed rows, as they were, to temporary tables.
final class PastWriter {
    private let connection: Connection
    private let prefix: String
    /// The function of the returned set is defined.
    private let rowSet: (_ name: String) throws -> SQLRowSet
    private let layout: StoreLayout
    private let schema: Schema
    private var tables: PastTables
    private var statements: [String: (insert: Statement, select: Statement)] = [:]
    /// Copies a present row with other values in some columns.
    private var copy: (table: String, changed: [Int], statement: Statement)?

    init(
        _ connection: Connection, _ tables: PastTables, prefix: String, _ layout: StoreLayout,
        _ schema: Schema, rowSet: @escaping (_ name: String) throws -> SQLRowSet
    ) {
        (self.connection, self.tables, self.prefix, self.layout) = (connection, tables, prefix, layout)
        (self.schema, self.rowSet) = (schema, rowSet)
    }

    /// `nil` if the row is not in the temporary tables.
    func isPresent(_ table: PastLayout.Table, _ key: Int64) throws -> Bool? {
        guard let past = tables.tables[table.name] else { return nil }
        return try connection.scalarInt64(
            "SELECT \(PastTable.isPresent) FROM \(past.temporary) WHERE _rowid_ = ?"
        ) { try $0.bind(key, at: 1) }.map { $0 != 0 }
    }

    func write(_ changes: PastChanges, _ pastLayout: PastLayout) throws -> PastTables {
        defer { (statements, copy) = ([:], nil) }
        // In the order of the keys, so that both tables are visited page by page.
        for (key, row) in changes.rows.sorted(by: { ($0.key.table, $0.key.key) < ($1.key.table, $1.key.key) })
        where !row.isKnown {
            guard let table = pastLayout.tables[key.table], tables.unknowns.interruptions[table.name] == nil else {
                continue
            }
            let past = try tables.tables[table.name] ?? create(table)
            tables.tables[table.name] = past
            try write(row, key.key, table, past)
            past.changed.insert(key.key)
        }
        for (name, links) in changes.links {
            let past = try tables.links[name] ?? createLinks(name)
            tables.links[name] = past
            let insert = try connection.prepare(
                "INSERT OR IGNORE INTO \(past.temporary)(owner, destination, present) VALUES (?, ?, ?)")
            for (link, existed) in links.sorted(by: {
                ($0.key.owner, $0.key.destination) < ($1.key.owner, $1.key.destination)
            }) {
                try insert.bind(link.owner, at: 1)
                try insert.bind(link.destination, at: 2)
                try insert.bind(existed ? 1 : 0, at: 3)
                try insert.run()
            }
        }
        tables.unknowns.insertLists(of: changes)
        return tables
    }

    // MARK: Rows

    private func write(_ row: PastChanges.Row, _ key: Int64, _ table: PastLayout.Table, _ past: PastTable) throws {
        if row.isPresent, !row.isComplete, row.unknown.isEmpty, try copyRow(row, key, table, past) {
            return
        }
        let (insert, select) = try statements(past)
        insert.clearBindings()
        try insert.bind(key, at: 1)
        try insert.bind(row.isPresent ? 1 : 0, at: 2)
        guard row.isPresent else { return try insert.run() }
        var unknown = row.unknown
        let isUnchanged = past.columns.contains { row.values[$0.number] == nil && !unknown.contains($0.number) }
        var present: [PropertyValue]?
        if isUnchanged, !row.isComplete { present = try presentRow(key, past, select) }
        for (index, column) in past.columns.enumerated() {
            if let value = row.values[column.number] {
                try insert.bind(pastValue(value, of: column, row, table), at: Int32(index + 4))
            } else if let value = try keyValue(of: column, row, key, table) {
                unknown.remove(column.number)
                try insert.bind(value, at: Int32(index + 4))
            } else if unknown.contains(column.number) {
                continue
            } else if row.isComplete {
                try insert.bind(defaultValue(of: column, table.entityName(row.entity)), at: Int32(index + 4))
            } else if let present {
                try insert.bind(present[index], at: Int32(index + 4))
            } else {
                unknown.insert(column.number)
            }
        }
        if !unknown.isEmpty {
            try insert.bind(",\(unknown.sorted().map(String.init).joined(separator: ",")),", at: 3)
            for column in past.columns where unknown.contains(column.number) {
                tables.tables[table.name]?.addIncomplete(column.name)
                tables.unknowns.insert(
                    .init(
                        table: table.name, entity: table.entityName(row.entity), property: column.name, key: key))
            }
        }
        try insert.run()
    }

    /// Returns the value of a primary-key column that the change of a row does not contain, or `nil` for other columns.
    private func keyValue(
        of column: PastTable.Column, _ row: PastChanges.Row, _ key: Int64, _ table: PastLayout.Table
    ) throws -> PropertyValue? {
        guard row.unknown.contains(column.number), let columns = layout.recordedEntities[table.number]?.keyColumns,
            let place = columns.firstIndex(of: column.name)
        else { return nil }
        return try KeyTable.values(of: key, entity: table.number, count: columns.count, connection)?[place]
    }

    /// With the values before its changes. Returns whether the row exists.
    private func copyRow(
        _ row: PastChanges.Row, _ key: Int64, _ table: PastLayout.Table, _ past: PastTable
    ) throws -> Bool {
        let changed = past.columns.indices.filter { row.values[past.columns[$0].number] != nil }
        // Most consecutive rows have changes of the same attributes.
        if copy?.table != past.name || copy?.changed != changed {
            copy = (past.name, changed, try connection.prepare(copying(past, changed)))
        }
        guard let statement = copy?.statement else { return false }
        try statement.bind(key, at: 1)
        for (index, column) in changed.enumerated() {
            let column = past.columns[column]
            let value = row.values[column.number] ?? .null
            try statement.bind(pastValue(value, of: column, row, table), at: Int32(index + 2))
        }
        try statement.run()
        return connection.changes == 1
    }

    private func copying(_ past: PastTable, _ changed: [Int]) -> String {
        var names = ["_rowid_", PastTable.isPresent]
        var values = ["m._rowid_", "1"]
        for (index, column) in past.columns.enumerated() {
            names.append(quoted(column.name))
            values.append(changed.firstIndex(of: index).map { "?\($0 + 2)" } ?? "m.\(quoted(column.name))")
        }
        return
            "INSERT INTO \(past.temporary)(\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
            + "FROM \(past.present) AS m WHERE m._rowid_ = ?1"
    }

    private func pastValue(
        _ value: PropertyValue, of column: PastTable.Column, _ row: PastChanges.Row, _ table: PastLayout.Table
    ) -> PropertyValue {
        schema.pastValue(value, of: column.name, inEntity: table.entityName(row.entity))
    }

    private func defaultValue(of column: PastTable.Column, _ entityName: String) -> PropertyValue {
        schema.valueOfEarlierRow(of: column.name, inEntity: entityName, columnDefault: column.defaultValue)
    }

    private func statements(_ past: PastTable) throws -> (insert: Statement, select: Statement) {
        if let known = statements[past.name] { return known }
        let own = past.columns.map { quoted($0.name) }
        let names = ["_rowid_", PastTable.isPresent, PastTable.unknownNumbers] + own
        let parameters = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let made = (
            insert: try connection.prepare(
                "INSERT INTO \(past.temporary)(\(names.joined(separator: ", "))) VALUES (\(parameters))"),
            select: try connection.prepare(
                "SELECT \(own.isEmpty ? "1" : own.joined(separator: ", ")) FROM \(past.present) "
                    + "WHERE _rowid_ = ?")
        )
        statements[past.name] = made
        return made
    }

    private func presentRow(_ key: Int64, _ past: PastTable, _ select: Statement) throws -> [PropertyValue]? {
        defer { select.reset() }
        try select.bind(key, at: 1)
        guard try select.step() else { return nil }
        return past.columns.indices.map { select.plainValue(Int32($0)) }
    }

    // MARK: Tables

    private func create(_ table: PastLayout.Table) throws -> PastTable {
        let name = "\(prefix)\(table.number)"
        let past = PastTable(
            name: table.name, present: layout.presentRows(ofTable: table.number), temporary: "temp.\(quoted(name))",
            columns: try PastTable.columns(of: table, layout, connection),
            changed: try rowSet("\(name)_changed"))
        let columns = past.columns.map { ", \(quoted($0.name)) \($0.type)" }.joined()
        try connection.execute(
            """
            CREATE TABLE \(past.temporary)(\(PastTable.isPresent) INTEGER NOT NULL, \
            \(PastTable.unknownNumbers) TEXT\(columns))
            """)
        let known = Set(past.columns.map(\.name))
        for (index, names) in try indexes(of: table.name).enumerated() where known.isSuperset(of: names) {
            let columns = names.map(quoted).joined(separator: ", ")
            try connection.execute(
                "CREATE INDEX temp.\(quoted("\(name)_\(index)")) ON \(quoted(name))(\(columns))")
        }
        return past
    }

    /// Except indexes with expressions.
    private func indexes(of table: String) throws -> [[String]] {
        let statement = try connection.prepare(
            """
            SELECT list.seq, info.name FROM pragma_index_list(?, 'main') AS list, \
            pragma_index_info(list.name, 'main') AS info ORDER BY list.seq, info.seqno
            """)
        try statement.bind(table, at: 1)
        var indexes: [Int64: [String]] = [:]
        while try statement.step() {
            // An empty name is that of no column.
            indexes[statement.int64(0), default: []].append(statement.isNull(1) ? "" : statement.text(1))
        }
        return indexes.sorted { $0.key < $1.key }.map(\.value)
    }

    private func createLinks(_ name: String) throws -> PastLinks {
        let table = "\(prefix)\(name)"
        let past = PastLinks(name: name, temporary: "temp.\(quoted(table))")
        try connection.execute(
            """
            CREATE TABLE \(past.temporary)(owner INTEGER NOT NULL, destination INTEGER NOT NULL, \
            present INTEGER NOT NULL, PRIMARY KEY (owner, destination)) WITHOUT ROWID;
            CREATE INDEX temp.\(quoted("\(table)_destination")) ON \(quoted(table))(destination)
            """)
        return past
    }
}
