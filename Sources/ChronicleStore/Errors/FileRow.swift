import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// A row of a table that Chronicle or SQLite keeps in addition to the models, as named in errors.
enum FileRow {
    /// A row identified by its history position.
    case change(Int64)
    case entity(Int64)
    case attribute(entity: Int64, number: Int64)
    case source(Int64)
    case metadata(Int64)
    /// A row identified by the first position of its range.
    case summary(Int64)
    case consumer(Int64)
    case tag(Int64)
    case seal(Int64)
    case commitment(Int64)
    /// The commitment to a numbered key.
    case commitmentKey(entity: Int64, number: Int64)
    case event(Int64)
    case meta(String)
}

extension FileRow: CustomStringConvertible {
    var description: String {
        switch self {
        case .change(let position): "row \(position) of \(ChangeTable.name)"
        case .entity(let number): "row \(number) of chronicle_entity"
        case .attribute(let entity, let number): "row (\(entity), \(number)) of chronicle_attribute"
        case .source(let number): "row \(number) of \(SourceTable.name)"
        case .metadata(let position): "a row for position \(position) of \(MetadataTable.name)"
        case .summary(let first): "row \(first) of \(SummaryTable.name)"
        case .consumer(let number): "row \(number) of \(ConsumerTable.name)"
        case .tag(let number): "row \(number) of \(TagTable.name)"
        case .seal(let number): "row \(number) of \(SealTables.seal)"
        case .commitment(let position): "row \(position) of \(SealTables.commitment)"
        case .commitmentKey(let entity, let number): "row (\(entity), \(number)) of \(SealTables.commitmentKey)"
        case .event(let number): "row \(number) of \(SealTables.event)"
        case .meta(let name): "row '\(name)' of chronicle_meta"
        }
    }
}

extension SwiftDataError {
    /// The error for a row that another program or damage changed, because Chronicle cannot have written it.
    static func damagedRow(_ row: FileRow, _ detail: String) -> SwiftDataError {
        .damagedFile.with(detail: "\(row): \(detail)")
    }
}

// Checked reads of these tables. A file from another source can contain any value in any column, so values that are
// used as numbers, indexes, or names are read with these functions.
extension Statement {
    @inline(__always)
    func isInteger(_ column: Int32) -> Bool {
        // Pattern matching instead of `==`, which calls the witness for an enum of another module.
        if case .integer = storageClass(column) { true } else { false }
    }

    @inline(__always)
    func integer(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> Int64 {
        guard isInteger(column) else { throw damaged(column, row(), "is not an integer") }
        return int64(column)
    }

    func integer(_ column: Int32, in range: ClosedRange<Int64>, of row: @autoclosure () -> FileRow) throws -> Int64 {
        let value = try integer(column, of: row())
        guard range.contains(value) else { throw damaged(column, row(), "is out of range") }
        return value
    }

    /// The text of a program, which may contain any character.
    func anyText(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> String {
        guard case .text = storageClass(column) else { throw damaged(column, row(), "is not text") }
        return text(column)
    }

    /// SQL text cannot contain a NUL character.
    func text(_ column: Int32, of row: @autoclosure () -> FileRow) throws -> String {
        let value = try anyText(column, of: row())
        guard !value.utf8.contains(0) else { throw damaged(column, row(), "contains a NUL character") }
        return value
    }

    private func damaged(_ column: Int32, _ row: FileRow, _ problem: String) -> SwiftDataError {
        .damagedRow(row, "the value of \"\(columnName(column))\" \(problem)")
    }
}
