import ChronicleTestSupport

// Mutations that edit `sqlite_schema`.
extension SchemaMutations {
    static let editText: Mutation = { database, random in
        let edits = [
            ("INTEGER PRIMARY KEY", "INTEGER"), ("id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY"),
            (" AUTOINCREMENT", ""),
            (" NOT NULL", ""), ("TEXT", "INTEGER"), ("INTEGER", "TEXT"), ("BLOB", "REAL"), (" WITHOUT ROWID", ""),
            ("(owner, destination)", "(destination, owner)"), ("(owner, destination)", "(owner DESC, destination)"),
            ("CASCADE", "SET NULL"), ("CASCADE", "RESTRICT"), ("SET NULL", "CASCADE"),
            ("REFERENCES \"Owner\"", "REFERENCES \"Nothing\""),
            ("UNIQUE INDEX", "INDEX"), ("CREATE INDEX", "CREATE UNIQUE INDEX"), ("AFTER", "BEFORE"), ("NEW.", "OLD."),
            ("chronicle_change", "chronicle_source"), ("kind", "attributes"),
            ("VALUES (", "VALUES (9223372036854775807 + "),
            ("INSERT INTO", "INSERT OR REPLACE INTO"), ("(entity, number)", "(number, entity)"),
            ("\"name\"", "\"number\""),
            ("number", "1 AS number"), (",", ""), (")", ""), ("BEGIN", "BEGIN SELECT RAISE(IGNORE);"),
            ("BEGIN", "BEGIN SELECT RAISE(ROLLBACK, 'no');"), ("DEFERRABLE INITIALLY DEFERRED", ""),
        ]
        let (old, new) = random.pick(edits)
        let condition = random.chance(50) ? "" : " WHERE name = '\(try object(database, &random))'"
        try write(database, "sql = replace(sql, ?1, ?2)\(condition)", [.text(old), .text(new)])
    }

    static let cutText: Mutation = { database, random in
        let name = try object(database, &random)
        let edit = random.pick([
            "substr(sql, 1, CUT % length(sql))", "NULL", "''", "'CREATE TABLE x(y)'", "sql || ' '", "x'00'",
            "'SELECT 1'",
            "substr(sql, 1, 20) || char(0) || substr(sql, 21)", "substr(sql, 1, 30) || '(' || substr(sql, 31)",
        ])
        let fixed = edit.replacing("CUT", with: String(random.below(10_000)))
        try write(database, "sql = \(fixed) WHERE name = ?", [.text(name)])
    }

    static let exchangeRoots: Mutation = { database, random in
        let (one, other) = (try object(database, &random), try object(database, &random))
        try write(
            database,
            "rootpage = (SELECT rootpage FROM sqlite_schema AS s WHERE s.name = iif(sqlite_schema.name = ?1, ?2, ?1)) "
                + "WHERE name IN (?1, ?2) AND type IN ('table', 'index')", [.text(one), .text(other)])
    }

    static let damageRoot: Mutation = { database, random in
        try write(
            database, "rootpage = ? WHERE name = ?",
            [HostileValues.value(&random, near: 3), .text(try object(database, &random))])
    }

    static let changeType: Mutation = { database, random in
        let edit = random.pick([
            "type = 'view'", "type = 'index'", "type = 'table'", "tbl_name = 'Owner'", "name = 'Owner'",
            "name = tbl_name",
        ])
        try write(database, "\(edit) WHERE name = ?", [.text(try object(database, &random))])
    }
}
