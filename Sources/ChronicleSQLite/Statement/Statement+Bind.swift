import ChronicleCSQLite

// Every bind throws for an index that the statement does not have (SQLITE_RANGE), a value that exceeds SQLite's length
// limit (SQLITE_TOOBIG), and a running statement (SQLITE_MISUSE). https://www.sqlite.org/c3ref/bind_blob.html
extension Statement {
    package func bindNull(_ index: Int32) throws {
        try check(sqlite3_bind_null(handle, index))
    }

    package func bind(_ value: Int64, at index: Int32) throws {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// The type of integer literals.
    package func bind(_ value: Int, at index: Int32) throws {
        try check(sqlite3_bind_int64(handle, index, Int64(value)))
    }

    /// NaN becomes NULL, because SQLite does not support it; encode it if necessary.
    package func bind(_ value: Double, at index: Int32) throws {
        try check(sqlite3_bind_double(handle, index, value))
    }

    /// Copies the UTF-8, including NUL characters.
    package func bind(_ value: String, at index: Int32) throws {
        // Unlike `withUTF8`, this neither copies nor retains. Only strings bridged from Objective-C lack contiguous
        // UTF-8.
        if let code = value.utf8.withContiguousStorageIfAvailable({ bindText(UnsafeRawBufferPointer($0), at: index) }) {
            return try check(code)
        }
        var bridged = value
        try check(bridged.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) })
    }

    package func bind(text utf8: UnsafeRawBufferPointer, at index: Int32) throws {
        try check(bindText(utf8, at: index))
    }

    /// An empty buffer is an empty BLOB, not NULL.
    package func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) throws {
        try check(bindBlob(bytes, at: index))
    }

    private func bindText(_ utf8: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        // The 64-bit function reports a length of more than 32 bits as an error instead of truncating it.
        func bind(_ start: UnsafeRawPointer, _ lifetime: sqlite3_destructor_type?) -> Int32 {
            sqlite3_bind_text64(
                handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count), lifetime,
                UInt8(SQLITE_UTF8))
        }
        guard let start = utf8.baseAddress else {
            // A nil pointer would bind NULL, and an empty text may not have an address.
            return sqlite3_bind_text64(handle, index, "", 0, chronicle_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
        // A running statement still reads its slots; SQLite rejects binding values to it.
        guard !isBusy, let slot = slots.slot(at: index, for: utf8.count) else {
            return bind(start, chronicle_sqlite_transient())
        }
        slot.copyMemory(from: start, byteCount: utf8.count)
        return bind(slot, chronicle_sqlite_static())
    }

    private func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) -> Int32 {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            // A nil pointer would bind NULL.
            return sqlite3_bind_zeroblob(handle, index, 0)
        }
        guard !isBusy, let slot = slots.slot(at: index, for: bytes.count) else {
            return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), chronicle_sqlite_transient())
        }
        slot.copyMemory(from: start, byteCount: bytes.count)
        return sqlite3_bind_blob64(handle, index, slot, UInt64(bytes.count), chronicle_sqlite_static())
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw failure(code) }
    }
}
