import ChronicleSQLite
import Foundation

/// Divides the changes of a tracked database's programs into transactions. No save of Chronicle ends them, and SQL has no
/// access to the beginning and the end of a transaction. Changes within ``interval`` therefore belong to one transaction of
/// the history. The first change after that ends it with a header, whose timestamp is the time of its first change.
///
/// The single row of `chronicle_pending` describes the transaction without a header: `first` is the position of its first
/// change, and `started` its time, or NULL if there is none. The recorder's triggers run ``begin`` before they record a
/// change. It changes the row only to begin a transaction, which runs the trigger of this table.
enum PendingTransaction {
    static let table = "chronicle_pending"
    static let trigger = "chronicle_pending_transaction"

    static let createTable =
        "CREATE TABLE IF NOT EXISTS \(table)(id INTEGER PRIMARY KEY, first INTEGER, started REAL, next REAL)"

    /// The length of a transaction in seconds.
    private static let interval = "1.0"

    /// The time in seconds since 2001-01-01 00:00:00 UTC. It does not change during a statement, and all versions of SQLite
    /// have the function. https://www.sqlite.org/lang_datefunc.html
    private static let now = "(julianday('now') - 2451910.5) * 86400.0"

    /// Begins a transaction if there is none, or if it began more than ``interval`` ago, also by a clock that was set back.
    /// The time is computed once, because it takes most of the time of the statement.
    static let begin =
        "UPDATE \(table) SET next = round(\(now), 3) WHERE ifnull(abs(\(now) - started) > \(interval), 1)"

    /// Ends the previous transaction, unless it has no change: a statement may begin one for rows that it then does not
    /// replace. With a trigger of ``ChangeTable``, SQLite would run each INSERT with a SELECT by way of a temporary table,
    /// and updates would take more than twice the time.
    static let createTrigger = RecorderSQL.trigger(
        trigger, on: table, "AFTER UPDATE OF next", when: "NEW.next IS NOT NULL",
        do: [
            """
            INSERT INTO \(ChangeTable.name)(kind, primary_key, attributes, old_value) \
            SELECT \(ChangeTable.headerKind(source: SourceTable.external)), OLD.started, random(), OLD.first \
            WHERE OLD.started IS NOT NULL AND OLD.first <= (SELECT max(c.id) FROM \(ChangeTable.name) AS c)
            """,
            """
            UPDATE \(table) SET first = (SELECT ifnull(max(c.id), 0) + 1 FROM \(ChangeTable.name) AS c), \
            started = NEW.next
            """,
        ])

    /// Creates the table and the trigger in an empty history.
    static func create(_ connection: Connection) throws {
        try connection.execute(createTable)
        try connection.execute("INSERT INTO \(table)(id) VALUES (1)")
        try connection.execute(createTrigger)
    }

    /// Creates the trigger again, unless it is the newest one of the recorder. SQLite gives a new trigger the highest number in
    /// the schema plus one, so triggers of tables that a program creates again do not get the numbers that they had.
    static func moveTriggerToEnd(_ connection: Connection) throws {
        guard try !isTriggerNewest(connection) else { return }
        try connection.execute("DROP TRIGGER IF EXISTS \(trigger)")
        try connection.execute(createTrigger)
    }

    /// Whether only `VACUUM` changed the numbers of the triggers: it leaves no gaps, and keeps the order. Triggers that a program
    /// created again follow that of ``PendingTransaction``, and leave a gap below it.
    static func isVacuumed(_ connection: Connection) throws -> Bool {
        try connection.scalarInt64("SELECT count(*) = max(rowid) FROM sqlite_schema") == 1
            && isTriggerNewest(connection)
    }

    /// Whether no trigger of the recorder was created after that of ``PendingTransaction``. `VACUUM` preserves their order.
    private static func isTriggerNewest(_ connection: Connection) throws -> Bool {
        try connection.scalarText(
            """
            SELECT name FROM sqlite_schema WHERE type = 'trigger' \
            AND substr(name, 1, \(RecorderSQL.prefix.count)) = '\(RecorderSQL.prefix)' ORDER BY rowid DESC LIMIT 1
            """) == trigger
    }

    /// The time of the first change that no header follows, or `nil` if the file is not a tracked database.
    static func started(_ connection: Connection) throws -> Date? {
        guard try isUsed(connection) else { return nil }
        let statement = try connection.cached("SELECT started FROM \(table)")
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        let seconds = statement.double(0)
        return seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    /// Records that a header follows all changes of a transaction that begins at `first`, and divides the open range of the
    /// summary, which the trigger does not do.
    static func end(from first: Int64, through position: Int64, _ connection: Connection) throws {
        guard try discard(connection) else { return }
        guard try position - SummaryTable.openRange(connection).first >= SummaryTable.interval else { return }
        try SummaryTable.divide(from: first, through: position, connection)
    }

    /// Forgets the transaction that has no header yet, before a header that does not belong to it, or after its header. A
    /// transaction can have begun without a change; the changes after the header would otherwise belong to it. Returns
    /// whether the file is a tracked database.
    @discardableResult
    static func discard(_ connection: Connection) throws -> Bool {
        guard try isUsed(connection) else { return false }
        try connection.cached("UPDATE \(table) SET first = NULL, started = NULL, next = NULL").run()
        return true
    }

    /// The file has the tables of a history.
    private static func isUsed(_ connection: Connection) throws -> Bool {
        try MetaTable.integer(.tracked, connection) != nil
    }
}
