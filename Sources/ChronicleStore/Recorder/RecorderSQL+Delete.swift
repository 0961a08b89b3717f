extension RecorderSQL {
    /// Returns the trigger that records a delete with its preserved values.
    ///
    /// It also removes the row from `chronicle_conflict`, so that the delete is not recorded again as a replacement.
    /// A REPLACE is therefore recorded exactly once, even with `PRAGMA recursive_triggers=ON`.
    static func recordDelete(_ table: RecordedTable) -> String {
        trigger(.delete, on: table, "AFTER DELETE", do: [withdrawConflicts(table), deleteRows(table)])
    }

    /// Returns the statement that records the delete of the row OLD.
    ///
    /// The first preserved value is part of the row of the delete, and each further value has its own row. All of them
    /// are adjacent in the same b-tree. A separate table for tombstones would cost twice as much per delete, write one
    /// more page per commit, and add a second range to read and delete. Text from `quote()` is even slower and not
    /// exact: in SQLite 3.40 it loses the sign of -0.0 and writes infinity as `Inf`.
    static func deleteRows(_ table: RecordedTable) -> String {
        let preserved = table.preservedColumns
        guard !preserved.isEmpty else {
            return "INSERT INTO chronicle_change(what, key) VALUES (\(table.what(.delete)), OLD.\(key))"
        }
        let rows = preserved.enumerated().map { index, column in
            let what = table.what(index == 0 ? .delete : .preservedValue)
            return "(\(what), OLD.\(key), \(column.number), OLD.\(quoted(column.name)))"
        }
        return "INSERT INTO chronicle_change(what, key, detail, more) VALUES \(rows.joined(separator: ", "))"
    }
}
