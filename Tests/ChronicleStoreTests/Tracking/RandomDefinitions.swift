import ChronicleSQLite
import ChronicleTestSupport

@testable import ChronicleStore

/// Random statements of a program that changes its rows and its schema, which may fail.
struct RandomDefinitions {
    private var random: SplitMix
    private var count = 0

    init(_ random: SplitMix) { self.random = random }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    private struct Table {
        let name: String
        let columns: [(name: String, type: String)]
        let key: [String]
    }

    private func tables(_ app: Connection) throws -> [Table] {
        let statement = try app.prepare(
            """
            SELECT t.name, c.name, c.type, c.pk FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c \
            WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'chronicle%' AND t.name NOT LIKE 'sqlite%' \
            ORDER BY t.name, c.cid
            """)
        var tables: [Table] = []
        while try statement.step() {
            let name = statement.text(0)
            let known = tables.last?.name == name ? tables.removeLast() : Table(name: name, columns: [], key: [])
            tables.append(
                Table(
                    name: name, columns: known.columns + [(statement.text(1), statement.text(2))],
                    key: known.key + (statement.int64(3) > 0 ? [statement.text(1)] : [])))
        }
        return tables
    }

    private mutating func name(_ prefix: String) -> String {
        count += 1
        return "\"\(random.pick([prefix, "\(prefix) \(prefix)", "é", "select"]))\(count)\""
    }

    private mutating func type() -> String { random.pick(["INTEGER", "TEXT", "", "REAL", "TEXT COLLATE NOCASE"]) }

    private mutating func value() -> String {
        random.pick(["NULL", "0", "1", "2", "3", "'a'", "'A'", "'b'", "1.5", "'1'", "x'61'", "1.0"])
    }

    // MARK: Statements

    mutating func createTable() -> String { createTable(name("t")) }

    private mutating func createTable(_ name: String) -> String {
        let key = random.pick([
            "id INTEGER PRIMARY KEY", "k TEXT PRIMARY KEY", "k TEXT COLLATE NOCASE PRIMARY KEY", "k1 INT, k2",
        ])
        let columns = (0..<random.below(3)).map { _ in "\(self.name("c")) \(type())" }
        let end = key == "k1 INT, k2" ? ", PRIMARY KEY (k1, k2)) WITHOUT ROWID" : ")"
        return "CREATE TABLE \(name)(\(([key] + columns).joined(separator: ", "))\(end)"
    }

    /// Returns a statement that changes rows.
    mutating func change(_ app: Connection) throws -> String {
        let tables = try tables(app)
        guard !tables.isEmpty else { return createTable() }
        let table = random.pick(tables)
        let (name, columns) = (quoted(table.name), table.columns.map { quoted($0.name) })
        switch random.below(10) {
        case 0..<6:
            let values = columns.map { _ in value() }.joined(separator: ", ")
            return "INSERT \(random.pick(["", "OR REPLACE", "OR IGNORE"])) INTO \(name) VALUES (\(values))"
        case 6..<9:
            let condition = chance(50) ? "" : " WHERE \(random.pick(columns)) IS NOT \(value())"
            return
                "UPDATE \(random.pick(["", "OR REPLACE"])) \(name) SET \(random.pick(columns)) = \(value())\(condition)"
        default: return "DELETE FROM \(name) WHERE \(random.pick(columns)) = \(value())"
        }
    }

    /// Returns statements that change the schema.
    mutating func definition(_ app: Connection) throws -> String {
        let tables = try tables(app)
        guard !tables.isEmpty else { return createTable() }
        let table = random.pick(tables)
        let name = quoted(table.name)
        let columns = table.columns.map { quoted($0.name) }
        switch random.below(14) {
        case 0: return createTable()
        case 1, 2:
            let value = random.pick(["", " DEFAULT 5", " NOT NULL DEFAULT 'x'"])
            return "ALTER TABLE \(name) ADD COLUMN \(self.name("a")) \(type())\(value)"
        case 3, 4: return "ALTER TABLE \(name) RENAME COLUMN \(random.pick(columns)) TO \(self.name("r"))"
        case 5: return "ALTER TABLE \(name) RENAME TO \(self.name("n"))"
        // Fails if the column is recorded.
        case 6: return "ALTER TABLE \(name) DROP COLUMN \(random.pick(columns))"
        case 7: return "DROP TABLE \(name)"
        case 8: return "DROP TABLE \(name); \(createTable(name))"
        case 9: return "VACUUM"
        case 10: return "CREATE UNIQUE INDEX \(self.name("u")) ON \(name)(\(random.pick(columns)))"
        // Added by SQLite 3.53.
        case 11: return "ALTER TABLE \(name) ALTER COLUMN \(random.pick(columns)) SET NOT NULL"
        default:
            let texts = try app.prepare(
                "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY rowid")
            try texts.bind(table.name, at: 1)
            var triggers: [String] = []
            while try texts.step() { triggers.append(texts.text(0)) }
            return rebuild(table, triggers)
        }
    }

    private mutating func rebuild(_ table: Table, _ triggers: [String]) -> String {
        let name = quoted(table.name)
        var key = table.key
        if chance(20), let other = table.columns.randomElement(using: &random)?.name { key = [other] }
        var kept = table.columns
        if chance(40) { kept.removeAll { column in !key.contains(column.name) && random.below(2) == 0 } }
        if chance(30) { kept.shuffle(using: &random) }
        let isRowID = chance(50)
        var definitions = kept.map { column in
            "\(quoted(column.name)) \(chance(20) && !key.contains(column.name) ? type() : column.type)"
        }
        if chance(30) { definitions.append("\(self.name("x")) DEFAULT 4") }
        definitions.append("PRIMARY KEY (\(key.map(quoted).joined(separator: ", ")))")
        let names = kept.map { quoted($0.name) }.joined(separator: ", ")
        let create = "(\(definitions.joined(separator: ", ")))\(isRowID ? "" : " WITHOUT ROWID")"
        let other = self.name("new")
        let limit = chance(30) ? " LIMIT \(below(4))" : ""
        let statements = random.pick([
            "CREATE TABLE \(other)\(create); INSERT OR IGNORE INTO \(other)(\(names)) SELECT \(names) FROM \(name)\(limit); "
                + "DROP TABLE \(name); ALTER TABLE \(other) RENAME TO \(name)",
            "ALTER TABLE \(name) RENAME TO \(other); CREATE TABLE \(name)\(create); "
                + "INSERT OR IGNORE INTO \(name)(\(names)) SELECT \(names) FROM \(other)\(limit); DROP TABLE \(other)",
        ])
        // As SQLite recommends. Triggers for columns that do not exist any more would make every change fail.
        let keepsTriggers = chance(50) && key == table.key && kept.count == table.columns.count
        return ([statements] + (keepsTriggers ? triggers : [])).joined(separator: "; ")
    }
}
