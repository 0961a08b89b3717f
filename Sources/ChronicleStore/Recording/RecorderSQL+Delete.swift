import ChronicleSQLStore

extension RecorderSQL {
    /// Also removes the row from `chronicle_conflict`, so that a REPLACE is recorded once, even with `PRAGMA
    /// recursive_triggers=ON`.
    static func recordDelete(_ table: RecordedTable) -> String {
        trigger(
            .delete, on: table, "AFTER DELETE", when: isDeleted(in: table),
            do: number("OLD", in: table) + [withdrawConflicts(table), deleteRows(table)] + recordDeletedLinks(table))
    }

    static func deleteRows(_ table: RecordedTable) -> String {
        rows(of: .delete, in: table, "OLD", value: "old_value", \.deletes)
    }

    /// Records an insert or a delete. The first preserved value is part of the row of the change, and each further value
    /// has a row after it. A separate table would cost twice as much per delete, write one more page per commit, and add a
    /// second range to read and delete. `quote()` is even slower and not exact: in SQLite 3.40 it loses the sign of -0.0
    /// and writes infinity as `Inf`.
    static func rows(
        of operation: ChangeTable.Operation, in table: RecordedTable, _ row: String, value: String,
        _ extent: KeyPath<Preservation, Preservation.Extent>
    ) -> String {
        let preserved = table.columns.filter { $0.preservation[keyPath: extent] != .none }
        guard !preserved.isEmpty else {
            let insert = "INSERT INTO \(ChangeTable.name)(kind, primary_key) "
            let kind = table.kind(operation, ofRow: row)
            guard let numbered = table.key.numbered else { return insert + "VALUES (\(kind), \(row).\(key))" }
            return insert + "SELECT \(kind), k.id FROM \(numbers(numbered)) WHERE \(hasNumber(row, numbered))"
        }
        let rows = preserved.enumerated().map { index, column in
            let kind = table.kind(index == 0 ? operation : .preservedValue, ofRow: row)
            let (number, value) = preservedValue(column, row, column.preservation[keyPath: extent])
            let key = table.key.numbered == nil ? "\(row).\(key), " : ""
            return "(\(kind), \(key)\(number), \(value))"
        }
        let insert = "INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes, \(value)) "
        guard let numbered = table.key.numbered else { return insert + "VALUES \(rows.joined(separator: ", "))" }
        // The key is looked up once for all rows.
        return insert + "SELECT r.column1, k.id, r.column2, r.column3 FROM \(numbers(numbered)) "
            + "CROSS JOIN (VALUES \(rows.joined(separator: ", "))) AS r WHERE \(hasNumber(row, numbered))"
    }

    /// Both expressions are NULL if the value is too large.
    static func preservedValue(
        _ column: RecordedTable.Column, _ row: String, _ extent: Preservation.Extent
    ) -> (number: String, value: String) {
        let value = "\(row).\(quoted(column.name))"
        guard extent == .limited else { return ("\(column.number)", value) }
        let condition = isSmall(value)
        return ("CASE WHEN \(condition) THEN \(column.number) END", "CASE WHEN \(condition) THEN \(value) END")
    }

    static func isSmall(_ value: String) -> String {
        "ifnull(length(CAST(\(value) AS BLOB)), 0) <= \(Preservation.sizeLimit)"
    }
}
