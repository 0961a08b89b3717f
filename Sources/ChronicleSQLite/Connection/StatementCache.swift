/// Prepared statements by their SQL, at most `capacity` of them; the one longest unused makes room.
struct StatementCache {
    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
    }

    /// SQL that is looked up with every use of its statement: nearly always the very string that is in the cache, which
    /// comparing finds out at once. Its length tells most statements apart; a real hash would read all of the text.
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

    /// What the cache has to say about some SQL.
    enum Answer {
        /// Nobody else refers to this statement.
        case free(Statement)
        /// It is here, and someone still holds it.
        case taken
        case unknown
    }

    mutating func look(up sql: String) -> Answer {
        guard let index = entries.index(forKey: Key(sql: sql)) else { return .unknown }
        clock += 1
        entries.values[index].lastUse = clock
        guard isKnownUniquelyReferenced(&entries.values[index].statement) else { return .taken }
        return .free(entries.values[index].statement)
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        // A linear search for the oldest: it only runs beside a prepare, which costs more.
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
