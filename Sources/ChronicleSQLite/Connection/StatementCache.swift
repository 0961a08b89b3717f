/// Caches statements by SQL. The least recently used one is removed if the capacity is exceeded.
struct StatementCache {
    private struct Entry {
        let sql: String
        var statement: Statement
        var lastUse: UInt64
    }

    private let capacity: Int
    /// The statements by the length of the SQL, modulo ``bucketCount``. Usually the string is identical to the cached one,
    /// which a comparison detects immediately, whereas hashing would read the whole text.
    private var buckets = Array(repeating: [Entry](), count: bucketCount)
    private var count = 0
    private var clock: UInt64 = 0

    /// A power of two.
    private static let bucketCount = 256

    init(capacity: Int) {
        self.capacity = capacity
    }

    enum Lookup {
        case free(Statement)
        case inUse
        case unknown
    }

    private static func bucket(_ sql: String) -> Int { sql.utf8.count & (bucketCount - 1) }

    mutating func lookUp(_ sql: String) -> Lookup {
        let bucket = Self.bucket(sql)
        guard let index = buckets[bucket].firstIndex(where: { $0.sql == sql }) else { return .unknown }
        clock += 1
        buckets[bucket][index].lastUse = clock
        guard isKnownUniquelyReferenced(&buckets[bucket][index].statement) else { return .inUse }
        return .free(buckets[bucket][index].statement)
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        if count >= capacity { removeOldest() }
        clock += 1
        count += 1
        buckets[Self.bucket(sql)].append(Entry(sql: sql, statement: statement, lastUse: clock))
    }

    /// Only runs with a prepare, which costs more than a linear search.
    private mutating func removeOldest() {
        var oldest: (bucket: Int, index: Int, lastUse: UInt64)?
        for bucket in buckets.indices {
            for (index, entry) in buckets[bucket].enumerated() where entry.lastUse < oldest?.lastUse ?? .max {
                oldest = (bucket, index, entry.lastUse)
            }
        }
        guard let oldest else { return }
        buckets[oldest.bucket].remove(at: oldest.index)
        count -= 1
    }

    mutating func removeAll() {
        for bucket in buckets.indices { buckets[bucket] = [] }
        count = 0
    }
}
