import ChronicleCSQLite

/// Rows that Swift code computes while a query reads them.
package protocol ComputedRows: AnyObject {
    /// Moves to the next row, or to the first one. Returns `false` after the last row.
    func next() throws -> Bool

    /// Sets the result to the value of a column in the current row. Throwing an error ends the query.
    func value(_ column: Int, _ result: borrowing ComputedValue) throws
}

/// A table of computed rows for one query of a connection, which reads it once from the first row on: an eponymous virtual
/// table without indexes. https://www.sqlite.org/vtab.html#eponymous_only_virtual_tables
package final class ComputedTable {
    /// Needs no quotes. Queries qualify it with `temp`: otherwise, a table of the file with this name would hide it.
    package let name: String
    fileprivate let declaration: String
    fileprivate let rows: () throws -> any ComputedRows
    /// The error that ended the query.
    fileprivate var error: (any Error)?

    /// - Parameters:
    ///   - columns: The quoted names, each with its type, which determines the affinity.
    ///   - rows: Returns the rows before the first one.
    package init(_ name: String, columns: [String], rows: @escaping () throws -> any ComputedRows) {
        self.name = name
        declaration = "CREATE TABLE x(\(columns.joined(separator: ", ")))"
        self.rows = rows
    }

    /// Keeps the error, because SQLite passes only a message on.
    fileprivate func attempt(_ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SQLITE_OK
        } catch {
            self.error = error
            return SQLITE_ERROR
        }
    }
}

extension Connection {
    /// Calls a closure that runs one query with a table, and throws the error of the rows if they throw one. The statement
    /// must be released when the closure returns.
    package func withTable<Result>(_ table: ComputedTable, _ body: () throws -> Result) throws -> Result {
        let handle = try openHandle()
        let code = sqlite3_create_module_v2(
            handle, table.name, module, Unmanaged.passRetained(table).toOpaque(),
            { data in
                guard let data else { return }
                Unmanaged<ComputedTable>.fromOpaque(data).release()
            })
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
        // A module without functions removes the other one. https://www.sqlite.org/c3ref/create_module.html
        defer { _ = sqlite3_create_module_v2(handle, table.name, nil, nil, nil) }
        do { return try body() } catch { throw table.error ?? error }
    }
}

/// The value of a column that a query reads.
package struct ComputedValue: ~Copyable {
    fileprivate let context: OpaquePointer

    package func setNull() { sqlite3_result_null(context) }
    package func set(_ value: Int64) { sqlite3_result_int64(context, value) }
    /// NaN becomes NULL.
    package func set(_ value: Double) { sqlite3_result_double(context, value) }

    package func set(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            let size = sqlite3_uint64(utf8.count)
            guard let start = utf8.baseAddress else { return sqlite3_result_text(context, "", 0, nil) }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                sqlite3_result_text64(context, $0, size, chronicle_sqlite_transient(), UInt8(SQLITE_UTF8))
            }
        }
    }

    package func set(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
        sqlite3_result_blob64(context, start, sqlite3_uint64(bytes.count), chronicle_sqlite_transient())
    }
}

private final class ComputedCursor {
    let table: ComputedTable
    var rows: (any ComputedRows)?
    var isAtEnd = true
    var row: Int64 = 0

    init(_ table: ComputedTable) { self.table = table }

    func next() -> Int32 {
        table.attempt {
            isAtEnd = try rows?.next() != true
            row &+= 1
        }
    }
}

private func table(_ base: UnsafeMutablePointer<sqlite3_vtab>?) -> ComputedTable? {
    guard let base else { return nil }
    let data = UnsafeMutableRawPointer(base).assumingMemoryBound(to: chronicle_sqlite_table.self).pointee.data
    return data.map { Unmanaged<ComputedTable>.fromOpaque($0).takeUnretainedValue() }
}

private func cursor(_ base: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> ComputedCursor? {
    guard let base else { return nil }
    let data = UnsafeMutableRawPointer(base).assumingMemoryBound(to: chronicle_sqlite_cursor.self).pointee.data
    return data.map { Unmanaged<ComputedCursor>.fromOpaque($0).takeUnretainedValue() }
}

/// The functions of all computed tables, which are not changed after this.
nonisolated(unsafe) private let module: UnsafeMutablePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    // Without xCreate, the table exists in every schema and needs no CREATE VIRTUAL TABLE.
    module.pointee.xConnect = { handle, data, _, _, result, _ in
        guard let data, let result else { return SQLITE_MISUSE }
        let table = Unmanaged<ComputedTable>.fromOpaque(data).takeUnretainedValue()
        let code = sqlite3_declare_vtab(handle, table.declaration)
        guard code == SQLITE_OK else { return code }
        let made = UnsafeMutablePointer<chronicle_sqlite_table>.allocate(capacity: 1)
        made.initialize(to: chronicle_sqlite_table())
        made.pointee.data = Unmanaged.passRetained(table).toOpaque()
        result.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }
    module.pointee.xDisconnect = { base in
        guard let base else { return SQLITE_OK }
        let made = UnsafeMutableRawPointer(base).assumingMemoryBound(to: chronicle_sqlite_table.self)
        if let data = made.pointee.data { Unmanaged<ComputedTable>.fromOpaque(data).release() }
        made.deallocate()
        return SQLITE_OK
    }
    module.pointee.xBestIndex = { _, info in
        // More than any table, so that SQLite reads it in the outer loop.
        info?.pointee.estimatedCost = 1e12
        info?.pointee.estimatedRows = 1_000_000
        return SQLITE_OK
    }
    module.pointee.xOpen = { base, result in
        guard let table = table(base), let result else { return SQLITE_MISUSE }
        let made = UnsafeMutablePointer<chronicle_sqlite_cursor>.allocate(capacity: 1)
        made.initialize(to: chronicle_sqlite_cursor())
        made.pointee.data = Unmanaged.passRetained(ComputedCursor(table)).toOpaque()
        result.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.pointee.xClose = { base in
        guard let base else { return SQLITE_OK }
        let made = UnsafeMutableRawPointer(base).assumingMemoryBound(to: chronicle_sqlite_cursor.self)
        if let data = made.pointee.data { Unmanaged<ComputedCursor>.fromOpaque(data).release() }
        made.deallocate()
        return SQLITE_OK
    }
    module.pointee.xFilter = { base, _, _, _, _ in
        guard let cursor = cursor(base) else { return SQLITE_MISUSE }
        let code = cursor.table.attempt { cursor.rows = try cursor.table.rows() }
        return code == SQLITE_OK ? cursor.next() : code
    }
    module.pointee.xNext = { cursor($0)?.next() ?? SQLITE_MISUSE }
    module.pointee.xEof = { cursor($0)?.isAtEnd == false ? 0 : 1 }
    module.pointee.xColumn = { base, context, column in
        guard let cursor = cursor(base), let rows = cursor.rows, let context else { return SQLITE_MISUSE }
        return cursor.table.attempt { try rows.value(Int(column), ComputedValue(context: context)) }
    }
    module.pointee.xRowid = { base, result in
        result?.pointee = cursor(base)?.row ?? 0
        return SQLITE_OK
    }
    return module
}()
