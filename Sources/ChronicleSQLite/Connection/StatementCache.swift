/// A cache of prepared statements by their SQL. The least recently used statement is removed if the capacity is
/// exceeded.
struct StatementCache {
    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
    }

    /// The SQL of a statement. Usually the string is identical to the cached one, which a comparison detects
    /// immediately. The hash value uses only the length, because hashing would read the whole text.
    private struct Key: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The result of a lookup.
    enum Lookup {
        /// The statement is cached and has no other references.
        case free(Statement)
        /// The statement is cached but in use.
        case inUse
        /// The statement is not cached.
        case unknown
    }

    mutating func lookUp(_ sql: String) -> Lookup {
        guard let index = entries.index(forKey: Key(sql: sql)) else { return .unknown }
        clock += 1
        entries.values[index].lastUse = clock
        guard isKnownUniquelyReferenced(&entries.values[index].statement) else { return .inUse }
        return .free(entries.values[index].statement)
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        // A linear search is sufficient, because it only runs with a prepare, which costs more.
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        clock += 1
        entries[Key(sql: sql)] = Entry(statement: statement, lastUse: clock)
    }

    mutating func removeAll() {
        entries = [:]
    }
}
