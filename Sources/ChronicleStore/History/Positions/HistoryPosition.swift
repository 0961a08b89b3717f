import ChronicleCore
import ChronicleSQLite

/// A position in the commit order: the id of a row of `chronicle_change`.
///
/// A file from another source may contain any numbers. Positions from ``Statement/position(_:)`` are far from the
/// limits of `Int64`, so that adding and subtracting cannot overflow.
enum HistoryPosition {
    /// The valid positions. A store that records a million changes per second reaches the last one after 146,000 years.
    @inline(__always)
    static var valid: ClosedRange<Int64> { 1...0x4000_0000_0000_0000 }

    /// Returns the range of positions between two rows.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if the second row is before the first.
    static func range(from first: Int64, through last: Int64) throws -> ClosedRange<Int64> {
        guard first <= last else { throw SwiftDataError.damagedRow(.change(last), "the row is out of order") }
        return first...last
    }
}

extension Statement {
    /// Returns the position in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if it is not a valid position.
    @inline(__always)
    func position(_ column: Int32) throws -> Int64 {
        try integer(column, in: HistoryPosition.valid, of: .change(int64(column)))
    }
}
