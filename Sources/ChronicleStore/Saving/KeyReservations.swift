import ChronicleCore
import ChronicleSQLite

/// The primary keys that a store has reserved in its tables for the next inserts. AUTOINCREMENT writes the highest key to
/// `sqlite_sequence` with every insert, which is one more page in every commit. A store that saves one row after another
/// therefore raises the sequence by many keys at once, and inserts rows with these. It gives them up as soon as the history
/// shows another writer. Keys are never used twice and ascend in the order of the commits; left over keys are never used.
/// https://www.sqlite.org/autoinc.html
struct KeyReservations {
    /// The reservations by the numbers of the tables.
    private var tables: [Int64: Reservation] = [:]
    /// The newest position after the latest save.
    private var position: Int64 = 0
    private var save = 0
    /// A rollback gives up the keys that this save has reserved.
    private var hasReserved = false

    private struct Reservation {
        private var next: Int64
        private var last: Int64
        /// The number of saves in succession that inserted single rows without a reservation.
        let saves: Int
        private var latestSave = -1
        private var first: Int64 = 0

        init(next: Int64 = 1, last: Int64 = 0, saves: Int = 0) {
            (self.next, self.last, self.saves) = (next, last, saves)
        }

        /// `nil` if too few keys are left.
        mutating func keys(_ count: Int, in save: Int) -> Int64? {
            guard last - next + 1 >= Int64(count) else { return nil }
            if latestSave != save { (latestSave, first) = (save, next) }
            defer { next += Int64(count) }
            return next
        }

        mutating func rollBack(_ save: Int) {
            if latestSave == save { next = first }
        }
    }

    private static let size: Int64 = 1_000
    private static let savesBeforeReserving = 16

    /// Moves the reservations to a save that begins at a position: none if another writer has written since the latest
    /// save. A copy would take longer than the row of a small save.
    mutating func take(at first: Int64) -> KeyReservations {
        guard first == position + 1 else { return KeyReservations() }
        defer { self = KeyReservations() }
        return self
    }

    func rolledBack() -> KeyReservations {
        if hasReserved { return KeyReservations() }
        var copy = self
        for table in tables.keys { copy.tables[table]?.rollBack(save) }
        return copy
    }

    mutating func end(at position: Int64) {
        self.position = position
        save += 1
        hasReserved = false
    }

    /// `nil` if SQLite chooses the keys of this save. The caller inserts rows with all of the keys.
    mutating func keys(_ count: Int, in table: EntityTable, _ connection: Connection) throws -> Int64? {
        if let key = tables[table.tableNumber, default: Reservation()].keys(count, in: save) { return key }
        return try reserve(count, in: table, connection)
    }

    private mutating func reserve(_ count: Int, in table: EntityTable, _ connection: Connection) throws -> Int64? {
        let saves = (tables[table.tableNumber]?.saves ?? 0) + 1
        tables[table.tableNumber] = Reservation(saves: saves)
        guard saves > Self.savesBeforeReserving else { return nil }
        let highest = try connection.highestKey(of: table)
        let (last, overflows) = highest.addingReportingOverflow(max(Self.size, Int64(count)))
        guard !overflows else { return nil }
        let statement = try connection.cached("UPDATE sqlite_sequence SET seq = ? WHERE name = ?")
        try statement.bind(last, at: 1)
        try statement.bind(table.name, at: 2)
        try statement.run()
        hasReserved = true
        tables[table.tableNumber] = Reservation(next: highest + 1, last: last, saves: saves)
        return tables[table.tableNumber]?.keys(count, in: save)
    }

    /// SQLite chooses higher keys for the rows of this save.
    mutating func remove(_ table: EntityTable) { tables[table.tableNumber] = nil }
}

extension Connection {
    /// 0 if the table never contained a row.
    func highestKey(of table: EntityTable) throws -> Int64 {
        try scalarInt64(table.highestKey) { try $0.bind(table.name, at: 1) } ?? 0
    }
}
