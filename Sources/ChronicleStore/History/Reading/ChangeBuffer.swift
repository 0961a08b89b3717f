import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// The rows of one transaction until its header is read. The buffer is reused for the next one.
struct ChangeBuffer {
    struct Row {
        let position: Int64
        let entity: Int64
        let key: Int64
        /// The changed attributes, for an update of an entity with a single mask.
        var mask: Int64 = 0
        /// The index in ``ChangeBuffer/masks`` for other updates, and otherwise -1.
        var masks: Int32 = -1
        var firstValue: Int32 = 0
        var valueCount: Int32 = 0
        let operation: ChangeTable.Operation
    }

    private(set) var rows: [Row] = []
    /// The masks of updates of entities with several masks.
    private(set) var masks: [AttributeMasks] = []
    /// The preserved values.
    private(set) var values: [PastValue] = []
    /// The positions of the first and last collected rows; 0 if there are none.
    private(set) var first: Int64 = 0
    private(set) var last: Int64 = 0

    var isEmpty: Bool { first == 0 }
    /// Includes the rows of preserved values.
    var rowCount: Int { isEmpty ? 0 : Int(last - first) + 1 }

    /// Returns the preserved values of a row.
    func values(of row: Row) -> ArraySlice<PastValue> {
        values[Int(row.firstValue)..<Int(row.firstValue + row.valueCount)]
    }

    /// Whether no value of an insert or a delete was too large to be preserved, in a file that preserves all values.
    func hasAllValues(_ index: Int) -> Bool {
        let end = index + 1 < rows.count ? rows[index + 1].position : last + 1
        return end - rows[index].position == Int64(rows[index].valueCount)
    }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        masks.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        (first, last) = (0, 0)
    }

    /// Throws ``SwiftDataError/damagedFile`` if no recorder writes such a row, or if it does not directly follow the
    /// previous one.
    mutating func append(_ statement: Statement, position: Int64, kind: ChangeTable.Kind) throws {
        if first == 0 {
            first = try statement.position(ChangeTable.Column.id)
        } else if position != last &+ 1 {
            throw damaged("previous changes are missing", position)
        }
        last = position
        guard let operation = kind.operation else { throw damaged("the kind of the row is unknown", position) }
        let key = try statement.integer(ChangeTable.Column.primaryKey, of: .change(position))
        switch operation {
        case .insert, .delete:
            rows.append(
                Row(
                    position: position, entity: kind.entity, key: key, firstValue: Int32(values.count),
                    operation: operation))
            if !statement.isNull(ChangeTable.Column.attributes) { try appendValue(statement, position) }
        case .update:
            var row = Row(
                position: position, entity: kind.entity, key: key, firstValue: Int32(values.count),
                operation: operation)
            if statement.isInteger(ChangeTable.Column.attributes) {
                row.mask = statement.int64(ChangeTable.Column.attributes)
            } else {
                row.masks = Int32(masks.count)
                masks.append(try statement.masks(ChangeTable.Column.attributes, at: position))
            }
            rows.append(row)
        case .preservedValue:
            guard let change = rows.last, change.entity == kind.entity, change.key == key else {
                throw damaged("a preserved value without a change", position)
            }
            if !statement.isNull(ChangeTable.Column.attributes) { try appendValue(statement, position) }
        }
    }

    private mutating func appendValue(_ statement: Statement, _ position: Int64) throws {
        let attribute = try statement.integer(ChangeTable.Column.attributes, of: .change(position))
        values.append(
            PastValue(
                attribute: attribute, old: statement.plainValue(ChangeTable.Column.oldValue),
                new: statement.plainValue(ChangeTable.Column.newValue)))
        rows[rows.count - 1].valueCount += 1
    }

    private func damaged(_ detail: String, _ position: Int64) -> SwiftDataError {
        .damagedRow(.change(position), detail)
    }
}

extension Statement {
    func plainValue(_ index: Int32) -> PropertyValue {
        switch storageClass(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .real: .real(double(index))
        case .text: .text(text(index))
        case .blob: .blob(withBlob(index) { Data($0) })
        }
    }
}
