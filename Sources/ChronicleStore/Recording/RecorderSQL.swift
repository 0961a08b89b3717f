import ChronicleSQL

/// The SQL of the recorder: the tables of the history and the triggers that write it.
///
/// Plain permanent triggers work for every writer: an application-defined function would make the `sqlite3` shell fail, and
/// a temporary trigger or a hook affects only one connection. The caller runs the statements in one write transaction. See
/// `Documentation/Design/0001-recorder.md` for measurements.
///
/// Triggers do not insert into tables with constraints that could fail, because a conflict clause of the outer statement
/// overrides those of its triggers (<https://sqlite.org/lang_createtrigger.html>).
enum RecorderSQL {
    static let prefix = "chronicle_"

    /// `chronicle_conflict` is empty, or contains the rows that another program's latest statement might have replaced.
    static let recordTables = [
        ChangeTable.createTable,
        """
        CREATE TABLE IF NOT EXISTS chronicle_conflict(entity INTEGER, primary_key, kind INTEGER, attributes, old_value)
        """,
    ]

    /// SQLite stores each statement unchanged in `sqlite_schema.sql`. If they are the same, a file does not need
    /// ``recreateTriggers(of:)``, and prepared statements remain valid.
    ///
    /// `update` comes before `updateUnique`: SQLite runs the most recently created trigger first, which records the row
    /// that an `UPDATE OR REPLACE` deleted before the update that replaced it. SQLite does not guarantee this order; only
    /// the readability of the history depends on it.
    static func triggers(of table: RecordedTable) -> [String] {
        [
            noteInsertConflicts(table), recordInsert(table),
            recordUpdate(table), noteUpdateConflicts(table), recordUniqueUpdate(table), recordKeyUpdate(table),
            noteDeletedLinks(table), recordDelete(table),
        ].compactMap(\.self) + recordChangedRows(table)
    }

    /// Whether the current triggers, or those of an earlier version, record all changes of a table. Opening the file for
    /// writing, or tracking it again, replaces earlier triggers without a gap in the history.
    static func isRecorded(_ table: RecordedTable, by triggers: Set<String>) -> Bool {
        [table, table.withoutReplacements].contains { Set(Self.triggers(of: $0)) == triggers }
    }

    /// Required before dropping a column of the table. Also deletes the notes of the entity: while nothing is recorded,
    /// rows can be deleted unnoticed, and their notes would later be interpreted as replacements. If the table exists and
    /// was recorded until now, run ``resolveConflicts(of:)`` first.
    static func dropTriggers(of entityID: Int64) -> [String] {
        TriggerKind.allCases.map { "DROP TRIGGER IF EXISTS \(quoted($0.name(of: entityID)))" }
            + ["DELETE FROM chronicle_conflict WHERE entity = \(entityID)"]
    }

    /// Records deletes for which no trigger ran. Run the statements for every recorded table at the start of a write
    /// transaction of Chronicle, before grouping changes by other programs, if `chronicle_conflict` is not empty.
    static func resolveConflicts(of table: RecordedTable) -> [String] {
        recordConflicts(table, after: nil)
    }

    /// Run the statements after columns, unique indexes, or preserved attributes changed, in the same transaction;
    /// otherwise, changes in between are not recorded.
    static func recreateTriggers(of table: RecordedTable) -> [String] {
        resolveConflicts(of: table) + dropTriggers(of: table.entityID) + triggers(of: table)
    }
}

extension RecorderSQL {
    enum TriggerKind: String, CaseIterable, Sendable {
        case noteInsert = "insert_conflict"
        case insert
        case update
        case noteUpdate = "update_conflict"
        case updateUnique = "update_unique"
        case updateKey = "update_key"
        case noteDelete = "delete_links"
        case delete
        // The following are those of tracked tables.
        case insertChanged = "insert_changed"
        case updateChanged = "update_changed"
        case updateKeyChanged = "update_key_changed"
        case deleteRestored = "delete_restored"

        /// The name contains the entity's number so that it survives renaming the table.
        func name(of entityID: Int64) -> String {
            "\(RecorderSQL.prefix)\(entityID)_\(rawValue)"
        }
    }

    /// Returns the statement in the form in which SQLite stores it.
    static func trigger(
        _ kind: TriggerKind, on table: RecordedTable, _ event: String, when condition: String? = nil,
        do statements: [String]
    ) -> String {
        trigger(
            kind.name(of: table.entityID), on: table.name, event, when: condition,
            do: (table.isTracked ? [PendingTransaction.begin] : []) + statements)
    }

    static func trigger(
        _ name: String, on table: String, _ event: String, when condition: String? = nil, do statements: [String]
    ) -> String {
        let guarded = condition.map { "\nWHEN \($0)" } ?? ""
        let body = statements.map { "  \($0);\n" }.joined()
        return """
            CREATE TRIGGER \(quoted(name)) \(event) ON \(quoted(table))\(guarded)
            BEGIN
            \(body)END
            """
    }

    /// The name may contain any character except U+0000 (<https://sqlite.org/lang_keywords.html>). Columns are always
    /// qualified (`OLD."a"`): an unqualified quoted name that matches no column would silently become a string
    /// (<https://sqlite.org/quirks.html>, section 8).
    static func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

    /// `subentities` are the other entities in the table, and `column` contains the name of a row's entity.
    static func kind(
        _ operation: ChangeTable.Operation, of entity: Int64, _ subentities: [RecordedTable.Subentity], column: String
    ) -> String {
        let own = ChangeTable.Kind(operation, of: entity).rawValue
        guard !subentities.isEmpty else { return "\(own)" }
        let cases = subentities.map {
            "WHEN \(literal($0.name)) THEN \(ChangeTable.Kind(operation, of: $0.number).rawValue)"
        }
        return "CASE \(column) \(cases.joined(separator: " ")) ELSE \(own) END"
    }

    static func literal(_ text: String) -> String { SQLQuery.literal(text) }

    /// Nests the terms in halves. SQLite rejects expressions deeper than 1,000 (<https://sqlite.org/limits.html>), while a
    /// table may have 2,000 columns.
    static func joined(_ terms: some Collection<String>, by operation: String) -> String {
        if terms.count <= 16 { return terms.joined(separator: " \(operation) ") }
        let half = terms.count / 2
        let left = joined(terms.prefix(half), by: operation)
        let right = joined(terms.dropFirst(half), by: operation)
        return "(\(left)) \(operation) (\(right))"
    }
}
