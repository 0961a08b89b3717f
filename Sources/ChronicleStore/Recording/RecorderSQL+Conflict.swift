import ChronicleSQLStore

/// Records rows that REPLACE deletes.
///
/// With `PRAGMA recursive_triggers=OFF`, the default in other programs, REPLACE deletes rows without running their delete
/// triggers (<https://sqlite.org/lang_conflict.html>), by primary key and by every unique index at once. A BEFORE trigger
/// cannot determine whether the statement is a REPLACE, only which rows conflict. It *notes* these rows with their
/// preserved values, and the AFTER trigger records those that no longer exist.
///
/// A note states that a row exists and is recorded as existing. This is true when it is written, and a delete trigger for
/// the row withdraws it. Notes remain after OR IGNORE, OR FAIL, and UPSERT, which run only the BEFORE trigger. They are
/// harmless: either the row still exists, or it was replaced and must be recorded. The next conflict rewrites all notes of
/// the entity; the next insert removes them.
///
/// Foreign key actions of a REPLACE run between the two triggers. Their deletes withdraw the notes of their rows; their
/// `SET NULL` updates cannot replace rows, and ``mayReplace(_:)`` prevents them from changing notes.
///
/// An `UPDATE OR REPLACE` whose own row is deleted by a resulting cascade has no AFTER trigger, and is recorded late: its
/// notes remain true until the next conflict or insert in the table, or until Chronicle writes (``resolveConflicts(of:)``).
///
/// The notes of a row include its links (``recordDeletedLinks(_:)``). A note can contain an outdated reference: if a
/// REPLACE deletes several rows, and the delete of one sets the reference of another to NULL, the note has the value
/// before, and the update is recorded as well.
extension RecorderSQL {
    /// `NEW.id` is -1 if SQLite is going to choose the key (<https://sqlite.org/lang_createtrigger.html>, section 2.1). The
    /// trigger then notes no row, or one that still exists when the AFTER trigger runs.
    static func noteInsertConflicts(_ table: RecordedTable) -> String {
        let keyConflict = table.key.numbered == nil ? ["held.\(key) = NEW.\(key)"] : []
        let conflicts = keyConflict + table.uniqueness.map { sameValues($0) }
        return trigger(
            .noteInsert, on: table, "BEFORE INSERT", when: exists(conflicts, in: table),
            do: noteConflicts(table, where: conflicts))
    }

    static func noteUpdateConflicts(_ table: RecordedTable) -> String {
        let otherRows = table.uniqueness.map { "\(sameValues($0)) AND \(haveDifferentKeys("held", "OLD", in: table))" }
        let conflicts: [String]
        let names: [String]
        switch table.key {
        case .rowID(let keyNames):
            conflicts = ["held.\(key) = NEW.\(key) AND OLD.\(key) IS NOT NEW.\(key)"] + otherRows
            names = [keyNames] + uniqueColumns(table).map(quoted)
        case .numbered:
            // The primary key is one of the unique indexes.
            (conflicts, names) = (otherRows, uniqueColumns(table).map(quoted))
        }
        return trigger(
            .noteUpdate, on: table, "BEFORE UPDATE OF \(names.joined(separator: ", "))",
            when: exists(conflicts, in: table), do: noteConflicts(table, where: conflicts))
    }

    /// The trigger that records the rows that an update of unique columns replaced.
    static func recordUniqueUpdate(_ table: RecordedTable) -> String? {
        guard !table.uniqueness.isEmpty else { return nil }
        let names = uniqueColumns(table).map(quoted).joined(separator: ", ")
        return trigger(
            .updateUnique, on: table, "AFTER UPDATE OF \(names)",
            when: "\(haveSameKey("OLD", "NEW", in: table)) AND (\(mayReplace(table)))",
            do: [withdrawConflicts(table)] + recordConflicts(table))
    }

    /// Records the noted rows that no longer exist, and deletes all notes of the entity. A row that has taken the key of a
    /// noted row proves that the noted row was deleted. `row` is the written row, if any.
    static func recordConflicts(_ table: RecordedTable, after row: String? = "NEW") -> [String] {
        let missing = isMissing("note.primary_key", in: table)
        let gone = row.map { "(note.primary_key = \(key(of: $0, in: table)) OR \(missing))" } ?? missing
        // Without foreign keys, links remain, and those of a row with the same key are not removed.
        let removed = table.lists.map {
            " AND NOT (note.attributes IS \($0.number) AND EXISTS "
                + "(SELECT 1 FROM \(quoted($0.links)) AS held WHERE held.owner = note.primary_key))"
        }
        return [
            """
            INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes, old_value) \
            SELECT note.kind, note.primary_key, note.attributes, note.old_value FROM chronicle_conflict AS note \
            WHERE note.entity = \(table.entityID) AND \(gone)\(removed.joined()) ORDER BY note.rowid
            """,
            "DELETE FROM chronicle_conflict WHERE entity = \(table.entityID)",
        ]
    }

    static func withdrawConflicts(_ table: RecordedTable) -> String {
        "DELETE FROM chronicle_conflict WHERE entity = \(table.entityID) AND primary_key = \(key(of: "OLD", in: table))"
    }
}

extension RecorderSQL {
    /// Resolves the old notes of the entity and notes the rows that meet one of the conditions. The rows of a note are
    /// those that its delete adds to the history, in the same order.
    private static func noteConflicts(_ table: RecordedTable, where conflicts: [String]) -> [String] {
        let preserved = table.columns.filter { $0.preservation.deletes != .none }
        let heldKey = key(of: "held", in: table)
        let isConflict = joined(conflicts.map { "(\($0))" }, by: "OR")
        let condition = table.key.numbered == nil ? isConflict : "(\(isConflict)) AND \(heldKey) IS NOT NULL"
        let deleted = table.kind(.delete, ofRow: "held")
        let selection: String
        if let first = preserved.first?.number ?? table.lists.first.map({ _ in noColumn }) {
            let columns =
                preserved.isEmpty
                ? [(noColumn, (number: "NULL", value: "NULL"))]
                : preserved.map { ($0.number, preservedValue($0, "held", $0.preservation.deletes)) }
            let values = columns + table.lists.map { ($0.number, (number: "\($0.number)", value: destination(of: $0))) }
            let numbers = values.map { "(\($0.0))" }.joined(separator: ", ")
            func byNumber(_ expression: ((number: String, value: String)) -> String) -> String {
                "CASE kept.column1 "
                    + values.map { "WHEN \($0) THEN \(expression($1))" }.joined(separator: " ") + " END"
            }
            let isConditional = preserved.isEmpty || preserved.contains { $0.preservation.deletes == .limited }
            selection = """
                CASE kept.column1 WHEN \(first) THEN \(deleted) \
                ELSE \(table.kind(.preservedValue, ofRow: "held")) END, \
                \(isConditional ? byNumber(\.number) : "kept.column1"), \(byNumber(\.value)) \
                FROM \(quoted(table.name)) AS held CROSS JOIN (VALUES \(numbers)) AS kept\(joinedLinks(table)) \
                WHERE \(condition) ORDER BY \(heldKey), \(linksLast(table))kept.column1
                """
        } else {
            selection = """
                \(deleted), NULL, NULL FROM \(quoted(table.name)) AS held WHERE \(condition) ORDER BY \(heldKey)
                """
        }
        let note = """
            INSERT INTO chronicle_conflict(entity, primary_key, kind, attributes, old_value) \
            SELECT \(table.entityID), \(heldKey), \(selection)
            """
        return recordConflicts(table, after: nil) + [note]
    }

    private static let noColumn = -1

    private static func destination(of list: RecordedTable.List) -> String { "linked\(list.number).destination" }

    private static func joinedLinks(_ table: RecordedTable) -> String {
        table.lists.map { list in
            " LEFT JOIN \(quoted(list.links)) AS linked\(list.number) "
                + "ON kept.column1 = \(list.number) AND linked\(list.number).owner = held.\(key)"
        }
        .joined()
    }

    /// Links follow the other values.
    private static func linksLast(_ table: RecordedTable) -> String {
        if table.lists.isEmpty { return "" }
        return "kept.column1 IN (\(table.lists.map { "\($0.number)" }.joined(separator: ", "))), "
    }

    /// True if a row meets one of the conditions, with one index lookup for each.
    private static func exists(_ conflicts: [String], in table: RecordedTable) -> String {
        joined(
            conflicts.map { "EXISTS (SELECT 1 FROM \(quoted(table.name)) AS held WHERE \($0))" }, by: "OR")
    }

    /// True if a row has the values of NEW in all columns of a unique index, where NULL is not equal to NULL. REPLACE
    /// stores the default value instead of NULL in a column that is NOT NULL, which a BEFORE trigger does not see.
    private static func sameValues(_ columns: [RecordedTable.IndexedColumn]) -> String {
        joined(
            columns.map { column in
                let value = "NEW.\(quoted(column.name))"
                return "held.\(column.collated) = \(column.replacement.map { "ifnull(\(value), \($0))" } ?? value)"
            }, by: "AND")
    }

    /// True if the update changed a column of a unique index and left none of its columns NULL.
    private static func mayReplace(_ table: RecordedTable) -> String {
        joined(
            table.uniqueness.map { columns in
                let changed = joined(columns.map { "OLD.\($0.collated) IS NOT NEW.\(quoted($0.name))" }, by: "OR")
                let present = joined(columns.map { "NEW.\(quoted($0.name)) IS NOT NULL" }, by: "AND")
                return "((\(changed)) AND \(present))"
            }, by: "OR")
    }

    /// Returns the columns without duplicates, and with all names of the rowid if it is one of the indexes.
    private static func uniqueColumns(_ table: RecordedTable) -> [String] {
        var seen: Set<String> = []
        let otherNames = table.key.numbered?.rowIDNames.dropFirst() ?? []
        return (table.uniqueness.joined().map(\.name) + otherNames).filter { seen.insert($0).inserted }
    }
}
