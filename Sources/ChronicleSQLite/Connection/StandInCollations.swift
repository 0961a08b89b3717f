import ChronicleCSQLite

extension Connection {
    /// Compares texts byte by byte in an unknown collation instead of failing. That is not the order of the indexes with
    /// the collation, so it must not be used to write them, nor to find rows with them. It allows reading tables whose
    /// indexes have a collation of another program. <https://www.sqlite.org/c3ref/collation_needed.html>
    func allowUnknownCollations(_ handle: OpaquePointer) {
        _ = sqlite3_collation_needed(handle, nil) { _, handle, _, name in
            guard let handle, let name else { return }
            _ = sqlite3_create_collation_v2(
                handle, name, SQLITE_UTF8, nil,
                { _, firstCount, first, secondCount, second in
                    let texts = (
                        UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                        UnsafeRawBufferPointer(start: second, count: Int(secondCount))
                    )
                    if texts.0.lexicographicallyPrecedes(texts.1) { return -1 }
                    return texts.1.lexicographicallyPrecedes(texts.0) ? 1 : 0
                }, nil)
        }
    }
}
