import ChronicleTestSupport

/// A random table of another program, and random UPSERT statements for it.
///
/// Before version 3.45.3, SQLite had defects in UPSERT that could give UPDATE triggers wrong values, or damage an index.
/// The tables have what makes a difference there: many columns, values on overflow pages, partial indexes, indexes on
/// expressions, generated columns, and keys without rowids.
struct RandomUpserts: RandomProgram {
    private(set) var statements: [String] = []
    private var random: SplitMix
    private var columns: [String] = []
    private var key: [String] = []
    /// The conflict targets for which the table has a unique index.
    private var targets: [String] = []

    init(_ random: SplitMix) {
        self.random = random
        addTable()
        statements.append(
            "CREATE TABLE source(id INTEGER PRIMARY KEY, \(columns.map { "\($0) ANY" }.joined(separator: ", ")))")
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    // MARK: The table

    private mutating func addTable() {
        let form = random.below(5)
        // 62 attributes fit in a mask.
        let count = random.pick([2, 3, 8, 33, 62, 63, 70])
        columns = (0..<count).map { "c\($0)" }
        var definitions = columns.map { column in
            "\(column) \(random.pick(["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]))"
                + (column != "c0" && chance(10) ? " NOT NULL DEFAULT 7" : "")
        }
        var end = ""
        switch form {
        case 0: (key, definitions) = (["id"], ["id INTEGER PRIMARY KEY"] + definitions)
        case 1: (key, definitions) = (["id"], definitions + ["id INTEGER PRIMARY KEY"])
        case 2: (key, definitions) = (["k"], ["k TEXT PRIMARY KEY"] + definitions)
        case 3:
            (key, end) = (["k1", "k2"], ", PRIMARY KEY (k2, k1)) WITHOUT ROWID")
            definitions.insert("k1 INT", at: random.below(definitions.count + 1))
            definitions.insert("k2 TEXT", at: random.below(definitions.count + 1))
        default: (key, definitions, end) = (["k"], definitions + ["k PRIMARY KEY"], ") WITHOUT ROWID")
        }
        targets.append("(\(key.reversed().joined(separator: ", ")))")
        for number in 0..<random.below(3) {
            let storage = random.pick(["STORED", "VIRTUAL"])
            definitions.insert(
                "g\(number) AS (\(random.pick(columns)) || '-' || \(random.pick(columns))) \(storage)",
                at: random.below(definitions.count + 1))
        }
        statements.append("CREATE TABLE t(\(definitions.joined(separator: ", "))\(end.isEmpty ? ")" : end)")
        for number in 0..<random.below(4) { addIndex(number, definitions.contains { $0.hasPrefix("g0 ") }) }
    }

    private mutating func addIndex(_ number: Int, _ hasGeneratedColumn: Bool) {
        let column = random.pick(columns)
        let (expression, condition): (String, String)
        switch random.below(5) {
        case 0: (expression, condition) = (column, "")
        case 1: (expression, condition) = (column, " WHERE \(random.pick(columns)) > 1")
        case 2: (expression, condition) = ("lower(\(column))", "")
        case 3: (expression, condition) = ("\(column), \(random.pick(columns)) || 'x'", " WHERE \(column) IS NOT NULL")
        default: (expression, condition) = (hasGeneratedColumn ? "g0" : "\(column) || ''", "")
        }
        let isUnique = chance(60)
        statements.append("CREATE \(isUnique ? "UNIQUE " : "")INDEX i\(number) ON t(\(expression))\(condition)")
        if isUnique { targets.append("(\(expression))\(condition)") }
    }

    // MARK: Statements

    private mutating func value() -> String {
        random.pick([
            "NULL", "0", "1", "2", "3", "2.5", "'a'", "'A'", "'b'", "'1'", "x'61'", "''", "-1", "'é'",
            "printf('%.*c', 700, 'x')", "printf('%.*c', 5000, 'y')", "zeroblob(900)",
        ])
    }

    private mutating func keyValue() -> String { "\(1 + random.below(6))" }

    mutating func change() -> String {
        switch random.below(20) {
        case 0: return "DELETE FROM t WHERE \(random.pick(key)) = \(keyValue())"
        case 1: return "UPDATE t SET \(random.pick(columns)) = \(value()) WHERE \(random.pick(columns)) IS \(value())"
        case 2:
            let chosen = columns.shuffled(using: &random).prefix(3)
            return "INSERT OR REPLACE INTO source(id, \(chosen.joined(separator: ", "))) VALUES (\(keyValue()), "
                + "\(chosen.map { _ in value() }.joined(separator: ", ")))"
        default: return upsert()
        }
    }

    private mutating func upsert() -> String {
        let chosen = Array(columns.shuffled(using: &random).prefix(1 + random.below(min(columns.count, 6))))
        let names = (chosen + key).joined(separator: ", ")
        let rows: String
        if chance(25) {
            // `WHERE true` separates the join of a SELECT from ON CONFLICT.
            rows = "SELECT \((chosen + key.map { _ in "id" }).joined(separator: ", ")) FROM source WHERE true"
        } else {
            rows =
                "VALUES "
                + (0..<random.pick([1, 1, 1, 4])).map { _ in
                    "(\((chosen.map { _ in value() } + key.map { _ in keyValue() }).joined(separator: ", ")))"
                }.joined(separator: ", ")
        }
        // The last clause may have no target.
        var clauses = targets.shuffled(using: &random).prefix(1 + random.below(targets.count)).map { conflict($0) }
        if chance(30) { clauses.append(conflict("")) }
        return "INSERT INTO t(\(names)) \(rows) \(clauses.joined(separator: " "))"
    }

    private mutating func conflict(_ target: String) -> String {
        if chance(10) { return "ON CONFLICT\(target) DO NOTHING" }
        var changed = columns.shuffled(using: &random).prefix(1 + random.below(min(columns.count, 5)))
        if chance(10) { changed.append(random.pick(key)) }
        let set = changed.map { column -> String in
            let other = random.pick(columns)
            let new = random.pick([
                "excluded.\(column)", "excluded.\(other)", other, column, value(), "coalesce(\(column), 0) + 1",
                "\(other) || excluded.\(column)",
            ])
            return "\(column) = \(key.contains(column) ? keyValue() : new)"
        }
        let condition = chance(25) ? " WHERE \(random.pick(columns)) IS NOT excluded.\(random.pick(columns))" : ""
        return "ON CONFLICT\(target) DO UPDATE SET \(set.joined(separator: ", "))\(condition)"
    }
}
