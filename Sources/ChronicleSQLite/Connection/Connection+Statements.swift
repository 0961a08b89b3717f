import ChronicleCSQLite

extension Connection {
    /// Ignores the rows of one or more statements. Those before one that fails keep their effect, unless a transaction is
    /// rolled back.
    package func execute(_ sql: String) throws {
        let handle = try openHandle()
        try requireNoNUL(in: sql)
        let state = (sqlite3_total_changes64(handle), sqlite3_get_autocommit(handle))
        var code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK, state == (sqlite3_total_changes64(handle), sqlite3_get_autocommit(handle)),
            SchemaFunctions.define(afterFailureOn: handle)
        {
            code = sqlite3_exec(handle, sql, nil, nil, nil)
        }
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle, sql: sql) }
    }

    /// Prepares exactly one statement, which is not cached.
    package func prepare(_ sql: String) throws -> Statement {
        try prepare(sql, flags: 0)
    }

    /// Returns the statement reset and with all parameters NULL. While the statement is in use, the next caller receives a
    /// separate one, so that nested loops can use the same SQL. Release or reset it after reading its rows.
    package func cached(_ sql: String) throws -> Statement {
        switch statements.lookUp(sql) {
        case .free(let statement):
            statement.reset()
            statement.clearBindings()
            return statement
        case .inUse:
            return try prepare(sql)
        case .unknown:
            // The flag keeps long-lived statements out of SQLite's small lookaside memory.
            // https://www.sqlite.org/c3ref/c_prepare_persistent.html
            let statement = try prepare(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
            // Some pragmas run or read their result while they are prepared, and would return the old result again.
            // https://www.sqlite.org/pragma.html
            if !isPragma(sql) { statements.insert(statement, for: sql) }
            return statement
        }
    }

    private func prepare(_ sql: String, flags: UInt32) throws -> Statement {
        let handle = try openHandle()
        try requireNoNUL(in: sql)
        var sql = sql
        return try sql.withUTF8 { utf8 in
            let (statement, used) = try prepare(utf8[...], flags, on: handle)
            guard let statement else {
                throw SQLiteError.misuse("the SQL contains no statement", sql: String(decoding: utf8, as: UTF8.self))
            }
            // SQLite stops after the first statement. The rest must be blank or a comment; it is never ignored.
            var rest = utf8[(utf8.startIndex + used)...]
            while !rest.isEmpty {
                let (next, used) = try prepare(rest, 0, on: handle)
                guard next == nil else {
                    throw SQLiteError.misuse(
                        "the SQL contains more than one statement", sql: String(decoding: utf8, as: UTF8.self))
                }
                rest = rest.dropFirst(max(used, 1))
            }
            return statement
        }
    }

    /// `nil` if the text is blank or a comment; and the number of bytes of the statement.
    private func prepare(
        _ utf8: Slice<UnsafeBufferPointer<UInt8>>, _ flags: UInt32, on handle: OpaquePointer
    ) throws -> (Statement?, used: Int) {
        let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: utf8))
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return (nil, 0) }
        guard let length = Int32(exactly: bytes.count) else {
            throw SQLiteError(extendedCode: SQLITE_TOOBIG, message: "the SQL is too long")
        }
        var prepared: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        var code = sqlite3_prepare_v3(handle, start, length, flags, &prepared, &tail)
        if code != SQLITE_OK, SchemaFunctions.define(afterFailureOn: handle) {
            code = sqlite3_prepare_v3(handle, start, length, flags, &prepared, &tail)
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, on: handle, sql: String(decoding: bytes, as: UTF8.self))
        }
        return (prepared.map { Statement(owning: $0) }, used: tail.map { $0 - start } ?? bytes.count)
    }

    /// SQLite would silently ignore the text after the first NUL character.
    private func requireNoNUL(in sql: String) throws {
        guard !sql.utf8.contains(0) else { throw SQLiteError.misuse("the SQL contains a NUL character", sql: sql) }
    }

    private func isPragma(_ sql: String) -> Bool {
        // Letters and their capitals differ in one bit.
        let first = sql.utf8.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }.prefix(6)
        return first.map { $0 | 0x20 } == Array("pragma".utf8)
    }
}

// MARK: - Single values

extension Connection {
    /// `nil` if there is no row or the value is NULL.
    package func scalarInt64(_ sql: String, _ bind: (Statement) throws -> Void = { _ in }) throws -> Int64? {
        try scalar(sql, bind) { $0.int64(0) }
    }

    /// `nil` if there is no row or the value is NULL.
    package func scalarText(_ sql: String, _ bind: (Statement) throws -> Void = { _ in }) throws -> String? {
        try scalar(sql, bind) { $0.text(0) }
    }

    private func scalar<T>(
        _ sql: String, _ bind: (Statement) throws -> Void, _ read: (Statement) -> T
    ) throws -> T? {
        let statement = try cached(sql)
        defer { statement.reset() }
        try bind(statement)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return read(statement)
    }
}
