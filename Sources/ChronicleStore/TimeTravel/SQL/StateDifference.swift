import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The SQL statements that turn the rows at one position into those at another one.
///
/// Deletes precede updates, and updates inserts, so that no unique index is violated in between. A row of which a unique column
/// changes is deleted and inserted again.
struct StateDifference {
    struct State {
        let connection: Connection
        let tables: PastTables
    }

    private var script: StateScript
    private let literals: SQLLiteralReader

    /// - Parameter changed: One of the states, whose temporary tables include all rows that differ.
    init(from start: State, to end: State, changed: State, of store: DefaultStore) throws {
        literals = try SQLLiteralReader(changed.connection)
        script = try StateScript(changed.connection, isTracked: store.isTracked)
        let positions = [start, end].map(\.tables.unknowns.position)
        let (first, last) = (min(positions[0], positions[1]), max(positions[0], positions[1]))
        if store.isTracked {
            try DroppedTables.requireNone(after: first, through: last, changed.connection)
        }
        let entities = try EntityRegistry(changed.connection).entities()
        for rows in try RecordedRows.all(changed.connection, store.schema, isTracked: store.isTracked) {
            guard let table = changed.tables.tables[rows.name] else { continue }
            try rows.requireAllColumns()
            let numbers = Set(entities.filter { $0.rootName == rows.name }.map(\.number)).union([rows.entity])
            let keys = try Self.keys(of: table, numbers, after: first, through: last, changed.connection)
            try add(rows, keys, from: start, to: end)
        }
        for (name, links) in changed.tables.links.sorted(by: { $0.key < $1.key }) {
            try add(name, links, changed.connection, from: start, to: end)
        }
    }

    func statements() throws -> [String] { try script.statements() }

    // MARK: Rows

    private mutating func add(_ rows: RecordedRows, _ keys: [Int64], from start: State, to end: State) throws {
        let before = try RowLookup(rows, start, literals)
        let after = try RowLookup(rows, end, literals)
        let names = rows.names
        let columns = try names.map(StateScript.name)
        let unique = try Self.uniqueColumns(of: rows.name, start.connection)
        let places = rows.key.compactMap(names.firstIndex)
        func place(_ row: [String]) -> String {
            places.map { "\(columns[$0]) = \(row[$0])" }.joined(separator: " AND ")
        }
        for key in keys {
            let (old, new) = (try before.row(key), try after.row(key))
            guard old != new else { continue }
            let isMissing = { (index: Int) in new?[index] == "NULL" && old?[index] != "NULL" }
            if let index = names.indices.first(where: { rows.required.contains(names[$0]) && isMissing($0) }) {
                throw rows.missingValue(names[index])
            }
            if let old, let new, let unique {
                let differences = names.indices.filter { old[$0] != new[$0] }
                if differences.allSatisfy({ !unique.contains(names[$0]) }) {
                    let values = differences.map { "\(columns[$0]) = \(new[$0])" }.joined(separator: ", ")
                    try script.update(values, where: place(old), of: rows.name)
                    continue
                }
            }
            if let old { try script.delete(place(old), from: rows.name) }
            if let new {
                try script.insert(
                    new.joined(separator: ", "), columns.joined(separator: ", "), into: rows.name)
            }
        }
    }

    /// Returns the keys of rows that changed between the positions. Others are equal at both, even if a value is not known.
    private static func keys(
        of table: PastTable, _ entities: Set<Int64>, after first: Int64, through last: Int64, _ connection: Connection
    ) throws -> [Int64] {
        let numbers = entities.sorted().map { "\($0)" }.joined(separator: ", ")
        let statement = try connection.prepare(
            """
            SELECT _rowid_ FROM \(table.temporary) WHERE _rowid_ IN (SELECT primary_key FROM main.\(ChangeTable.name) \
            WHERE id > ?1 AND id <= ?2 AND kind > 0 AND kind >> 4 IN (\(numbers))) ORDER BY _rowid_
            """)
        try statement.bind(first, at: 1)
        try statement.bind(last, at: 2)
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }

    /// `nil` if an index has a condition, an expression or a generated column, so that every column may be a part of it.
    private static func uniqueColumns(of table: String, _ connection: Connection) throws -> Set<String>? {
        let statement = try connection.prepare(
            """
            SELECT c.name, i.partial OR EXISTS (SELECT 1 FROM pragma_table_xinfo(?1, 'main') AS x \
            WHERE x.cid = c.cid AND x.hidden <> 0) \
            FROM pragma_index_list(?1, 'main') AS i, pragma_index_info(i.name, 'main') AS c WHERE i."unique"
            """)
        try statement.bind(table, at: 1)
        var columns: Set<String> = []
        while try statement.step() {
            guard !statement.isNull(0), statement.int64(1) == 0 else { return nil }
            columns.insert(statement.text(0))
        }
        return columns
    }

    // MARK: Links

    private mutating func add(
        _ name: String, _ links: PastLinks, _ connection: Connection, from start: State, to end: State
    ) throws {
        func lookup(_ state: State) throws -> Statement {
            try state.connection.prepare(
                "SELECT 1 FROM \(state.tables.linkSource(name)) AS l WHERE l.owner = ? AND l.destination = ?")
        }
        let (before, after) = (try lookup(start), try lookup(end))
        func exists(_ lookup: Statement, _ owner: Int64, _ destination: Int64) throws -> Bool {
            defer { lookup.reset() }
            try lookup.bind(owner, at: 1)
            try lookup.bind(destination, at: 2)
            return try lookup.step()
        }
        let changed = try connection.prepare(
            "SELECT owner, destination FROM \(links.temporary) ORDER BY owner, destination")
        while try changed.step() {
            let (owner, destination) = (changed.int64(0), changed.int64(1))
            switch (try exists(before, owner, destination), try exists(after, owner, destination)) {
            case (true, false):
                try script.removeLink("owner = \(owner) AND destination = \(destination)", from: name)
            // The triggers of a store insert the other direction of a symmetric link.
            case (false, true):
                try script.insert("\(owner), \(destination)", "owner, destination", into: name, or: "OR IGNORE ")
            case (true, true), (false, false): break
            }
        }
    }
}

/// Reads rows by key, with literals as values.
private struct RowLookup {
    private let statement: Statement
    private let unknowns: PastUnknowns
    private let literals: SQLLiteralReader

    init(_ rows: RecordedRows, _ state: StateDifference.State, _ literals: SQLLiteralReader) throws {
        statement = try state.connection.prepare(
            rows.select(state.tables, where: "r.\(quoted(RecordedTable.primaryKey)) = ?"))
        (unknowns, self.literals) = (state.tables.unknowns, literals)
    }

    func row(_ key: Int64) throws -> [String]? {
        defer { statement.reset() }
        try statement.bind(key, at: 1)
        return try unknowns.attributingErrors {
            guard try statement.step() else { return nil }
            return (0..<statement.columnCount).map { literals.literal(statement, $0) }
        }
    }
}

extension PastUnknowns {
    /// Converts the error of a statement that used an unknown value.
    func attributingErrors<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            guard let value = PredicateFunctions.missingValue(error.message) else { throw error }
            throw self.error(.init(table: value.entity, entity: value.entity, property: value.property, key: value.key))
        }
    }
}
