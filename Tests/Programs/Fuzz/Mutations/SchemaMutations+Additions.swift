import ChronicleTestSupport
import Foundation

// Mutations that add or change triggers, indexes, references and settings.
extension SchemaMutations {
    private static let statements = [
        "SELECT RAISE(ABORT, 'no')", "SELECT RAISE(IGNORE)", "SELECT RAISE(ROLLBACK, 'no')",
        "DELETE FROM chronicle_change",
        "INSERT INTO chronicle_change(kind, primary_key) VALUES (-1, 0)",
        "INSERT INTO chronicle_change(kind) VALUES (NULL)",
        "INSERT INTO chronicle_change(id, kind) VALUES (9223372036854775807, 5)",
        "INSERT INTO chronicle_change(id, kind) VALUES (-5, 5)", "UPDATE chronicle_change SET id = id + 1000",
        "UPDATE chronicle_meta SET value = -1", "INSERT INTO Sample(name) VALUES ('x' || total_changes())",
        "DELETE FROM chronicle_source", "DELETE FROM chronicle_entity", "DELETE FROM chronicle_summary",
        "INSERT INTO chronicle_conflict VALUES (1, 1, -1, 2, 3)",
        "INSERT INTO Label(name) VALUES ('another')", "DELETE FROM Part", "UPDATE Part SET _rowid_ = _rowid_ + 1",
    ]

    static let changeTrigger: Mutation = { database, random in
        let triggers = try names(database, "type = 'trigger'")
        guard !triggers.isEmpty else { return }
        let name = random.pick(triggers)
        let text = try database.rows("SELECT sql FROM sqlite_schema WHERE name = ?", [.text(name)])[0][0].string
        guard let body = text.range(of: "BEGIN") else { return }
        try write(
            database, "sql = ? WHERE name = ?",
            [.text("\(text[..<body.lowerBound])BEGIN \(random.pick(statements)); END"), .text(name)])
    }

    static let addTrigger: Mutation = { database, random in
        let event = random.pick(["BEFORE INSERT", "AFTER INSERT", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"])
        let table = try table(database, &random)
        try database.run("CREATE TRIGGER another \(event) ON \(quoted(table)) BEGIN \(random.pick(statements)); END")
    }

    static let addIndex: Mutation = { database, random in
        let table = try table(database, &random)
        let column = quoted(try column(database, table, &random))
        let kind = random.pick(["INDEX", "UNIQUE INDEX"])
        let terms = [
            column, "\(column) DESC", "lower(\(column))", "\(column) COLLATE NOCASE", "typeof(\(column)), \(column)",
        ]
        let rest = random.pick(["", "", " WHERE \(column) > 3"])
        try database.run("CREATE \(kind) another ON \(quoted(table))(\(random.pick(terms)))\(rest)")
    }

    static let addReference: Mutation = { database, random in
        let table = try table(database, &random)
        let rule = random.pick(["CASCADE", "SET NULL", "RESTRICT", "SET DEFAULT"])
        try database.run(
            "CREATE TABLE another(a INTEGER DEFAULT 99 REFERENCES \(quoted(table)) ON DELETE \(rule) ON UPDATE \(rule)); "
                + "INSERT INTO another SELECT _rowid_ FROM \(quoted(table))")
    }

    static let setPragma: Mutation = { database, random in
        let pragmas = [
            "application_id = 1", "application_id = 0", "user_version = 0", "user_version = 2", "user_version = -1",
            "schema_version = 2147483647", "schema_version = -1", "journal_mode = DELETE", "journal_mode = WAL",
            "auto_vacuum = 1", "default_cache_size = -1",
        ]
        try database.run("PRAGMA \(random.pick(pragmas))")
    }

    static let removeComplete: Mutation = { database, _ in
        try database.run("DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'")
    }
}
