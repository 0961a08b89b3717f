import ChronicleCSQLite

extension Connection {
    /// Returns the collation of a column of a table in the file, unless it is `BINARY`.
    /// https://www.sqlite.org/c3ref/table_column_metadata.html
    package func collation(ofColumn column: String, inTable table: String) -> String? {
        var name: UnsafePointer<CChar>?
        guard let handle,
            sqlite3_table_column_metadata(handle, "main", table, column, nil, &name, nil, nil, nil) == SQLITE_OK,
            let collation = name.map({ String(cString: $0) }), collation.uppercased() != "BINARY"
        else { return nil }
        return collation
    }

    /// Makes changes that do not affect the rows: NOT NULL and foreign keys of columns. `sql` is a CREATE TABLE statement
    /// with the same columns in the same order; a wrong one makes the file unreadable.
    /// https://www.sqlite.org/lang_altertable.html#otheralter
    package func replaceDefinition(ofTable table: String, with sql: String) throws {
        // Defensive mode prevents accidental writes: https://www.sqlite.org/c3ref/c_dbconfig_defensive.html
        try set(SQLITE_DBCONFIG_DEFENSIVE, 0)
        let written = Result { try write(sql, ofTable: table) }
        // RESET also makes this connection read the schema again.
        // https://www.sqlite.org/pragma.html#pragma_writable_schema
        let reset = Result { try execute("PRAGMA writable_schema = RESET") }
        // In any case: defensive mode protects the schema even if it was not reset.
        try set(SQLITE_DBCONFIG_DEFENSIVE, 1)
        try written.get()
        try reset.get()
    }

    private func write(_ sql: String, ofTable table: String) throws {
        let version = try scalarInt64("PRAGMA schema_version") ?? 0
        try execute("PRAGMA writable_schema = ON")
        let statement = try prepare("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?")
        try statement.bind(sql, at: 1)
        try statement.bind(table, at: 2)
        try statement.run()
        try execute("PRAGMA schema_version = \(version + 1)")
    }
}
