/// The recorder, as SQL text: tables that hold the history, and the triggers that write it.
///
/// History is written by plain, permanent triggers, because nothing else is there for every writer: an
/// application-defined function would make the `sqlite3` shell fail, a temporary trigger or a hook sees one
/// connection only. Everything here is a pure function from a ``RecordedTable`` to statements; running them, inside
/// one write transaction, is the caller's part.
///
/// What the triggers write (see `Documentation/Design/0001-recorder.md` for the measurements behind it):
///
/// | event | `what` | `key` | `detail` | `more` |
/// | --- | --- | --- | --- | --- |
/// | insert | entity * 4 + 1 | primary key | | |
/// | update | entity * 4 + 2 | primary key | mask of attributes 0...61 | masks of 62..., see ``changeMasks(_:)`` |
/// | delete | entity * 4 + 3 | primary key | number of the first preserved attribute | its value |
/// | … and for each further one | entity * 4 | primary key | number | value |
///
/// The columns `key`, `detail` and `more` have no affinity, so that values stay bit for bit what they were: a column
/// of type REAL stores -0.0 as the integer 0 (<https://sqlite.org/datatype3.html>, "REAL values stored as integers").
///
/// No statement of a trigger inserts into a table with a constraint that could fail, because a conflict clause of
/// the outer statement overrides those of its triggers (<https://sqlite.org/lang_createtrigger.html>).
enum RecorderSQL {
    /// The prefix of every table and trigger that belongs to the history.
    static let prefix = "chronicle_"

    /// Statements that create the tables the triggers write to, where they are missing.
    ///
    /// `chronicle_change` has no AUTOINCREMENT: its newest row is never deleted, so the largest id plus one has never
    /// been used (<https://sqlite.org/autoinc.html>), and the extra write of each insert is saved.
    ///
    /// `chronicle_conflict` is empty, or holds the rows that the latest foreign statement might have replaced.
    static let recordTables = [
        "CREATE TABLE IF NOT EXISTS chronicle_change(id INTEGER PRIMARY KEY, what INTEGER, key, detail, more)",
        "CREATE TABLE IF NOT EXISTS chronicle_conflict(entity INTEGER, key INTEGER, what INTEGER, detail, more)",
    ]

    /// The statements that create all triggers of a table.
    ///
    /// Each is, character for character, what SQLite keeps in `sqlite_schema.sql`. Comparing the two tells whether a
    /// file needs ``recreateTriggers(of:)``, and leaves the schema (and every prepared statement of every process)
    /// alone when it does not.
    ///
    /// `update` comes before `updateUnique`: SQLite runs the youngest trigger first, which puts the row that an
    /// `UPDATE OR REPLACE` removed before the update that took its place. SQLite does not promise that order, and
    /// nothing but the looks of the log depends on it.
    static func triggers(of table: RecordedTable) -> [String] {
        [
            noteInsertConflicts(table), recordInsert(table),
            recordUpdate(table), noteUpdateConflicts(table), recordUniqueUpdate(table), recordKeyUpdate(table),
            recordDelete(table),
        ].compactMap(\.self)
    }

    /// The statements that stop recording an entity; needed before a column is dropped from its table.
    ///
    /// What was noted about the entity goes too: while nothing is recorded, a row can leave unseen, and a note about
    /// it would be taken for a replaced row later.
    ///
    /// Where the table is at hand and was recorded up to now, run ``settleConflicts(of:)`` before this.
    static func dropTriggers(of entityID: Int64) -> [String] {
        TriggerKind.allCases.map { "DROP TRIGGER IF EXISTS \(quoted($0.name(of: entityID)))" }
            + ["DELETE FROM chronicle_conflict WHERE entity = \(entityID)"]
    }

    /// The statements that record the deletes which no trigger had the occasion to record.
    ///
    /// To be run for every recorded table at the start of a write transaction of Chronicle, before what others wrote
    /// is sealed, if `chronicle_conflict` is not empty.
    static func settleConflicts(of table: RecordedTable) -> [String] {
        recordConflicts(table, after: nil)
    }

    /// The statements that bring the triggers in line with a table whose columns, uniqueness or preserved attributes
    /// changed.
    ///
    /// Run them in the transaction that changes the table, or changes in between are lost.
    static func recreateTriggers(of table: RecordedTable) -> [String] {
        settleConflicts(of: table) + dropTriggers(of: table.entityID) + triggers(of: table)
    }
}

extension RecorderSQL {
    /// The triggers an entity can have.
    enum TriggerKind: String, CaseIterable, Sendable {
        case noteInsert = "insert_conflict"
        case insert
        case update
        case noteUpdate = "update_conflict"
        case updateUnique = "update_unique"
        case updateKey = "update_key"
        case delete

        /// The name of the trigger: by entity, not by table, so that it survives renaming the table.
        func name(of entityID: Int64) -> String {
            "\(RecorderSQL.prefix)\(entityID)_\(rawValue)"
        }
    }

    /// Puts a trigger together, in the form in which SQLite keeps it.
    ///
    /// - Parameter event: What the trigger waits for, for example `AFTER INSERT`.
    static func trigger(
        _ kind: TriggerKind, on table: RecordedTable, _ event: String, when condition: String? = nil,
        do statements: [String]
    ) -> String {
        trigger(kind.name(of: table.entityID), on: table.name, event, when: condition, do: statements)
    }

    /// The same by the names of trigger and table.
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

    /// A name as an SQL identifier, whatever it contains except U+0000 (<https://sqlite.org/lang_keywords.html>).
    ///
    /// Columns are always written with their table in front (`OLD."a"`, `held."a"`): a lone quoted name that matches
    /// no column would silently become a string (<https://sqlite.org/quirks.html>, section 8).
    static func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" { text.unicodeScalars.append(scalar) }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }

    /// Terms joined by an operator, nested in halves.
    ///
    /// A chain `a OR b OR c …` is as deep as it is long, and SQLite refuses an expression deeper than 1,000
    /// (<https://sqlite.org/limits.html>), while a table may have 2,000 columns.
    static func joined(_ terms: some Collection<String>, by operation: String) -> String {
        if terms.count <= 16 { return terms.joined(separator: " \(operation) ") }
        let half = terms.count / 2
        let left = joined(terms.prefix(half), by: operation)
        let right = joined(terms.dropFirst(half), by: operation)
        return "(\(left)) \(operation) (\(right))"
    }
}
