import ChronicleCore
import ChronicleSQLite
import Foundation

/// The rows of one transaction, collected until its header tells what it is. Used again for the next one.
struct ChangeBuffer {
    /// A change as its row says it.
    struct Row {
        let position: Int64
        let key: Int64
        let entity: Int
        let operation: RecordedTable.Operation
        /// Of an update, the mask of the attributes 0...61; of a delete, how many values it kept.
        var detail: Int64
        /// The place of an update's other masks or of a delete's first value, or -1.
        var place: Int
    }

    private(set) var rows: [Row] = []
    /// The masks of attributes from 62 on, as text.
    private(set) var masks: [String] = []
    /// The values that deletes kept, by the attribute's number.
    private(set) var kept: [(number: Int64, value: PropertyValue)] = []
    /// The first and last position, of changes and of what belongs to them.
    private(set) var positions: ClosedRange<Int64>?
    private var newest: Int64 = 0
    private var oldest: Int64 = 0

    var isEmpty: Bool { oldest == 0 }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        masks.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
    }
}
