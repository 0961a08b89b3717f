import ChronicleCSQLite

extension Connection {
    /// Runs one statement or many, and ignores any rows. What ran before a failing one stays, unless a transaction
    /// around them is rolled back.
    package func execute(_ sql: String) throws {
        let handle = try openHandle()
        try requireNoNUL(in: sql)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle, sql: sql) }
    }

    /// Prepares exactly one statement, for the caller to keep.
    package func prepare(_ sql: String) throws -> Statement {
        try prepare(sql, flags: 0)
    }

    /// The statement for `sql` from the connection's cache, reset and with all parameters NULL.
    ///
    /// While someone holds it, the next caller gets one of its own, so that a loop over rows may use the same SQL
    /// inside. Let go of it, or reset it, when the rows are done.
    package func cached(_ sql: String) throws -> Statement {
        switch statements.look(up: sql) {
        case .free(let statement):
            statement.reset()
            statement.clearBindings()
            return statement
        case .taken:
            return try prepare(sql)
        case .unknown:
            // The hint keeps long-lived statements out of the small, fast lookaside memory.
            // https://www.sqlite.org/c3ref/c_prepare_persistent.html
            let statement = try prepare(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
            // Some pragmas do their work, or read their answer, while they are being prepared: a second run would
            // repeat the old answer. https://www.sqlite.org/pragma.html
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
                throw SQLiteError.misuse("there is no statement in the SQL", sql: String(decoding: utf8, as: UTF8.self))
            }
            // SQLite stops after the first statement; the rest must be blank or comment, never silently left out.
            var rest = utf8[(utf8.startIndex + used)...]
            while !rest.isEmpty {
                let (next, used) = try prepare(rest, 0, on: handle)
                guard next == nil else {
                    throw SQLiteError.misuse(
                        "there is more than one statement in the SQL", sql: String(decoding: utf8, as: UTF8.self))
                }
                rest = rest.dropFirst(max(used, 1))
            }
            return statement
        }
    }

    /// The first statement in `utf8`, nil if that is blank or a comment, and how many bytes it took.
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
        let code = sqlite3_prepare_v3(handle, start, length, flags, &prepared, &tail)
        guard code == SQLITE_OK else {
            throw SQLiteError(code: code, on: handle, sql: String(decoding: bytes, as: UTF8.self))
        }
        return (prepared.map { Statement(owning: $0) }, used: tail.map { $0 - start } ?? bytes.count)
    }

    /// SQLite would take the text up to the first NUL, and leave the rest out without a word.
    private func requireNoNUL(in sql: String) throws {
        guard !sql.utf8.contains(0) else { throw SQLiteError.misuse("there is a NUL character in the SQL", sql: sql) }
    }

    private func isPragma(_ sql: String) -> Bool {
        // The letters differ from their capitals in one bit.
        let first = sql.utf8.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }.prefix(6)
        return first.map { $0 | 0x20 } == Array("pragma".utf8)
    }
}

// MARK: - One value

extension Connection {
    /// The first column of the first row as an integer; nil when there is no row or the value is NULL.
    ///
    ///     let count = try connection.scalarInt64("SELECT count(*) FROM trip WHERE name = ?1") { try $0.bind(name, at: 1) }
    package func scalarInt64(_ sql: String, _ bind: (Statement) throws -> Void = { _ in }) throws -> Int64? {
        try scalar(sql, bind) { $0.int64(0) }
    }

    /// The first column of the first row as text; nil when there is no row or the value is NULL.
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
