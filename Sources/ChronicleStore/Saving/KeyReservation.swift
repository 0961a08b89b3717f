import ChronicleCore
import ChronicleSQLite

/// The primary keys that a store has reserved in a table for its next inserts.
///
/// AUTOINCREMENT writes the highest key to `sqlite_sequence` with every insert, which is one more page in every commit. A
/// store that saves one row after another therefore raises the sequence by many keys at once, and inserts rows with these
/// keys. A reservation is valid as long as the sequence has the value that the store wrote. Keys are therefore never used
/// twice and ascend in the order of the commits, also with other writers. Keys that are left over are never used.
/// https://www.sqlite.org/autoinc.html
struct KeyReservation {
    private static let size: Int64 = 1_000
    /// The number of saves in succession, without inserts by other writers, after which keys are reserved.
    private static let savesBeforeReserving = 16

    private var next: Int64 = 1
    private var last: Int64 = 0
    /// The value in `sqlite_sequence` after the latest save.
    private var sequence: Int64?
    private var saves = 0

    /// Returns the first of several reserved keys, or `nil` if SQLite chooses the keys of this save.
    ///
    /// The caller inserts rows with all of them.
    mutating func keys(_ count: Int, in table: EntityTable, _ connection: Connection) throws -> Int64? {
        let current = try connection.scalarInt64("SELECT seq FROM sqlite_sequence WHERE name = ?") {
            try $0.bind(table.entity.name, at: 1)
        }
        guard let current, current == sequence else {
            // Another writer has inserted rows, or this is the first save.
            self = KeyReservation()
            return nil
        }
        if last - next + 1 < Int64(count) {
            saves += 1
            guard saves >= Self.savesBeforeReserving, try reserve(count, in: table, connection) else { return nil }
        }
        defer { next += Int64(count) }
        return next
    }

    /// Raises the sequence.
    ///
    /// - Returns: `false` if there are not enough keys left.
    private mutating func reserve(_ count: Int, in table: EntityTable, _ connection: Connection) throws -> Bool {
        let highest = try connection.highestKey(of: table)
        let (end, overflows) = highest.addingReportingOverflow(max(Self.size, Int64(count)))
        guard !overflows else { return false }
        let statement = try connection.cached("UPDATE sqlite_sequence SET seq = ? WHERE name = ?")
        try statement.bind(end, at: 1)
        try statement.bind(table.entity.name, at: 2)
        try statement.run()
        (next, last, sequence) = (highest + 1, end, end)
        return true
    }

    /// Records the key that SQLite chose for the last row of a save.
    mutating func didInsert(_ key: Int64) {
        sequence = key
    }
}

extension Connection {
    /// Returns the highest key that the table ever contained; 0 for none.
    func highestKey(of table: EntityTable) throws -> Int64 {
        try scalarInt64(table.highestKey) { try $0.bind(table.entity.name, at: 1) } ?? 0
    }
}
