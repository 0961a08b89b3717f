import ChronicleCSQLite

/// A set of row identifiers that statements test with a function, in about a third of the time of looking them up in a
/// table.
package final class SQLRowSet: @unchecked Sendable {
    // Only the thread that uses the connection reads and changes the set, and accesses never overlap, so the checks are
    // disabled.

    package let name: String
    private var count = 0
    /// A hash table with linear probing. Its size is a power of two, and at most half of it is used.
    @exclusivity(unchecked) private var slots: [Int64] = Array(repeating: empty, count: 64)
    /// A bit for each remainder of an identifier. Most identifiers outside the set have the remainder of none, and a scan
    /// of a table reads the bits in order.
    @exclusivity(unchecked) private var remainders: [UInt64] = Array(repeating: 0, count: 32)
    private var containsEmpty = false
    /// The identifiers that were inserted since ``mark()``.
    private var inserted: [Int64] = []

    /// An unused slot. The identifier of this value is not part of the table.
    private static let empty = Int64.min

    /// - Parameter name: Needs no quotes.
    package init(_ name: String) { self.name = name }

    package func contains(_ key: Int64) -> Bool {
        let (word, bit) = remainder(of: key)
        guard remainders[word] & bit != 0 else { return false }
        if key == Self.empty { return containsEmpty }
        return slots[slot(of: key)] == key
    }

    package func insert(_ key: Int64) {
        guard !contains(key) else { return }
        inserted.append(key)
        add(key)
    }

    /// Begins a transaction, of which ``rollBack()`` removes the identifiers.
    package func mark() { inserted.removeAll() }

    package func rollBack() {
        guard !inserted.isEmpty else { return }
        let removed = Set(inserted)
        let kept = slots.filter { $0 != Self.empty && !removed.contains($0) }
        if removed.contains(Self.empty) { containsEmpty = false }
        inserted.removeAll()
        (slots, count) = (Array(repeating: Self.empty, count: slots.count), 0)
        remainders = Array(repeating: 0, count: remainders.count)
        if containsEmpty { insertRemainder(of: Self.empty) }
        for key in kept { add(key) }
    }

    private func add(_ key: Int64) {
        guard key != Self.empty else {
            insertRemainder(of: key)
            containsEmpty = true
            return
        }
        if count * 2 >= slots.count {
            let kept = slots.filter { $0 != Self.empty }
            slots = Array(repeating: Self.empty, count: slots.count * 2)
            remainders = Array(repeating: 0, count: slots.count / 2)
            for key in kept {
                slots[slot(of: key)] = key
                insertRemainder(of: key)
            }
            if containsEmpty { insertRemainder(of: Self.empty) }
        }
        slots[slot(of: key)] = key
        insertRemainder(of: key)
        count += 1
    }

    private func remainder(of key: Int64) -> (word: Int, bit: UInt64) {
        let number = Int(truncatingIfNeeded: key) & (remainders.count &* 64 &- 1)
        return (number >> 6, 1 << UInt64(number & 63))
    }

    private func insertRemainder(of key: Int64) {
        let (word, bit) = remainder(of: key)
        remainders[word] |= bit
    }

    /// Returns the slot that contains the key, or the empty one for it.
    private func slot(of key: Int64) -> Int {
        let mask = slots.count - 1
        // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
        var index = Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[index] != key, slots[index] != Self.empty { index = (index + 1) & mask }
        return index
    }
}

extension Connection {
    package func define(_ set: SQLRowSet) throws {
        let handle = try openHandle()
        // Not SQLITE_DETERMINISTIC: the set changes.
        let code = sqlite3_create_function_v2(
            handle, set.name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, Unmanaged.passRetained(set).toOpaque(),
            { call, _, arguments in
                guard let call, let arguments, let data = sqlite3_user_data(call) else { return }
                let set = Unmanaged<SQLRowSet>.fromOpaque(data).takeUnretainedValue()
                sqlite3_result_int(call, set.contains(sqlite3_value_int64(arguments[0])) ? 1 : 0)
            }, nil, nil,
            { data in
                guard let data else { return }
                Unmanaged<SQLRowSet>.fromOpaque(data).release()
            })
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }

    /// Throws an error if a statement is running or the connection is closed.
    package func remove(_ set: SQLRowSet) throws {
        let handle = try openHandle()
        let code = sqlite3_create_function_v2(handle, set.name, 1, SQLITE_UTF8, nil, nil, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code: code, on: handle) }
    }
}
