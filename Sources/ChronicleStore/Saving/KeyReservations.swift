import ChronicleCore
import ChronicleSQLite

/// The primary keys that a store has reserved in its tables for the next inserts.
///
/// AUTOINCREMENT writes the highest key to `sqlite_sequence` with every insert, which is one more page in every commit. A
/// store that saves one row after another therefore raises the sequence by many keys at once, and inserts rows with these
/// keys. It gives them up as soon as the history shows that anybody else has written to the file. Keys are therefore never
/// used twice and ascend in the order of the commits, also with other writers. Keys that are left over are never used.
/// https://www.sqlite.org/autoinc.html
struct KeyReservations {
    /// The reserved keys by the numbers of the tables.
    private var tables: [Int64: Reservation] = [:]
    /// The newest position of the history after the latest save.
    private var position: Int64 = 0

    private struct Reservation {
        var next: Int64 = 1
        var last: Int64 = 0
        /// The number of saves in succession that inserted single rows without a reservation.
        var saves = 0
    }

    private static let size: Int64 = 1_000
    private static let savesBeforeReserving = 16

    /// Returns the reservations for another save: none if another writer has written since the latest save.
    ///
    /// - Parameter first: The position of the first change of the save.
    func beginning(at first: Int64) -> KeyReservations {
        first == position + 1 ? self : KeyReservations()
    }

    /// Ends a save.
    ///
    /// - Parameter position: The newest position of the history.
    mutating func end(at position: Int64) { self.position = position }

    /// Returns the first of several reserved keys, or `nil` if SQLite chooses the keys of this save.
    ///
    /// The caller inserts rows with all of them.
    mutating func keys(_ count: Int, in table: EntityTable, _ connection: Connection) throws -> Int64? {
        var reservation = tables[table.tableNumber] ?? Reservation()
        defer { tables[table.tableNumber] = reservation }
        if reservation.last - reservation.next + 1 < Int64(count) {
            reservation.saves += 1
            guard reservation.saves > Self.savesBeforeReserving else { return nil }
            let highest = try connection.highestKey(of: table)
            let (last, overflows) = highest.addingReportingOverflow(max(Self.size, Int64(count)))
            guard !overflows else {
                reservation = Reservation()
                return nil
            }
            let statement = try connection.cached("UPDATE sqlite_sequence SET seq = ? WHERE name = ?")
            try statement.bind(last, at: 1)
            try statement.bind(table.name, at: 2)
            try statement.run()
            (reservation.next, reservation.last) = (highest + 1, last)
        }
        defer { reservation.next += Int64(count) }
        return reservation.next
    }

    /// Gives up the keys of a table, because SQLite chooses higher keys for the rows of this save.
    mutating func remove(_ table: EntityTable) { tables[table.tableNumber] = nil }
}

extension Connection {
    /// Returns the highest key that the table ever contained; 0 for none.
    func highestKey(of table: EntityTable) throws -> Int64 {
        try scalarInt64(table.highestKey) { try $0.bind(table.name, at: 1) } ?? 0
    }
}
