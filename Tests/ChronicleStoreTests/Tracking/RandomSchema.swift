import ChronicleTestSupport

@testable import ChronicleStore

/// A random schema of another program, and random statements for its tables, which may fail.
protocol RandomProgram {
    /// The statements that create the schema.
    var statements: [String] { get }
    /// Returns a statement that changes rows, or fails.
    mutating func change() -> String
    /// Returns a random number.
    mutating func below(_ limit: Int) -> Int
}

/// A random schema with every kind of table, and all kinds of statements.
struct RandomSchema: RandomProgram {
    struct Table {
        let name: String
        var key: [String] = []
        var columns: [String] = []
        var hasRowIDs = true
        /// The type of a key of one column.
        var keyType = ""
    }

    var random: SplitMix
    /// The targets of statements.
    var tables: [Table] = []
    private(set) var statements: [String] = []
    private let collation: String?

    /// - Parameter collation: A collation of the program, which some tables use.
    init(_ random: SplitMix, collation: String? = nil) {
        self.random = random
        self.collation = collation
        for number in 0...self.random.below(4) { addTable(number) }
        for number in tables.indices where chance(40) { addTrigger(number) }
    }

    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    // MARK: Schema

    private mutating func addTable(_ number: Int) {
        var table = Table(name: random.pick(["t", "T t", "q\"q", "select", "ünï", "a.b", "a/b"]) + "\(number)")
        var definitions: [String] = []
        var end = ")"
        let form = random.below(8)
        switch form {
        case 0: (table.key, definitions) = (["id"], ["id INTEGER PRIMARY KEY"])
        case 1: (table.key, definitions) = (["id"], ["id INTEGER PRIMARY KEY AUTOINCREMENT"])
        case 2: (table.key, definitions) = (["k"], ["k TEXT PRIMARY KEY"])
        case 3: (table.key, definitions) = (["k"], ["k TEXT PRIMARY KEY COLLATE NOCASE"])
        case 4: (table.key, definitions) = (["k"], ["k INTEGER PRIMARY KEY DESC"])
        case 5: (table.key, definitions) = (["k1", "k2"], ["k1 INT", "k2"])
        case 6: (table.key, definitions) = (["k1", "k2"], ["k1 INT", "k2 TEXT COLLATE RTRIM"])
        default: (table.key, definitions) = (["k"], ["k PRIMARY KEY"])
        }
        // At least one table can be recorded.
        if let collation, number > 0, chance(50) {
            definitions = definitions.map {
                $0.replacing("NOCASE", with: collation).replacing("RTRIM", with: collation)
            }
        }
        let hasRowIDs = form < 6
        // A STRICT table requires types, and stores values of type ANY without a conversion.
        let isStrict = chance(25)
        if isStrict {
            definitions = definitions.map { $0.replacing("k PRIMARY", with: "k ANY PRIMARY") }
                .map { $0 == "k2" ? "k2 ANY" : $0 }
        }
        if definitions.last?.contains("TEXT") == true { table.keyType = "TEXT" }
        if definitions.last?.contains("INTEGER") == true { table.keyType = "INTEGER" }
        if table.key.count == 2 { end = ", PRIMARY KEY (k2, k1))" }
        if !hasRowIDs {
            table.hasRowIDs = false
            end += " WITHOUT ROWID"
        }
        if isStrict { end += hasRowIDs ? " STRICT" : ", STRICT" }
        for column in 0..<random.below(6) {
            let name = random.pick(["a", "b b", "\"c", "group", "é", "X"]) + "\(column)"
            var type = random.pick(["INTEGER", "TEXT", "REAL", "", "NUMERIC", "BLOB", "TEXT COLLATE NOCASE"])
            if let collation, chance(30) { type = "TEXT COLLATE \(collation)" }
            let parent = tables.isEmpty || !chance(25) ? nil : random.pick(tables)
            // SQLite converts a referenced key to another affinity before triggers see it.
            if let parent, parent.key.count == 1 { type = parent.keyType }
            if isStrict, ["", "NUMERIC"].contains(type) { type = "ANY" }
            var definition = "\(quoted(name)) \(type)"
            if chance(25) { definition += " UNIQUE" }
            if chance(15) { definition += " NOT NULL DEFAULT 1" }
            if let parent, parent.key.count == 1 {
                let actions = (0..<2).map { _ in random.pick(["CASCADE", "SET NULL", "NO ACTION"]) }
                definition += " REFERENCES \(quoted(parent.name))(\(quoted(parent.key[0]))) "
                definition += "ON DELETE \(actions[0]) ON UPDATE \(actions[1])"
            }
            table.columns.append(name)
            definitions.append(definition)
        }
        if let first = table.columns.first, chance(30) {
            definitions.append(
                "g \(isStrict ? "ANY " : "")AS (coalesce(\(quoted(first)), 1)) \(random.pick(["STORED", "VIRTUAL"]))")
        }
        statements.append("CREATE TABLE \(quoted(table.name))(\(definitions.joined(separator: ", "))\(end)")
        if table.columns.count > 1, chance(30) {
            statements.append(
                "CREATE UNIQUE INDEX u\(number) ON \(quoted(table.name))"
                    + "(\(quoted(table.columns[0])), \(quoted(table.columns[1])) COLLATE NOCASE)")
        }
        tables.append(table)
    }

    /// Adds a trigger that changes its own table, at most once for each row, or another one.
    private mutating func addTrigger(_ number: Int) {
        let table = tables[number]
        guard let column = table.columns.first.map(quoted) else { return }
        let event = random.pick(["INSERT", "UPDATE", "DELETE"])
        let begin = "CREATE TRIGGER tr\(number) AFTER \(event) ON \(quoted(table.name))"
        if event != "DELETE", chance(50) {
            let key = table.key.map { "\(quoted($0)) IS NEW.\(quoted($0))" }.joined(separator: " AND ")
            statements.append(
                "\(begin) WHEN NEW.\(column) IS NOT 99 BEGIN UPDATE OR IGNORE \(quoted(table.name)) SET \(column) = 99 "
                    + "WHERE \(key); END")
        } else {
            let other = tables[random.below(number + 1)]
            guard other.name != table.name, let changed = other.columns.first.map(quoted) else { return }
            statements.append(
                "\(begin) BEGIN UPDATE OR IGNORE \(quoted(other.name)) SET \(changed) = \(random.pick(["1", "NULL", "7"])); END"
            )
        }
    }

    // MARK: Statements

    private mutating func value() -> String {
        random.pick([
            "NULL", "0", "1", "2", "3", "1.0", "2.5", "'a'", "'A'", "'b'", "'a '", "'1'", "x'61'", "x''", "''", "-1",
            "'é'",
        ])
    }

    /// Returns a statement that changes rows of one table, or fails.
    mutating func change() -> String {
        let table = random.pick(tables)
        let name = quoted(table.name)
        var columns = table.key + table.columns
        if table.hasRowIDs, chance(10) { columns.append("rowid") }
        let kind = random.below(100)
        if kind < 50 { return insert(table, name, columns) }
        if kind < 80 {
            let resolution = random.pick(["", "OR REPLACE", "OR IGNORE", "OR FAIL"])
            let set = (0...random.below(2)).map { _ in "\(quoted(random.pick(columns))) = \(value())" }
            return "UPDATE \(resolution) \(name) SET \(set.joined(separator: ", "))\(condition(table))"
        }
        return "DELETE FROM \(name)\(condition(table))"
    }

    private mutating func insert(_ table: Table, _ name: String, _ columns: [String]) -> String {
        var chosen = columns.shuffled(using: &random)
        chosen.removeLast(random.below(chosen.count))
        let rows = (0..<random.pick([1, 1, 1, 3])).map { _ in
            "(\(chosen.map { _ in value() }.joined(separator: ", ")))"
        }
        let into = "INTO \(name)(\(chosen.map(quoted).joined(separator: ", "))) VALUES \(rows.joined(separator: ", "))"
        if chance(20) {
            let update = table.columns.first.map { "UPDATE SET \(quoted($0)) = \(value())" }
            return "INSERT \(into) ON CONFLICT DO \(chance(50) ? "NOTHING" : update ?? "NOTHING")"
        }
        return "INSERT \(random.pick(["", "", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ROLLBACK"])) \(into)"
    }

    private mutating func condition(_ table: Table) -> String {
        if chance(30) { return "" }
        return
            " WHERE \(quoted(random.pick(table.key + table.columns))) \(random.pick(["IS", "=", ">", "<"])) \(value())"
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }
}
