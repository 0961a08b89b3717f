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

    private var deletes: [String] = []
    private var updates: [String] = []
    private var inserts: [String] = []
    private let literals: SQLLiteralReader

    /// - Parameter changed: One of the states, whose temporary tables include all rows that differ.
    init(from start: State, to end: State, changed: State, of store: DefaultStore) throws {
        literals = try SQLLiteralReader(changed.connection)
        if store.isTracked {
            let positions = [start, end].map(\.tables.unknowns.position)
            try DroppedTables.requireNone(
                after: min(positions[0], positions[1]), through: max(positions[0], positions[1]), changed.connection)
        }
        for rows in try RecordedRows.all(changed.connection, store.schema, isTracked: store.isTracked) {
            guard let table = changed.tables.tables[rows.name] else { continue }
            try rows.requireAllColumns()
            try add(rows, try Self.keys(of: table, changed.connection), from: start, to: end)
        }
        for (name, links) in changed.tables.links.sorted(by: { $0.key < $1.key }) {
            try add(name, links, changed.connection, from: start, to: end)
        }
    }

    /// Foreign keys are not enforced, because every row that they would change has a statement.
    var statements: [String] {
        let changes = deletes + updates + inserts
        return changes.isEmpty ? [] : ["PRAGMA foreign_keys = OFF;", "BEGIN IMMEDIATE;"] + changes + ["COMMIT;"]
    }

    // MARK: Rows

    private mutating func add(_ rows: RecordedRows, _ keys: [Int64], from start: State, to end: State) throws {
        let before = try RowLookup(rows, start, literals)
        let after = try RowLookup(rows, end, literals)
        let names = rows.names
        let table = try Self.name(rows.name)
        let columns = try names.map(Self.name)
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
                    updates.append("UPDATE \(table) SET \(values) WHERE \(place(old));")
                    continue
                }
            }
            if let old { deletes.append("DELETE FROM \(table) WHERE \(place(old));") }
            if let new {
                let (names, values) = (columns.joined(separator: ", "), new.joined(separator: ", "))
                inserts.append("INSERT INTO \(table)(\(names)) VALUES (\(values));")
            }
        }
    }

    private static func keys(of table: PastTable, _ connection: Connection) throws -> [Int64] {
        let statement = try connection.prepare("SELECT _rowid_ FROM \(table.temporary) ORDER BY _rowid_")
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }

    /// `nil` if an index has a condition or an expression, so that every column may be a part of it.
    private static func uniqueColumns(of table: String, _ connection: Connection) throws -> Set<String>? {
        let statement = try connection.prepare(
            """
            SELECT c.name, i.partial FROM pragma_index_list(?, 'main') AS i, pragma_index_info(i.name, 'main') AS c \
            WHERE i."unique"
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
        let table = try Self.name(name)
        let changed = try connection.prepare(
            "SELECT owner, destination FROM \(links.temporary) ORDER BY owner, destination")
        var removed: [String] = []
        while try changed.step() {
            let (owner, destination) = (changed.int64(0), changed.int64(1))
            switch (try exists(before, owner, destination), try exists(after, owner, destination)) {
            case (true, false):
                removed.append("DELETE FROM \(table) WHERE owner = \(owner) AND destination = \(destination);")
            // The triggers of a store insert the other direction of a symmetric link.
            case (false, true):
                inserts.append("INSERT OR IGNORE INTO \(table)(owner, destination) VALUES (\(owner), \(destination));")
            case (true, true), (false, false): break
            }
        }
        // The triggers of a store delete the links of a row, and the rows to which these cascade.
        deletes = removed + deletes
    }

    /// Quoted. A script may be shown in a terminal.
    private static func name(_ name: String) throws -> String {
        guard !name.unicodeScalars.contains(where: \.isTerminalControl) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the name of a table or column contains control characters, which SQL cannot escape")
        }
        return quoted(name)
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
