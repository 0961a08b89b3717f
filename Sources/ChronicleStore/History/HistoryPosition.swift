import ChronicleCore
import ChronicleSQLite

/// A place in the commit order: the id of a row of `chronicle_change`.
///
/// A file from elsewhere can have any numbers there. Those that pass ``Statement/position(_:)`` are far from the ends of
/// `Int64`, so that their neighbors and distances need no look at overflows.
enum HistoryPosition {
    /// The positions that a store can reach: at a million changes a second, the last one after 146,000 years.
    @inline(__always)
    static var valid: ClosedRange<Int64> { 1...0x4000_0000_0000_0000 }

    /// The positions from one row to another that comes after it or is the same.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` when the second comes before the first.
    static func range(from first: Int64, through last: Int64) throws -> ClosedRange<Int64> {
        guard first <= last else { throw SwiftDataError.damagedRow(.change(last), "the row is out of order") }
        return first...last
    }
}

extension Statement {
    /// The position in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for one that no store reaches.
    @inline(__always)
    func position(_ column: Int32) throws -> Int64 {
        try integer(column, in: HistoryPosition.valid, of: .change(int64(column)))
    }
}
