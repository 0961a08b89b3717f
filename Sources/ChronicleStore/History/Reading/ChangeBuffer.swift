import ChronicleCore
import ChronicleSQLite
import Foundation

/// The rows of one transaction, collected until its header is read. The buffer is reused for the next transaction.
struct ChangeBuffer {
    /// A change as stored in its row.
    struct Row {
        let position: Int64
        let entity: Int64
        let operation: RecordedTable.Operation
        let key: Int64
        /// For updates, the mask of the attributes 0...61; for deletes, the number of preserved values.
        var detail: Int64
        /// The index of an update's further masks in ``masks``, or of a delete's first value in ``kept``; -1 if there
        /// is none.
        var place: Int
    }

    /// The preserved value of an attribute of a deleted model.
    struct PreservedValue {
        /// The number of the attribute.
        let attribute: Int64
        /// The value as SQLite stores it.
        let value: PropertyValue
    }

    private(set) var rows: [Row] = []
    /// The masks of the attributes from 62 on.
    private(set) var masks: [String] = []
    /// The preserved values of deletes.
    private(set) var kept: [PreservedValue] = []
    /// The positions of the first and last collected rows; 0 if there are none.
    private(set) var first: Int64 = 0
    private(set) var last: Int64 = 0

    var isEmpty: Bool { first == 0 }

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        masks.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
        (first, last) = (0, 0)
    }

    /// Appends the current row of a statement on `id, what, key, detail, more`.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` if no trigger writes such a row, or if it does not directly follow the
    ///   previous row.
    mutating func append(_ statement: Statement, position: Int64, what: Int64) throws {
        if first == 0 {
            first = try statement.position(0)
        } else if position != last &+ 1 {
            throw damaged("previous changes are missing", position)
        }
        last = position
        let (entity, key) = (what >> 2, try statement.integer(2, of: .change(position)))
        switch what & 3 {
        case 1:
            rows.append(Row(position: position, entity: entity, operation: .insert, key: key, detail: 0, place: -1))
        case 2:
            let mask = try statement.integer(3, of: .change(position))
            var row = Row(
                position: position, entity: entity, operation: .update, key: key, detail: mask, place: -1)
            if !statement.isNull(4) {
                row.place = masks.count
                masks.append(statement.text(4))
            }
            rows.append(row)
        case 3:
            rows.append(
                Row(
                    position: position, entity: entity, operation: .delete, key: key, detail: 0, place: kept.count))
            if !statement.isNull(3) { try keep(statement, position) }
        default:
            guard let delete = rows.last, delete.operation == .delete, delete.entity == entity, delete.key == key,
                delete.detail > 0
            else { throw damaged("a preserved value without a delete", position) }
            try keep(statement, position)
        }
    }

    private mutating func keep(_ statement: Statement, _ position: Int64) throws {
        let attribute = try statement.integer(3, of: .change(position))
        kept.append(PreservedValue(attribute: attribute, value: statement.plainValue(4)))
        rows[rows.count - 1].detail += 1
    }

    private func damaged(_ detail: String, _ position: Int64) -> SwiftDataError {
        .damagedRow(.change(position), detail)
    }
}

extension Statement {
    /// Returns the value of a column as SQLite stores it.
    fileprivate func plainValue(_ index: Int32) -> PropertyValue {
        switch storageClass(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .real: .real(double(index))
        case .text: .text(text(index))
        case .blob: .blob(withBlob(index) { Data($0) })
        }
    }
}
