/// What closes the hole that REPLACE makes.
///
/// With `PRAGMA recursive_triggers=OFF`, the default of every program but ours, the REPLACE algorithm removes rows
/// without running their delete triggers (<https://sqlite.org/lang_conflict.html>), by primary key and by every unique
/// index at once. A BEFORE trigger cannot know whether the statement is a REPLACE; what it can know is which rows are
/// in the way. So it *notes* them, with what their tombstone would keep, and the AFTER trigger records those that are
/// gone.
///
/// A note claims "this row is alive, and the log says so". It is true when it is made, and is withdrawn when the row
/// is deleted in the open. A note that stays behind (OR IGNORE, OR FAIL and UPSERT run the BEFORE trigger only) does
/// no harm therefore: either its row is still there, or it was replaced and must be recorded. The next conflict
/// writes all notes of the entity anew, with the values of that time; the next insert removes them.
///
/// The foreign-key actions that a REPLACE may set off run between the two triggers. Their deletes withdraw their
/// notes; their `SET NULL` updates cannot replace anything, and are kept from touching a note by ``mayReplace(_:)``.
///
/// One case is recorded late: an `UPDATE OR REPLACE` whose own row is deleted by the cascade that it sets off has no
/// AFTER trigger. The notes stay, and true, until the next conflict or insert in the table, or until Chronicle's next
/// write settles them (``settleConflicts(of:)``).
extension RecorderSQL {
    /// The trigger that notes the rows in the way of an insert.
    ///
    /// `NEW.id` is -1 here if SQLite is going to choose the key (<https://sqlite.org/lang_createtrigger.html>, section
    /// 2.1): it then finds no row, or one that the AFTER trigger will find still there.
    static func noteInsertConflicts(_ table: RecordedTable) -> String {
        let conflicts = ["held.\(key) = NEW.\(key)"] + table.uniqueness.map { sameValues($0) }
        return trigger(
            .noteInsert, on: table, "BEFORE INSERT", when: exists(conflicts, in: table),
            do: noteConflicts(table, where: conflicts))
    }

    /// The trigger that notes the rows in the way of an update of the primary key or a unique column.
    static func noteUpdateConflicts(_ table: RecordedTable) -> String {
        let conflicts =
            ["held.\(key) = NEW.\(key) AND OLD.\(key) IS NOT NEW.\(key)"]
            + table.uniqueness.map { "\(sameValues($0)) AND held.\(key) IS NOT OLD.\(key)" }
        let names = [keyNames] + uniqueColumns(table).map(quoted)
        return trigger(
            .noteUpdate, on: table, "BEFORE UPDATE OF \(names.joined(separator: ", "))",
            when: exists(conflicts, in: table), do: noteConflicts(table, where: conflicts))
    }

    /// The trigger that records the rows that an update of unique columns replaced; nil for an entity without
    /// uniqueness constraints.
    static func recordUniqueUpdate(_ table: RecordedTable) -> String? {
        guard !table.uniqueness.isEmpty else { return nil }
        let names = uniqueColumns(table).map(quoted).joined(separator: ", ")
        return trigger(
            .updateUnique, on: table, "AFTER UPDATE OF \(names)",
            when: "OLD.\(key) IS NEW.\(key) AND (\(mayReplace(table)))",
            do: [withdrawConflicts(table)] + recordConflicts(table))
    }

    /// The statements that record the noted rows that are gone, and forget all notes of the entity.
    ///
    /// A row that took the key of a noted row proves that the noted one is gone.
    ///
    /// - Parameter row: The row that was written, `NEW` in an AFTER trigger; nil where no row was written.
    static func recordConflicts(_ table: RecordedTable, after row: String? = "NEW") -> [String] {
        let missing = "NOT EXISTS (SELECT 1 FROM \(quoted(table.name)) AS held WHERE held.\(key) = note.key)"
        let gone = row.map { "(note.key = \($0).\(key) OR \(missing))" } ?? missing
        return [
            """
            INSERT INTO chronicle_change(what, key, detail, more) \
            SELECT note.what, note.key, note.detail, note.more FROM chronicle_conflict AS note \
            WHERE note.entity = \(table.entityID) AND \(gone) ORDER BY note.rowid
            """,
            "DELETE FROM chronicle_conflict WHERE entity = \(table.entityID)",
        ]
    }

    /// The statement that withdraws the notes about the row OLD.
    static func withdrawConflicts(_ table: RecordedTable) -> String {
        "DELETE FROM chronicle_conflict WHERE entity = \(table.entityID) AND key = OLD.\(key)"
    }
}

extension RecorderSQL {
    /// The statements that settle the old notes of the entity, and note the rows that meet one of the conditions.
    ///
    /// The rows of a note are those that its delete is going to have in the log, in the same order.
    private static func noteConflicts(_ table: RecordedTable, where conflicts: [String]) -> [String] {
        let preserved = table.preservedColumns
        let condition = joined(conflicts.map { "(\($0))" }, by: "OR")
        let deleted = table.what(.delete)
        let selection: String
        if let first = preserved.first {
            let numbers = preserved.map { "(\($0.number))" }.joined(separator: ", ")
            let values = preserved.map { "WHEN \($0.number) THEN held.\(quoted($0.name))" }.joined(separator: " ")
            selection = """
                CASE kept.column1 WHEN \(first.number) THEN \(deleted) ELSE \(table.what(.preservedValue)) END, \
                kept.column1, CASE kept.column1 \(values) END \
                FROM \(quoted(table.name)) AS held CROSS JOIN (VALUES \(numbers)) AS kept \
                WHERE \(condition) ORDER BY held.\(key), kept.column1
                """
        } else {
            selection = """
                \(deleted), NULL, NULL FROM \(quoted(table.name)) AS held WHERE \(condition) ORDER BY held.\(key)
                """
        }
        let note = """
            INSERT INTO chronicle_conflict(entity, key, what, detail, more) \
            SELECT \(table.entityID), held.\(key), \(selection)
            """
        return recordConflicts(table, after: nil) + [note]
    }

    /// An expression that is true if a row meets one of the conditions: a look-up in one index for each.
    private static func exists(_ conflicts: [String], in table: RecordedTable) -> String {
        joined(
            conflicts.map { "EXISTS (SELECT 1 FROM \(quoted(table.name)) AS held WHERE \($0))" }, by: "OR")
    }

    /// A condition that is true if a row has the same values as NEW in all columns of a unique index.
    ///
    /// As in the index, NULL is never the same as NULL.
    private static func sameValues(_ columns: [String]) -> String {
        joined(columns.map { "held.\(quoted($0)) = NEW.\(quoted($0))" }, by: "AND")
    }

    /// An expression that is true if the update can have replaced a row by a unique index: it changed one of the
    /// columns of the index, and left none of them NULL.
    private static func mayReplace(_ table: RecordedTable) -> String {
        joined(
            table.uniqueness.map { columns in
                let changed = joined(columns.map { "OLD.\(quoted($0)) IS NOT NEW.\(quoted($0))" }, by: "OR")
                let present = joined(columns.map { "NEW.\(quoted($0)) IS NOT NULL" }, by: "AND")
                return "((\(changed)) AND \(present))"
            }, by: "OR")
    }

    /// The columns of all unique indexes, each once.
    private static func uniqueColumns(_ table: RecordedTable) -> [String] {
        var seen: Set<String> = []
        return table.uniqueness.joined().filter { seen.insert($0).inserted }
    }
}
