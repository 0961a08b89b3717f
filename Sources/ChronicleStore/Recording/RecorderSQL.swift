import ChronicleSQL

/// The SQL of the recorder: the tables of the history and the triggers that write it.
///
/// History is written by plain permanent triggers, because nothing else works for every writer: an application-defined
/// function would make the `sqlite3` shell fail, and a temporary trigger or a hook affects only one connection. This
/// type consists of pure functions from a ``RecordedTable`` to statements; the caller runs them in one write
/// transaction.
///
/// The triggers write the rows of ``ChangeTable``. See `Documentation/Design/0001-recorder.md` for measurements.
///
/// Triggers do not insert into tables with constraints that could fail, because a conflict clause of the outer
/// statement overrides those of its triggers (<https://sqlite.org/lang_createtrigger.html>).
enum RecorderSQL {
    /// The prefix of every table and trigger that belongs to the history.
    static let prefix = "chronicle_"

    /// The statements that create the tables that the triggers write to, if they do not exist.
    ///
    /// `chronicle_conflict` is empty, or contains the rows that the latest statement of another program might have
    /// replaced.
    static let recordTables = [
        ChangeTable.createTable,
        """
        CREATE TABLE IF NOT EXISTS chronicle_conflict(entity INTEGER, primary_key, kind INTEGER, attributes, old_value)
        """,
    ]

    /// Returns the statements that create all triggers of a table.
    ///
    /// SQLite stores each statement unchanged in `sqlite_schema.sql`. Comparing the two determines whether a file needs
    /// ``recreateTriggers(of:)``; if not, the schema and every process's prepared statements remain valid.
    ///
    /// `update` comes before `updateUnique`: SQLite runs the most recently created trigger first, which records the row
    /// that an `UPDATE OR REPLACE` deleted before the update that replaced it. SQLite does not guarantee this order;
    /// only the readability of the history depends on it.
    static func triggers(of table: RecordedTable) -> [String] {
        [
            noteInsertConflicts(table), recordInsert(table),
            recordUpdate(table), noteUpdateConflicts(table), recordUniqueUpdate(table), recordKeyUpdate(table),
            noteDeletedLinks(table), recordDelete(table),
        ].compactMap(\.self) + recordChangedRows(table)
    }

    /// Returns whether the triggers of a table record all of its changes: the current triggers, or those of an earlier
    /// version.
    ///
    /// Opening the file for writing, or tracking it again, replaces earlier triggers without a gap in the history.
    static func isRecorded(_ table: RecordedTable, by triggers: Set<String>) -> Bool {
        [table, table.withoutReplacements].contains { Set(Self.triggers(of: $0)) == triggers }
    }

    /// Returns the statements that stop recording an entity, which is required before dropping a column of its table.
    ///
    /// They also delete the notes of the entity: while nothing is recorded, rows can be deleted unnoticed, and their
    /// notes would later be interpreted as replacements.
    ///
    /// If the table exists and was recorded until now, run ``resolveConflicts(of:)`` first.
    static func dropTriggers(of entityID: Int64) -> [String] {
        TriggerKind.allCases.map { "DROP TRIGGER IF EXISTS \(quoted($0.name(of: entityID)))" }
            + ["DELETE FROM chronicle_conflict WHERE entity = \(entityID)"]
    }

    /// Returns the statements that record deletes for which no trigger ran.
    ///
    /// Run them for every recorded table at the start of a write transaction of Chronicle, before sealing changes by
    /// other programs, if `chronicle_conflict` is not empty.
    static func resolveConflicts(of table: RecordedTable) -> [String] {
        recordConflicts(table, after: nil)
    }

    /// Returns the statements that update the triggers of a table after its columns, unique indexes, or preserved
    /// attributes changed.
    ///
    /// Run them in the transaction that changes the table; otherwise, changes in between are not recorded.
    static func recreateTriggers(of table: RecordedTable) -> [String] {
        resolveConflicts(of: table) + dropTriggers(of: table.entityID) + triggers(of: table)
    }
}

extension RecorderSQL {
    /// The kinds of triggers of an entity.
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

        /// Returns the name of the trigger, which contains the entity's number so that it survives renaming the table.
        func name(of entityID: Int64) -> String {
            "\(RecorderSQL.prefix)\(entityID)_\(rawValue)"
        }
    }

    /// Returns the statement that creates a trigger, in the form in which SQLite stores it.
    ///
    /// - Parameter event: The event of the trigger, for example `AFTER INSERT`.
    static func trigger(
        _ kind: TriggerKind, on table: RecordedTable, _ event: String, when condition: String? = nil,
        do statements: [String]
    ) -> String {
        trigger(
            kind.name(of: table.entityID), on: table.name, event, when: condition,
            do: (table.isTracked ? [PendingTransaction.begin] : []) + statements)
    }

    /// Returns the statement for the given names of trigger and table.
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

    /// Returns a name as an SQL identifier. The name may contain any character except U+0000
    /// (<https://sqlite.org/lang_keywords.html>).
    ///
    /// Columns are always qualified (`OLD."a"`, `held."a"`): an unqualified quoted name that matches no column would
    /// silently become a string (<https://sqlite.org/quirks.html>, section 8).
    static func quoted(_ name: String) -> String { SQLiteDialect().quoted(name) }

    /// Returns the expression of the kind of a recorded row.
    ///
    /// - Parameters:
    ///   - operation: The recorded operation.
    ///   - entity: The number of the entity of the table.
    ///   - subentities: The other entities whose rows are in the table.
    ///   - column: The column with the name of a row's entity.
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

    /// Returns a text as an SQL literal. The text contains no U+0000.
    static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    /// Returns terms joined by an operator, nested in halves.
    ///
    /// A chain `a OR b OR c …` is as deep as it is long, and SQLite rejects expressions deeper than 1,000
    /// (<https://sqlite.org/limits.html>), while a table may have 2,000 columns.
    static func joined(_ terms: some Collection<String>, by operation: String) -> String {
        if terms.count <= 16 { return terms.joined(separator: " \(operation) ") }
        let half = terms.count / 2
        let left = joined(terms.prefix(half), by: operation)
        let right = joined(terms.dropFirst(half), by: operation)
        return "(\(left)) \(operation) (\(right))"
    }
}
