import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// The structure of the file, its indexes and constraints, and the references between rows.
struct DatabaseCheck {
    let verifier: StoreVerifier

    func run() throws {
        try checkIntegrity()
        let identifier = try verifier.connection.scalarInt64("PRAGMA application_id")
        if identifier != FileFormat.applicationIdentifier, !verifier.isTracked {
            try verifier.report(.property, detail: "the application identifier is not that of a Chronicle store")
        }
        // The program of a tracked database decides whether its references are checked.
        guard !verifier.isTracked else { return }
        // https://www.sqlite.org/pragma.html#pragma_foreign_key_check
        try verifier.forEachRow("PRAGMA foreign_key_check") { statement in
            try verifier.report(
                .reference, statement.text(0), statement.isNull(1) ? nil : statement.int64(1),
                detail: "references a row of \(statement.text(2)) that does not exist")
        }
    }
}

extension DatabaseCheck {
    /// Checks all tables whose indexes and constraints need nothing that only another program has.
    /// https://www.sqlite.org/pragma.html#pragma_integrity_check
    private func checkIntegrity() throws {
        let excluded = try tablesWithUnknownCollations()
        if excluded.isEmpty {
            do { return try report("PRAGMA integrity_check(100)") } catch let error as SQLiteError
                where error.isGeneric
            {
                // A constraint, an index, or a generated column calls a function of another program.
            }
        }
        let tables = try connection.prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        while try tables.step() {
            let name = tables.text(0)
            guard !excluded.contains(name) else { continue }
            do { try report("PRAGMA integrity_check(\(quoted(name)))") } catch let error as SQLiteError
                where error.isGeneric
            {}
        }
    }

    private var connection: Connection { verifier.connection }

    /// Reports nothing if the check ends with an error.
    private func report(_ check: String) throws {
        var problems: [String] = []
        try verifier.forEachRow(check) { problems.append($0.text(0)) }
        for problem in problems where problem != "ok" { try verifier.report(.database, detail: problem) }
    }

    /// The order of some indexes is known only to another program.
    private func tablesWithUnknownCollations() throws -> Set<String> {
        let statement = try connection.prepare(
            """
            SELECT DISTINCT t.name FROM pragma_table_list AS t, pragma_index_list(t.name, 'main') AS i, \
            pragma_index_xinfo(i.name, 'main') AS c WHERE t.schema = 'main' AND t.type = 'table' \
            AND upper(c.coll) NOT IN ('BINARY', 'NOCASE', 'RTRIM')
            """)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }
}

struct DefinitionCheck {
    let verifier: StoreVerifier

    func run() throws -> Bool {
        let file = try FileSchema(verifier.connection)
        var isComplete = true
        for statement in HistoryTables.createTables(isTracked: verifier.isTracked) {
            let exists = try verifier.check(.definition) { try file.hasHistory([statement]) }
            if exists == true { continue }
            isComplete = false
            if exists == false {
                let name = statement.dropFirst("CREATE TABLE IF NOT EXISTS ".count).prefix { $0 != "(" }
                try verifier.report(.definition, String(name), detail: "the table is missing")
            }
        }
        try checkIndex("chronicle_source_index", of: SourceTable.name)
        // Without its tables, the file has the version of another program.
        guard isComplete else { return false }
        try verifier.check(.definition) {
            let format = try FileFormat.version(verifier.connection)
            guard try SealTables.exist(in: file, format: format) else { return }
            for index in SealTables.indexes { try checkIndex(index.name, of: index.table) }
        }
        return true
    }

    private func checkIndex(_ name: String, of table: String) throws {
        let exists = try verifier.connection.scalarInt64(
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = '\(name)'")
        if exists == nil { try verifier.report(.index, table, detail: "the index \(name) is missing") }
    }
}
