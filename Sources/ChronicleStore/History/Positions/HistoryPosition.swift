import ChronicleCore
import ChronicleSQLite

/// A position in the commit order: the id of a row of `chronicle_change`. A file from another source may contain any
/// numbers; those from ``Statement/position(_:)`` are far from the limits of `Int64`, so that adding and subtracting cannot
/// overflow.
enum HistoryPosition {
    /// The valid positions. A store that records a million changes per second reaches the last one after 146,000 years.
    @inline(__always)
    static var valid: ClosedRange<Int64> { 1...0x4000_0000_0000_0000 }

    static func range(from first: Int64, through last: Int64) throws -> ClosedRange<Int64> {
        guard first <= last else { throw SwiftDataError.damagedRow(.change(last), "the row is out of order") }
        return first...last
    }
}

extension Statement {
    @inline(__always)
    func position(_ column: Int32) throws -> Int64 {
        try integer(column, in: HistoryPosition.valid, of: .change(int64(column)))
    }
}
