import ChronicleTestSupport

@testable import ChronicleStore

/// Random triggers of a program on the tables of a random schema, and views that it writes through triggers.
struct RandomTriggers {
    /// The triggers that exist before the database is tracked, and the views. SQLite runs the triggers after those of the recorder.
    private(set) var earlier: [String] = []
    /// The permanent and temporary triggers that are created later. SQLite runs them before those of the recorder.
    private(set) var later: [String] = []
    /// Whether a change can escape the recorder: if a trigger that runs before it ends the statement with RAISE(IGNORE), or if
    /// a BEFORE trigger writes rows, for which the result of the statement is undefined if they are those of the statement.
    private(set) var mayEscape = false
    private let mode: Mode
    private let tables: [RandomSchema.Table]
    private var random: SplitMix

    /// Which triggers there are.
    enum Mode: CaseIterable {
        /// Only those whose changes the recorder sees.
        case recorded
        /// Also those that let changes escape.
        case any
    }

    /// Adds views to the schema.
    init(_ schema: inout RandomSchema, _ mode: Mode) {
        self.mode = mode
        tables = schema.tables
        random = schema.random
        for number in tables.indices {
            while chance(60) { addTrigger(earlier.count + later.count, on: tables[number]) }
            if chance(50) { schema.tables.append(addView(number)) }
        }
        schema.random = random
    }

    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    // MARK: Tables

    private mutating func addTrigger(_ number: Int, on table: RandomSchema.Table) {
        let isEarlier = chance(30)
        let isTemporary = !isEarlier && chance(60)
        let event = random.pick(["INSERT", "UPDATE", "DELETE"])
        let isBefore = chance(35)
        let row = event == "DELETE" ? "OLD" : "NEW"
        let column = random.pick(table.key + table.columns)
        let body: String
        if chance(40) {
            let isIgnored = chance(70)
            // An error ends the statement as a violated constraint does.
            body =
                "SELECT RAISE(\(isIgnored ? "IGNORE" : "ABORT, 'no'")) WHERE \(row).\(quoted(column)) \(random.pick(["IS", "IS NOT"])) \(value())"
            if isIgnored, !isBefore, !isEarlier {
                guard mode == .any else { return }
                mayEscape = true
            }
        } else {
            if isBefore {
                guard mode == .any else { return }
                mayEscape = true
            }
            body = (0...random.below(2)).map { _ in statement(table, row, event) }.joined(separator: "; ")
        }
        // Without the condition, triggers that cause each other would not end.
        let condition = " WHEN (SELECT count(*) FROM \(quoted(table.name))) < 12"
        let trigger =
            "CREATE \(isTemporary ? "TEMP " : "")TRIGGER own\(number) \(isBefore ? "BEFORE" : "AFTER") \(event) "
            + "ON \(quoted(table.name))\(condition) BEGIN \(body); END"
        if isEarlier { earlier.append(trigger) } else { later.append(trigger) }
    }

    /// Returns a statement of a trigger, which ends at a fixed state of the rows.
    private mutating func statement(_ table: RandomSchema.Table, _ row: String, _ event: String) -> String {
        let name = quoted(table.name)
        let own = table.key.map { "\(quoted($0)) IS \(row).\(quoted($0))" }.joined(separator: " AND ")
        let number = random.pick(["98", "99"])
        switch random.below(7) {
        case 0, 1:
            guard let column = table.columns.last.map(quoted) else { fallthrough }
            return
                "UPDATE OR IGNORE \(name) SET \(column) = \(number) WHERE \(own) AND \(column) IS NOT 98 AND \(column) IS NOT 99"
        case 2:
            return
                "DELETE FROM \(name) WHERE \(own) AND \(quoted(random.pick(table.key + table.columns))) IS \(value())"
        case 3:
            let columns = table.key + table.columns.prefix(1)
            return "INSERT OR IGNORE INTO \(name)(\(columns.map(quoted).joined(separator: ", "))) "
                + "VALUES (\(columns.map { "\(row).\(quoted($0))" }.joined(separator: ", ")))"
        default: return otherStatement()
        }
    }

    private mutating func otherStatement() -> String {
        let other = random.pick(tables)
        let name = quoted(other.name)
        let columns = other.key + other.columns
        let column = quoted(random.pick(columns))
        switch random.below(4) {
        case 0:
            let value = self.value()
            return "UPDATE OR IGNORE \(name) SET \(column) = \(value) WHERE \(column) IS NOT \(value)"
        case 1: return "DELETE FROM \(name) WHERE \(column) IS \(value())"
        default:
            return
                "INSERT OR \(random.pick(["IGNORE", "REPLACE"])) INTO \(name)(\(columns.map(quoted).joined(separator: ", "))) "
                + "SELECT \(columns.map { _ in value() }.joined(separator: ", ")) WHERE (SELECT count(*) FROM \(name)) < 12"
        }
    }

    private mutating func value() -> String { random.pick(["NULL", "0", "1", "2", "'a'", "'A'", "x'61'"]) }

    // MARK: Views

    private mutating func addView(_ number: Int) -> RandomSchema.Table {
        let table = tables[number]
        let view = RandomSchema.Table(name: "view\(number)", key: table.key, columns: table.columns, hasRowIDs: false)
        let (name, source) = (quoted(view.name), quoted(table.name))
        let columns = table.key + table.columns
        earlier.append("CREATE VIEW \(name) AS SELECT \(columns.map(quoted).joined(separator: ", ")) FROM \(source)")
        let key = table.key.map { "\(quoted($0)) IS OLD.\(quoted($0))" }.joined(separator: " AND ")
        let changed = random.pick(columns)
        let bodies = [
            "INSERT": "INSERT INTO \(source)(\(columns.map(quoted).joined(separator: ", "))) "
                + "VALUES (\(columns.map { "NEW.\(quoted($0))" }.joined(separator: ", ")))",
            "UPDATE": "UPDATE \(source) SET \(quoted(changed)) = NEW.\(quoted(changed)) WHERE \(key)",
            "DELETE": "DELETE FROM \(source) WHERE \(key)",
        ]
        for (event, body) in bodies.sorted(by: { $0.key < $1.key }) where chance(80) {
            let ignored =
                chance(20)
                ? "SELECT RAISE(IGNORE) WHERE \(event == "DELETE" ? "OLD" : "NEW").\(quoted(changed)) IS 1; " : ""
            let trigger =
                "TRIGGER \(event.lowercased())\(number) INSTEAD OF \(event) ON \(name) BEGIN \(ignored)\(body); END"
            switch random.below(3) {
            case 0: earlier.append("CREATE \(trigger)")
            case 1: later.append("CREATE \(trigger)")
            default: later.append("CREATE TEMP \(trigger)")
            }
        }
        return view
    }
}
