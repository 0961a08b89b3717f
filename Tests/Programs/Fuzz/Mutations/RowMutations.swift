import ChronicleTestSupport
import Foundation

/// Writes rows that neither Chronicle nor its triggers write, through SQLite.
struct RowMutations {
    let database: RawDatabase

    /// A table, and how to find its rows.
    private struct Table {
        let name: String
        let columns: [String]
        let key: [String]
    }

    private static let ownTables = [
        "chronicle_change", "chronicle_meta", "chronicle_source", "chronicle_entity", "chronicle_attribute",
        "chronicle_conflict", "chronicle_summary", "chronicle_metadata", "sqlite_sequence",
    ]

    func apply(_ random: inout SplitMix) throws {
        let tables = try tables()
        let history = tables.filter { $0.name == "chronicle_change" }
        let others = tables.filter { $0.name != "chronicle_change" && Self.ownTables.contains($0.name) }
        // It has a column for every way in which values are decoded.
        let samples = tables.filter { $0.name == "Sample" }
        let isWithoutConstraints = random.chance(30)
        let texts = isWithoutConstraints ? try removeConstraints() : []
        for _ in 0..<random.pick([1, 1, 1, 2, 2, 3, 5, 10]) {
            // Another program's file has none of these tables.
            let among =
                history.isEmpty ? tables : random.pick([history, history, history, others, others, samples, tables])
            guard let table = among.isEmpty ? nil : random.pick(among) else { continue }
            do { try change(table, &random) } catch is RawDatabase.Failure {
                // A constraint rejected the value.
                continue
            }
        }
        if isWithoutConstraints { try restoreConstraints(texts) }
    }

    private func tables() throws -> [Table] {
        let names = try database.rows(
            "SELECT name, wr FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name <> 'sqlite_schema' ORDER BY name"
        )
        return try names.map { row in
            let info = try database.rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [row[0]])
            let key = info.filter { ($0[1].integer ?? 0) > 0 }.map(\.[0].string)
            return Table(
                name: row[0].string, columns: info.map(\.[0].string), key: row[1].integer == 1 ? key : ["_rowid_"])
        }
    }

    private func change(_ table: Table, _ random: inout SplitMix) throws {
        switch random.below(20) {
        case 0...10: try replaceValue(table, &random)
        case 11: try database.rows("DELETE FROM \(quoted(table.name)) WHERE \(place(table))", try row(table, &random))
        case 12: try insert(table, &random)
        case 13: try swapKeys(table, &random)
        case 14: try copyRow(table, &random)
        case 15: try shiftKeys(table, &random)
        case 16: try copyValue(table, &random)
        case 17: try insertHeader(&random)
        case 18: try database.run("DELETE FROM \(quoted(table.name)) WHERE \(quoted(table.key[0])) % 3 = 1")
        default:
            let column = random.pick(table.columns)
            try database.rows(
                "UPDATE OR IGNORE \(quoted(table.name)) SET \(quoted(column)) = ?", [HostileValues.value(&random)])
        }
    }

    // MARK: Rows

    private func place(_ table: Table, _ first: Int = 1) -> String {
        table.key.enumerated().map { "\(quoted($1)) IS ?\(first + $0)" }.joined(separator: " AND ")
    }

    /// The key of some row.
    private func row(_ table: Table, _ random: inout SplitMix) throws -> [RawDatabase.Value] {
        let count = try database.rows("SELECT count(*) FROM \(quoted(table.name))")[0][0].integer ?? 0
        let key = table.key.map(quoted).joined(separator: ", ")
        // A save and the current token read the last rows first.
        let isLast = random.chance(30)
        let offset = isLast ? random.below(min(Int(count), 4)) : random.below(Int(count))
        let rows = try database.rows(
            "SELECT \(key) FROM \(quoted(table.name)) ORDER BY \(key) \(isLast ? "DESC" : "") LIMIT 1 OFFSET \(offset)")
        guard let row = rows.first else { throw RawDatabase.Failure(description: "\(table.name) has no rows") }
        return row
    }

    private func replaceValue(_ table: Table, _ random: inout SplitMix) throws {
        let (column, row) = (random.pick(table.columns), try row(table, &random))
        let present = try database.rows(
            "SELECT \(quoted(column)) FROM \(quoted(table.name)) WHERE \(place(table))", row)
        let value = HostileValues.value(&random, near: present.first?[0].integer)
        try database.rows(
            "UPDATE \(quoted(table.name)) SET \(quoted(column)) = ?1 WHERE \(place(table, 2))", [value] + row)
    }

    private func copyValue(_ table: Table, _ random: inout SplitMix) throws {
        let (column, other) = (random.pick(table.columns), random.pick(table.columns))
        let value = try database.rows(
            "SELECT \(quoted(other)) FROM \(quoted(table.name)) WHERE \(place(table))", try row(table, &random))
        try database.rows(
            "UPDATE \(quoted(table.name)) SET \(quoted(column)) = ?1 WHERE \(place(table, 2))",
            [value.first?[0] ?? .null] + (try row(table, &random)))
    }

    private func insert(_ table: Table, _ random: inout SplitMix) throws {
        let values = table.columns.map { _ in HostileValues.value(&random, near: 20) }
        let places = values.map { _ in "?" }.joined(separator: ", ")
        try database.rows("INSERT INTO \(quoted(table.name)) VALUES (\(places))", values)
    }

    /// Inserts a header, valid except for its position and its first change.
    private func insertHeader(_ random: inout SplitMix) throws {
        try database.rows(
            "INSERT INTO chronicle_change(id, kind, primary_key, attributes, old_value) VALUES (?, ?, 0.5, 1, ?)",
            [
                random.chance(50) ? .null : HostileValues.value(&random, near: 60),
                .integer(-Int64(random.below(6))), HostileValues.value(&random, near: 60),
            ])
    }

    private func copyRow(_ table: Table, _ random: inout SplitMix) throws {
        let columns = table.columns.filter { column in column != table.key[0] && column != "id" }
        let names = columns.map(quoted).joined(separator: ", ")
        let key = HostileValues.value(&random, near: 60)
        let target = table.key[0] == "_rowid_" ? "_rowid_" : quoted(table.key[0])
        try database.rows(
            "INSERT INTO \(quoted(table.name))(\(target), \(names)) SELECT ?1, \(names) FROM \(quoted(table.name)) "
                + "WHERE \(place(table, 2))", [key] + (try row(table, &random)))
    }

    private func swapKeys(_ table: Table, _ random: inout SplitMix) throws {
        guard table.key == ["_rowid_"] else { return }
        let (one, other) = (try row(table, &random), try row(table, &random))
        let free = RawDatabase.Value.integer(-987_654_321)
        let move = "UPDATE \(quoted(table.name)) SET _rowid_ = ? WHERE _rowid_ IS ?"
        for (to, from) in [(free, one[0]), (one[0], other[0]), (other[0], free)] {
            try database.rows(move, [to, from])
        }
    }

    private func shiftKeys(_ table: Table, _ random: inout SplitMix) throws {
        guard table.key == ["_rowid_"] else { return }
        let distance = random.pick([-1_000_000, -60, -5, 1, 1_000_000, 1 << 40, 1 << 62, (1 << 62) - 30, .max - 200])
        // In two steps, so that no row gets the key of another.
        let condition = random.chance(50) ? "" : " WHERE _rowid_ > \(random.below(60))"
        try database.run("UPDATE \(quoted(table.name)) SET _rowid_ = -_rowid_ - 3000000000\(condition)")
        try database.run(
            "UPDATE \(quoted(table.name)) SET _rowid_ = -(_rowid_ + 3000000000) + \(distance) WHERE _rowid_ < -2000000000"
        )
    }

    // MARK: Constraints

    /// Removes NOT NULL from the definitions while rows are changed.
    ///
    /// - Returns: The definitions.
    private func removeConstraints() throws -> [[RawDatabase.Value]] {
        let texts = try database.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%NOT NULL%'")
        try database.run(
            "PRAGMA writable_schema = ON; "
                + "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table'; "
                + "PRAGMA writable_schema = RESET")
        return texts
    }

    private func restoreConstraints(_ texts: [[RawDatabase.Value]]) throws {
        try database.run("PRAGMA writable_schema = ON")
        for text in texts { try database.rows("UPDATE sqlite_schema SET sql = ?2 WHERE name = ?1", text) }
        try database.run("PRAGMA writable_schema = RESET")
    }
}

func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
