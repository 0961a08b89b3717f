import ChronicleCore
import ChronicleSQLite
import Foundation

/// The rows of one transaction, collected until its header says which it is. Used again for the next one.
struct ChangeBuffer {
    /// A change as its row has it.
    struct Row {
        let position: Int64
        let entity: Int64
        let operation: RecordedTable.Operation
        let key: Int64
        /// Of an update, the mask of the attributes 0...61; of a delete, how many values it kept.
        var detail: Int64
        /// The place of an update's further masks in ``masks``, or of a delete's first value in ``kept``; -1 for none.
        var place: Int
    }

    /// A value that a delete kept of an attribute.
    struct KeptValue {
        /// The number of the attribute.
        let attribute: Int64
        /// As SQLite has it.
        let value: PropertyValue
    }

    private(set) var rows: [Row] = []
    /// The masks of attributes from 62 on.
    private(set) var masks: [String] = []
    /// The values that deletes kept.
    private(set) var kept: [KeptValue] = []
    /// How many rows of the file it took, and the positions of the first and the last.
    private(set) var count: Int64 = 0
    private(set) var first: Int64 = 0
    private(set) var last: Int64 = 0

    mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        masks.removeAll(keepingCapacity: true)
        kept.removeAll(keepingCapacity: true)
        count = 0
    }

    /// Takes the row that a statement on `id, what, key, detail, more` stands at.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a row that no trigger writes.
    mutating func append(_ statement: Statement, position: Int64, what: Int64) throws {
        guard statement.isInteger(2) else { throw damaged("it has no key", position) }
        if count == 0 { first = position }
        last = position
        count += 1
        let (entity, key) = (what >> 2, statement.int64(2))
        switch what & 3 {
        case 1:
            rows.append(Row(position: position, entity: entity, operation: .insert, key: key, detail: 0, place: -1))
        case 2:
            guard statement.isInteger(3) else { throw damaged("an update without its mask", position) }
            var row = Row(
                position: position, entity: entity, operation: .update, key: key, detail: statement.int64(3), place: -1)
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
            else { throw damaged("a kept value without its delete", position) }
            try keep(statement, position)
        }
    }

    private mutating func keep(_ statement: Statement, _ position: Int64) throws {
        guard statement.isInteger(3) else {
            throw damaged("a kept value without its attribute", position)
        }
        kept.append(KeptValue(attribute: statement.int64(3), value: statement.plainValue(4)))
        rows[rows.count - 1].detail += 1
    }

    private func damaged(_ detail: String, _ position: Int64) -> SwiftDataError {
        .damagedHistory(detail, at: position)
    }
}

extension Statement {
    /// The value of a column, as SQLite has it.
    fileprivate func plainValue(_ index: Int32) -> PropertyValue {
        switch columnType(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .float: .real(double(index))
        case .text: .text(text(index))
        case .blob: .blob(withBlob(index) { Data($0) })
        }
    }
}
