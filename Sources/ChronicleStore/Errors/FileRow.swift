import ChronicleCore
import ChronicleSQLite

/// A row of a table that Chronicle or SQLite keeps beside the models, as an error names it.
enum FileRow {
    /// By its position.
    case change(Int64)
    case entity(Int64)
    case attribute(entity: Int64, number: Int64)
    case source(Int64)
    case meta(String)
}

extension FileRow: CustomStringConvertible {
    var description: String {
        switch self {
        case .change(let position): "row \(position) of chronicle_change"
        case .entity(let number): "row \(number) of chronicle_entity"
        case .attribute(let entity, let number): "row (\(entity), \(number)) of chronicle_attribute"
        case .source(let number): "row \(number) of chronicle_source"
        case .meta(let name): "row '\(name)' of chronicle_meta"
        }
    }
}

extension SwiftDataError {
    /// A row that Chronicle cannot have written: another program changed it, or the file is damaged.
    static func damagedRow(_ row: FileRow, _ detail: String) -> SwiftDataError {
        .damagedFile.with(detail: "\(row): \(detail)")
    }
}

// What a row of these tables holds. A file from elsewhere can have any value in any column: what is used as a number, an
// index or a name is read through these.
extension Statement {
    @inline(__always)
    func isInteger(_ column: Int32) -> Bool {
        // Without `==`, which for an enum of another module is a call through its conformance.
        if case .integer = columnType(column) { true } else { false }
    }

    /// The integer in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a value of another storage class.
    @inline(__always)
    func integer(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> Int64 {
        guard isInteger(column) else { throw damaged(column, row(), "is not an integer") }
        return int64(column)
    }

    /// The integer in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a value of another storage class, or outside of the range.
    func integer(_ column: Int32, in range: ClosedRange<Int64>, of row: @autoclosure () -> FileRow) throws -> Int64 {
        let value = try integer(column, of: row())
        guard range.contains(value) else { throw damaged(column, row(), "is out of range") }
        return value
    }

    /// The text in a column.
    ///
    /// - Throws: ``SwiftDataError/damagedFile`` for a value of another storage class, or one that no SQL can contain.
    func text(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> String {
        guard case .text = columnType(column) else { throw damaged(column, row(), "is not text") }
        let value = text(column)
        guard !value.utf8.contains(0) else { throw damaged(column, row(), "contains a NUL character") }
        return value
    }

    private func damaged(_ column: Int32, _ row: FileRow, _ problem: String) -> SwiftDataError {
        .damagedRow(row, "the value of \"\(columnName(column))\" \(problem)")
    }
}
