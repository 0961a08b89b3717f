extension RecorderSQL {
    /// The trigger that records a delete and what its tombstone keeps.
    ///
    /// It also withdraws the notes about the row: it left in the open, so that it must not be recorded a second time as
    /// silently replaced. With `PRAGMA recursive_triggers=ON` this is how a REPLACE is recorded exactly once.
    static func recordDelete(_ table: RecordedTable) -> String {
        trigger(.delete, on: table, "AFTER DELETE", do: [withdrawConflicts(table), deleteRows(table)])
    }

    /// The statement that records that the row OLD is gone.
    ///
    /// The first preserved value travels in the row of the delete, each further one in a row of its own. They come
    /// next to each other in the same b-tree: a table for tombstones costs twice as much per delete, a page more per
    /// commit, and a second range to read and to purge. The text of `quote()` is slower still, and not exact: in
    /// SQLite 3.40 it loses the sign of -0.0 and writes infinity as `Inf`.
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
