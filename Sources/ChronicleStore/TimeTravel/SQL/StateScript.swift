import ChronicleCore
import ChronicleSQLite

/// The statements of a ``StateDifference`` as one transaction, in plain SQL.
///
/// Programs such as the `sqlite3` shell continue after an error and would execute COMMIT. Temporary triggers therefore count the
/// changed rows. If the count differs from the number of statements, the last statement violates a constraint, which rolls the
/// transaction back.
///
/// The transaction is deferred, because a lock of another connection cannot make BEGIN fail then. After a failed BEGIN IMMEDIATE,
/// each statement would be a transaction. Statements that fail are not counted.
struct StateScript {
    private enum Operation: String, Hashable { case delete = "DELETE", update = "UPDATE", insert = "INSERT" }

    private struct Change: Hashable {
        let table: String
        let operation: Operation
    }

    private struct Trigger {
        let name: String
        let sql: String
    }

    private var removedLinks: [String] = []
    private var deletes: [String] = []
    private var updates: [String] = []
    private var inserts: [String] = []
    /// In the order of the first statement. Names are quoted.
    private var changes: [Change] = []
    /// The triggers of programs, by the folded names of their tables.
    private var triggers: [(table: String, trigger: Trigger)] = []
    private var changedTables: Set<String> = []
    /// The tables with a constraint that may end the transaction, after which the next statements would take effect.
    private var tablesThatRollBack: Set<String> = []
    /// In a store, the triggers of programs run, and the changes that they make are counted as well.
    private let isTracked: Bool

    /// - Parameter connection: The database. The script drops its triggers, except those of Chronicle, because the rows that they
    ///   would change have statements. A copy of a store has no triggers of programs, so the script drops none.
    init(_ connection: Connection, isTracked: Bool) throws {
        let tables = try connection.prepare(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND instr(upper(sql), 'ROLLBACK') > 0")
        while try tables.step() { tablesThatRollBack.insert(TableNames.folded(tables.text(0))) }
        self.isTracked = isTracked
        let statement = try connection.prepare(
            """
            SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL \
            AND substr(name, 1, 10) <> 'chronicle_' COLLATE NOCASE ORDER BY rowid
            """)
        while try statement.step() {
            triggers.append(
                (
                    TableNames.folded(statement.text(1)),
                    Trigger(name: statement.text(0), sql: statement.text(2))
                ))
        }
    }

    // MARK: Statements

    /// Links are removed first: the triggers of a store delete the links of a row, and the rows to which these cascade.
    mutating func removeLink(_ condition: String, from table: String) throws {
        let name = try add(.delete, table)
        removedLinks.append("DELETE FROM \(name) WHERE \(condition);")
    }

    mutating func delete(_ condition: String, from table: String) throws {
        let name = try add(.delete, table)
        deletes.append("DELETE FROM \(name) WHERE \(condition);")
    }

    mutating func update(_ values: String, where condition: String, of table: String) throws {
        let name = try add(.update, table)
        updates.append("UPDATE \(abort(table))\(name) SET \(values) WHERE \(condition);")
    }

    /// - Parameter action: The conflict clause with a space, such as `OR IGNORE `, or an empty string.
    mutating func insert(_ values: String, _ columns: String, into table: String, or action: String = "") throws {
        let name = try add(.insert, table)
        inserts.append("INSERT \(action.isEmpty ? abort(table) : action)INTO \(name)(\(columns)) VALUES (\(values));")
    }

    private func abort(_ table: String) -> String {
        tablesThatRollBack.contains(TableNames.folded(table)) ? "OR ABORT " : ""
    }

    /// Returns the quoted name of the table.
    private mutating func add(_ operation: Operation, _ table: String) throws -> String {
        let name = try Self.name(table)
        let change = Change(table: name, operation: operation)
        if changes.last != change, !changes.contains(change) { changes.append(change) }
        changedTables.insert(TableNames.folded(table))
        return name
    }

    /// Quoted. A script may be shown in a terminal.
    static func name(_ name: String) throws -> String {
        guard !name.unicodeScalars.contains(where: \.isTerminalControl) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail:
                    "the name of a table, column or trigger contains control characters, which SQL cannot escape")
        }
        return quoted(name)
    }

    // MARK: Script

    private static let table = "chronicle_applied"

    /// Empty without changes.
    func statements() throws -> [String] {
        let rows = removedLinks + deletes + updates + inserts
        guard !rows.isEmpty else { return [] }
        let running = triggers.filter { changedTables.contains($0.table) }.map(\.trigger)
        let present = isTracked ? running : []
        let names = present.map { RecorderSQL.literal($0.name) }.joined(separator: ", ")
        let message = "some statements failed or found no row, so nothing was changed"
        // Foreign keys are not enforced, because every row that they would change has a statement.
        var script = ["PRAGMA foreign_keys = OFF;", "BEGIN;"]
        for trigger in present {
            let name = try Self.name(trigger.name)
            script.append("DROP TRIGGER IF EXISTS \(name);")
        }
        script += [
            "CREATE TEMP TABLE \(Self.table)(changes, triggers, ended, CONSTRAINT \(quoted(message)) "
                + "CHECK (ended = 0 OR changes \(running.count > present.count ? ">=" : "=") \(rows.count) AND triggers = 0));",
            "INSERT INTO \(Self.table) VALUES (0, \(present.isEmpty ? 0 : 1), 0);",
        ]
        if !present.isEmpty {
            // A trigger that could not be dropped runs with the statements.
            script.append(
                "UPDATE \(Self.table) SET triggers = (SELECT count(*) FROM sqlite_master WHERE type = 'trigger' "
                    + "AND name COLLATE NOCASE IN (\(names)));")
        }
        for (index, change) in changes.enumerated() {
            script.append(
                "CREATE TEMP TRIGGER \(Self.table)_\(index) AFTER \(change.operation.rawValue) ON \(change.table) "
                    + "BEGIN UPDATE \(Self.table) SET changes = changes + 1; END;")
        }
        script += rows
        // Before the statement that may roll back: after it, CREATE TRIGGER would change the database.
        for trigger in present { script.append(try Self.definition(trigger)) }
        script += changes.indices.map { "DROP TRIGGER IF EXISTS \(Self.table)_\($0);" }
        script += [
            "UPDATE OR ROLLBACK \(Self.table) SET ended = 1;", "DROP TABLE IF EXISTS \(Self.table);", "COMMIT;",
        ]
        return script
    }

    /// The definition keeps its line breaks, because one can end a comment.
    private static func definition(_ trigger: Trigger) throws -> String {
        let blanks: Set<Unicode.Scalar> = ["\n", "\r", "\t"]
        guard !trigger.sql.unicodeScalars.contains(where: { $0.isTerminalControl && !blanks.contains($0) }) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail:
                    "the definition of the trigger \(trigger.name) contains control characters, which SQL cannot escape"
            )
        }
        return "\(trigger.sql);"
    }
}
