import ChronicleTestSupport

// Mutations that drop, rename or replace tables, columns, indexes and triggers.
extension SchemaMutations {
    static let dropSomething: Mutation = { database, random in
        let type = random.pick(["table", "index", "trigger", "trigger"])
        let names = try names(database, "type = '\(type)'")
        guard !names.isEmpty else { return }
        try database.run("DROP \(type) \(quoted(random.pick(names)))")
    }

    static let renameTable: Mutation = { database, random in
        let (old, other) = (try table(database, &random), try table(database, &random))
        let new = random.chance(30) ? other + "2" : "renamed"
        try database.run("ALTER TABLE \(quoted(old)) RENAME TO \(quoted(new))")
    }

    static let renameColumn: Mutation = { database, random in
        let table = try table(database, &random)
        let column = try column(database, table, &random)
        try database.run("ALTER TABLE \(quoted(table)) RENAME COLUMN \(quoted(column)) TO renamed")
    }

    static let dropColumn: Mutation = { database, random in
        let table = try table(database, &random)
        let column = try column(database, table, &random)
        try database.run("ALTER TABLE \(quoted(table)) DROP COLUMN \(quoted(column))")
    }

    static let addColumn: Mutation = { database, random in
        let definitions = [
            "extra", "extra NOT NULL DEFAULT 7", "extra AS (1 / 0)", "extra AS (zeroblob(1000000))",
            "extra CHECK (extra > 5)", "extra REFERENCES nothing", "title TEXT", "added TEXT", "\"\" TEXT",
            "extra TEXT COLLATE NOCASE", "extra DEFAULT (total_changes())",
        ]
        try database.run(
            "ALTER TABLE \(quoted(try table(database, &random))) ADD COLUMN \(random.pick(definitions))")
    }

    // MARK: Replacing tables

    private static func replace(_ database: RawDatabase, _ table: String, _ object: String) throws {
        try database.run("ALTER TABLE \(quoted(table)) RENAME TO \(quoted(table + " before"))")
        try database.run(object)
    }

    private static func before(_ table: String) -> String { quoted(table + " before") }

    static let replaceByView: Mutation = { database, random in
        let table = try table(database, &random)
        let key = random.chance(50) ? "_rowid_, " : ""
        try replace(database, table, "CREATE VIEW \(quoted(table)) AS SELECT \(key)* FROM \(before(table))")
    }

    /// Returns every row twice.
    static let replaceByUnionView: Mutation = { database, random in
        let table = try table(database, &random)
        let selection = "SELECT \(random.chance(50) ? "1 AS _rowid_, " : "")* FROM \(before(table))"
        try replace(database, table, "CREATE VIEW \(quoted(table)) AS \(selection) UNION ALL \(selection)")
    }

    /// Returns endless rows.
    static let replaceByEndlessView: Mutation = { database, random in
        let table = try table(database, &random)
        let row = try columns(database, table).map { "number AS \(quoted($0))" }
        let key = random.chance(50) ? "number AS _rowid_, " : ""
        try replace(
            database, table,
            "CREATE VIEW \(quoted(table)) AS WITH RECURSIVE endless(number) AS "
                + "(SELECT 1 UNION ALL SELECT number + 1 FROM endless) "
                + "SELECT \(key)\(row.joined(separator: ", ")) FROM endless")
    }

    /// Returns rows of hostile constants.
    static let replaceByConstantView: Mutation = { database, random in
        let table = try table(database, &random)
        let constants = ["NULL", "-1", "0", "1", "9223372036854775807", "'x'", "x'00'", "1e999", "zeroblob(100000)"]
        let row = try columns(database, table).map { "\(random.pick(constants)) AS \(quoted($0))" }
        let key = random.chance(50) ? "\(random.pick(constants)) AS _rowid_, " : ""
        try replace(
            database, table,
            "CREATE VIEW \(quoted(table)) AS SELECT \(key)\(row.joined(separator: ", ")) UNION ALL "
                + "SELECT \(key)\(row.joined(separator: ", "))")
    }

    /// The same rows without types, keys, or constraints, some of them changed.
    static let replaceByCopy: Mutation = { database, random in
        let table = try table(database, &random)
        let columns = try columns(database, table)
        try replace(database, table, "CREATE TABLE \(quoted(table)) AS SELECT * FROM \(before(table))")
        for _ in 0..<random.below(4) {
            switch random.below(4) {
            case 0: try database.run("INSERT INTO \(quoted(table)) SELECT * FROM \(before(table)) LIMIT 3")
            case 1:
                let column = quoted(random.pick(columns))
                try database.run("UPDATE \(quoted(table)) SET \(column) = CAST(\(column) AS TEXT)")
            case 2:
                let column = quoted(random.pick(columns))
                try database.rows(
                    "UPDATE \(quoted(table)) SET \(column) = ? WHERE _rowid_ % 3 = 1", [HostileValues.value(&random)])
            default:
                let column = quoted(random.pick(columns))
                try database.run("UPDATE \(quoted(table)) SET \(column) = \(column) + 0.5 WHERE _rowid_ % 5 = 1")
            }
        }
    }

    /// The same rows in descending order, in a table whose definition implies ascending order.
    static let reverse: Mutation = { database, random in
        let definitions = [
            "chronicle_change": "id INTEGER, kind INTEGER, primary_key, attributes, old_value, new_value, "
                + "PRIMARY KEY (id DESC)",
            "chronicle_source":
                "id INTEGER, author TEXT, context TEXT, program TEXT, newest INTEGER, PRIMARY KEY (id DESC)",
            "chronicle_entity":
                "id INTEGER, name TEXT, superentity INTEGER, table_name TEXT, key_columns TEXT, definition TEXT, "
                + "PRIMARY KEY (id DESC)",
            "chronicle_summary":
                "first INTEGER, last INTEGER, sources INTEGER, earliest REAL, latest REAL, transactions INTEGER, "
                + "PRIMARY KEY (first DESC)",
            "chronicle_meta": "name TEXT, value, PRIMARY KEY (name DESC)",
            "chronicle_attribute":
                "entity INTEGER, number INTEGER, name TEXT, type TEXT, destination TEXT, present INTEGER, "
                + "preserved_inserts INTEGER, preserved_updates INTEGER, preserved_deletes INTEGER, "
                + "PRIMARY KEY (entity DESC, number DESC)",
        ]
        let (table, definition) = random.pick(definitions.sorted { $0.key < $1.key })
        try replace(database, table, "CREATE TABLE \(quoted(table))(\(definition)) WITHOUT ROWID")
        try database.run("INSERT INTO \(quoted(table)) SELECT * FROM \(before(table))")
        try write(database, "sql = replace(sql, ' DESC', '') WHERE name = ?", [.text(table)])
    }
}
