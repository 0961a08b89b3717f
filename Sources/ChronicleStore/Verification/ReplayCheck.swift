import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Whether the rows of the models are what the history says. It is replayed from the position after which it is complete.
/// Then each row that it mentions must exist or not, and have the last values that the history preserves.
final class ReplayCheck {
    private struct Key: Hashable {
        let table: Int64
        let key: Int64
    }

    private struct ValueKey: Hashable {
        let row: Key
        let attribute: Int64
    }

    private struct State {
        var exists: Bool
        var last: Int64
    }

    private struct Table {
        let name: String
        /// A FROM clause with the key as `_rowid_`.
        let source: String
        let columns: [Int64: String]
        /// Up to this position, values of relationships are not comparable, because their form changed.
        let relationshipsAfter: Int64
        let relationships: Set<Int64>
    }

    private let verifier: StoreVerifier
    /// The position after which the history is complete.
    private let start: Int64
    private var tables: [Int64: Table] = [:]
    /// The roots by the number of each entity.
    private var roots: [Int64: Int64] = [:]
    private var states: [Key: State] = [:]
    /// The position of the row with an attribute's last value, or 0 if that is not known.
    private var values: [ValueKey: Int64] = [:]
    private var current: (key: Key, operation: ChangeTable.Operation)?
    /// The positions of the values that the current change replaces, by attribute, as far as the history contains them.
    private var replaced: [Int64: Int64] = [:]
    /// Whether replaced values are compared with the recorded ones. Not in a store, where the stored form of a value can change.
    private var comparesReplaced = false
    /// The positions at which columns were added, by entity and attribute.
    private let added: [Int64: [Int64: Int64]]
    /// The values of added columns that were set since, and that the history does not contain.
    private var forgotten: Set<ValueKey> = []

    /// The rows that are replayed at once.
    private static let rowsPerPart: Int64 = 4_000_000

    /// - Parameters:
    ///   - entities: The tables to compare, or `nil` for all of them.
    ///   - added: The positions at which columns were added, by entity and attribute, if it matters whether they were set since.
    init(
        _ verifier: StoreVerifier, _ properties: MetaCheck.Properties, _ registry: RegistryCheck.Registry,
        entities: Set<Int64>? = nil, added: [Int64: [Int64: Int64]] = [:]
    ) throws {
        (self.verifier, self.added) = (verifier, added)
        start = properties.completeAfter
        for entity in registry.entities {
            let root = registry.root(of: entity)
            guard registry.tables.contains(root.name), entities?.contains(root.number) ?? true else { continue }
            roots[entity.number] = root.number
            guard tables[root.number] == nil else { continue }
            let columns = root.attributes.filter(\.isPresent)
            tables[root.number] = Table(
                name: root.name,
                source: verifier.isTracked
                    ? TrackedRows.source(root.name, root.number, root.keyColumns) : quoted(root.name),
                columns: Dictionary(
                    columns.map { (Int64($0.number), $0.name) }, uniquingKeysWith: { first, _ in first }),
                relationshipsAfter: try MetaTable.position(.relationships(root.number), verifier.connection) ?? 0,
                relationships: Set(columns.filter { $0.destination != nil }.map { Int64($0.number) }))
        }
    }

    func run() throws {
        comparesReplaced = verifier.isTracked
        try forEachPart { part, parts in
            try compareRows()
            try compareValues()
            if start == 0 { try findUnrecorded(part, of: parts) }
            verifier.show(0.5 + Double(part + 1) / Double(parts) / 2)
        }
    }

    /// Passes the numbers of the table's entity, the key and the attribute, and the position of the recorded value. `recorded`
    /// receives each value of an existing row that the history contains, and each one of an added column that was set without a
    /// value in the history.
    func forEachDifferentValue(
        recorded: (_ entity: Int64, _ key: Int64, _ attribute: Int64, _ isKnown: Bool) -> Void = { _, _, _, _ in },
        _ body: (_ entity: Int64, _ key: Int64, _ attribute: Int64, _ position: Int64) throws -> Void
    ) throws {
        try forEachPart { _, _ in
            for value in values.keys where states[value.row]?.exists == true {
                recorded(value.row.table, value.row.key, value.attribute, true)
            }
            for value in forgotten where states[value.row]?.exists == true {
                recorded(value.row.table, value.row.key, value.attribute, false)
            }
            try findDifferentValues { value, position in
                try body(value.row.table, value.row.key, value.attribute, position)
            }
        }
    }

    private func forEachPart(_ body: (_ part: Int64, _ parts: Int64) throws -> Void) throws {
        // Not the distance of the positions: a damaged file can have a row far behind the others.
        let rows = try verifier.connection.scalarInt64("SELECT count(*) FROM \(ChangeTable.name) WHERE id > \(start)")
        let parts = max(1, (rows ?? 0) / Self.rowsPerPart)
        for part in 0..<parts {
            states.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
            forgotten.removeAll(keepingCapacity: true)
            try replay(part, of: parts)
            try body(part, parts)
        }
    }

    // MARK: Replaying

    private func replay(_ part: Int64, of parts: Int64) throws {
        let condition = parts == 1 ? "" : " AND abs(primary_key % \(parts)) = \(part)"
        try verifier.forEachRow(
            """
            SELECT id, kind, primary_key, attributes FROM \(ChangeTable.name) \
            WHERE id > \(start) AND \(ChangeTable.isChange())\(condition) ORDER BY id
            """
        ) { statement in
            let kind = ChangeTable.Kind(rawValue: statement.int64(1))
            guard let operation = kind.operation, let root = roots[kind.entity], statement.isInteger(2) else {
                current = nil
                return
            }
            try add(statement, operation, Key(table: root, key: statement.int64(2)))
        }
    }

    private func add(_ statement: Statement, _ operation: ChangeTable.Operation, _ key: Key) throws {
        let position = statement.int64(0)
        if operation != .preservedValue { replaced.removeAll(keepingCapacity: true) }
        switch operation {
        case .preservedValue: break
        case .insert:
            if states[key]?.exists == true {
                try verifier.report(.row, at: position, "the inserted row \(name(key)) exists before")
            }
            states[key] = State(exists: true, last: position)
            forget(key)
            // An insert replaces no values.
            replaced.removeAll(keepingCapacity: true)
            for (number, start) in added[key.table] ?? [:] where position > start {
                forgotten.insert(ValueKey(row: key, attribute: number))
            }
        case .update:
            if states[key]?.exists == false {
                try verifier.report(.row, at: position, "the updated row \(name(key)) does not exist before")
            }
            states[key] = State(exists: true, last: position)
            forgetChanged(statement, position, key)
        case .delete:
            if states[key]?.exists == false {
                try verifier.report(.row, at: position, "the deleted row \(name(key)) does not exist before")
            }
            states[key] = State(exists: false, last: position)
            forget(key)
        }
        if operation != .preservedValue { current = (key, operation) }
        // An insert and a delete have their first value in their own row; an update has none there.
        guard operation != .update, let current, current.key == key, statement.isInteger(3) else {
            return
        }
        let number = statement.int64(3)
        if let recorded = replaced.removeValue(forKey: number) { try compare(recorded, number, key, position) }
        guard current.operation != .delete, let table = tables[key.table], table.columns[number] != nil else { return }
        if table.relationships.contains(number), position <= table.relationshipsAfter { return }
        values[ValueKey(row: key, attribute: number)] = position
        forgotten.remove(ValueKey(row: key, attribute: number))
    }

    /// Compares the value that a change replaced with the one that was recorded last.
    private func compare(_ recorded: Int64, _ attribute: Int64, _ key: Key, _ position: Int64) throws {
        let statement = try verifier.connection.cached(
            """
            SELECT c.old_value IS r.new_value AND typeof(c.old_value) = typeof(r.new_value) \
            FROM \(ChangeTable.name) AS c, \(ChangeTable.name) AS r WHERE c.id = ? AND r.id = ?
            """)
        defer { statement.reset() }
        try statement.bind(position, at: 1)
        try statement.bind(recorded, at: 2)
        guard try statement.step(), statement.int64(0) == 0, let table = tables[key.table],
            let column = table.columns[attribute]
        else { return }
        try verifier.report(
            .unrecordedChange, table.name, key.key,
            detail:
                "the change at position \(position) replaced another value of \(column) than the one recorded at position "
                + "\(recorded): a change in between was not recorded, or several triggers changed the row at once")
    }

    private func name(_ key: Key) -> String { "\(tables[key.table]?.name ?? "")/\(key.key)" }

    private func forget(_ key: Key) {
        for number in tables[key.table]?.columns.keys ?? [:].keys {
            if comparesReplaced { replaced[number] = values[ValueKey(row: key, attribute: number)] }
            values[ValueKey(row: key, attribute: number)] = nil
            forgotten.remove(ValueKey(row: key, attribute: number))
        }
    }

    /// The values that the history preserves follow the update.
    private func forgetChanged(_ statement: Statement, _ position: Int64, _ key: Key) {
        let masks: AttributeMasks? =
            statement.isInteger(3) ? AttributeMasks(statement.int64(3)) : AttributeMasks(statement.text(3))
        // Damaged masks were reported.
        masks?.forEach { number in
            let value = ValueKey(row: key, attribute: Int64(number))
            if comparesReplaced { replaced[value.attribute] = values[value] }
            values[value] = nil
            if let start = added[key.table]?[value.attribute], position > start { forgotten.insert(value) }
        }
    }

    // MARK: Comparing

    private func compareRows() throws {
        for (key, state) in states.sorted(by: { ($0.key.table, $0.key.key) < ($1.key.table, $1.key.key) }) {
            guard let table = tables[key.table] else { continue }
            let statement = try verifier.connection.cached("SELECT 1 FROM \(table.source) WHERE _rowid_ = ?")
            defer { statement.reset() }
            try statement.bind(key.key, at: 1)
            let exists = try statement.step()
            guard exists != state.exists else { continue }
            try verifier.report(
                .row, table.name, key.key,
                detail: exists
                    ? "the row exists, but position \(state.last) of the history deletes it"
                    : "the row is missing, and the history does not delete it")
        }
    }

    private func compareValues() throws {
        try findDifferentValues { value, position in
            guard let table = tables[value.row.table], let column = table.columns[value.attribute] else { return }
            try verifier.report(
                .row, table.name, value.row.key,
                detail: "the value of \(column) is not the one that position \(position) of the history records")
        }
    }

    private func findDifferentValues(_ body: (ValueKey, _ position: Int64) throws -> Void) throws {
        let sorted = values.sorted { ($0.key.row.table, $0.key.row.key) < ($1.key.row.table, $1.key.row.key) }
        for (value, position) in sorted where states[value.row]?.exists == true {
            guard let table = tables[value.row.table], let column = table.columns[value.attribute] else { continue }
            // The recorder compares with IS, too, and compares types in the tables of other programs.
            let present = "t.\(quoted(column))"
            let isSame =
                "c.new_value IS \(present)"
                + (verifier.isTracked ? " AND typeof(c.new_value) = typeof(\(present))" : "")
            let statement = try verifier.connection.cached(
                """
                SELECT \(isSame) FROM \(table.source) AS t, \(ChangeTable.name) AS c \
                WHERE t._rowid_ = ? AND c.id = ?
                """)
            defer { statement.reset() }
            try statement.bind(value.row.key, at: 1)
            try statement.bind(position, at: 2)
            guard try statement.step(), statement.int64(0) == 0 else { continue }
            try body(value, position)
        }
    }

    private func findUnrecorded(_ part: Int64, of parts: Int64) throws {
        let condition = parts == 1 ? "" : " WHERE abs(_rowid_ % \(parts)) = \(part)"
        for (number, table) in tables.sorted(by: { $0.key < $1.key }) {
            try verifier.forEachRow("SELECT _rowid_ FROM \(quoted(table.name))\(condition)") { statement in
                let key = statement.int64(0)
                guard states[Key(table: number, key: key)] == nil else { return }
                try verifier.report(.row, table.name, key, detail: "the history does not contain the row's insert")
            }
        }
    }
}
