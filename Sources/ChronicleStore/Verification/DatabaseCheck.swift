import ChronicleCore
import ChronicleSQLite

/// SQLite's own checks: the structure of the file, its indexes and constraints, and the references between rows.
struct DatabaseCheck {
    let verifier: StoreVerifier

    func run() throws {
        // https://www.sqlite.org/pragma.html#pragma_integrity_check
        try verifier.forEachRow("PRAGMA integrity_check(100)") { statement in
            let text = statement.text(0)
            if text != "ok" { try verifier.report(.database, detail: text) }
        }
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

/// The definitions of the tables of the history.
struct DefinitionCheck {
    let verifier: StoreVerifier

    /// Returns whether the tables can be read.
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
        let hasIndex = try verifier.connection.scalarInt64(
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = 'chronicle_source_index'")
        if hasIndex == nil {
            try verifier.report(.index, SourceTable.name, detail: "the index chronicle_source_index is missing")
        }
        return isComplete
    }
}
