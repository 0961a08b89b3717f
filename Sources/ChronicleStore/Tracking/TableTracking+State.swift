import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

// The state of the tables.
extension TableTracking {
    /// Includes recorded tables that do not exist any more.
    func tables() throws -> [TrackedDatabase.Table] {
        let isReadable = try FileFormat.isTracked(connection) && !RecorderObjects(connection).isIncomplete
        let entities = try isReadable ? registry.entities().filter { $0.tableName != nil } : []
        var tables = try TrackedTable.names(connection).compactMap { name -> TrackedDatabase.Table? in
            guard let table = try TrackedTable(name, connection) else { return nil }
            return try self.table(table, entities.first { $0.name == table.name })
        }
        for entity in entities where !tables.contains(where: { $0.name == entity.name }) {
            let renamed = try newName(of: entity).map { name in
                // Without another table of the former name, which the program has created meanwhile.
                let fails = try readsFormerTable(entity, name) && TrackedTable(entity.name, connection) == nil
                return "the table was renamed to \(name)" + (fails ? ", and each write of it fails" : "")
            }
            tables.append(
                .init(
                    name: entity.name, state: .interrupted(reason: renamed ?? "the table does not exist"),
                    limitations: []))
        }
        return tables.sorted { $0.name < $1.name }
    }

    func differences() throws -> [(table: String, Baseline.Difference)] {
        var differences: [(String, Baseline.Difference)] = []
        for entity in try registry.entities() {
            if let difference = try difference(of: entity) { differences.append(difference) }
        }
        return differences
    }

    /// `nil` if the changes explain the rows at each position, or the recording is interrupted.
    private func difference(
        of entity: RecordedEntity, until end: ContinuousClock.Instant? = nil
    ) throws -> (table: String, Baseline.Difference)? {
        guard let name = entity.tableName, let table = try TrackedTable(name, connection),
            try interruption(of: entity, table) == nil,
            let difference = try Baseline(of: entity.number, connection).difference(table, until: end),
            !difference.isExact
        else { return nil }
        return (name, difference)
    }

    /// Like ``differences()``, without the tables whose comparison takes longer than their share of the time.
    ///
    /// A schema that was not followed can explain differences, so that none are returned.
    func differences(within limit: Duration) throws -> [(table: String, Baseline.Difference)] {
        guard try FileFormat.isTracked(connection), try !SchemaFollowing(connection).isDue else { return [] }
        let end = ContinuousClock.now + limit
        var entities = try registry.entities().filter { $0.tableName != nil }
        var differences: [(String, Baseline.Difference)] = []
        while let entity = entities.popLast() {
            let share = (end - ContinuousClock.now) / (entities.count + 1)
            guard share > .zero else { break }
            do {
                let difference = try connection.reading(within: share) {
                    try self.difference(of: entity, until: ContinuousClock.now + share)
                }
                if let found = difference ?? nil { differences.append(found) }
            } catch is Baseline.TimeLimitExceeded {}
        }
        return differences.sorted { $0.0 < $1.0 }
    }

    private func table(_ table: TrackedTable, _ entity: RecordedEntity?) throws -> TrackedDatabase.Table {
        var limitations: [String] = []
        if table.reason == nil {
            limitations = table.unknownIndexes.map {
                "rows that REPLACE deletes because of the index \($0), which is partial or contains expressions, are missing"
            }
            if try hasRowsWithoutKey(table) {
                limitations.append("rows with NULL in the primary key are missing")
            }
        }
        let state: TrackedDatabase.Table.State
        if let entity {
            let reason = try interruption(of: entity, table)
            let renamed = try reason == nil ? nil : SchemaFollowing(connection).renamedColumn(of: entity, table)
            state = (renamed ?? reason).map { .interrupted(reason: $0) } ?? .recorded
        } else {
            state = table.reason.map { .unsupported(reason: $0) } ?? .notRecorded
        }
        var result = TrackedDatabase.Table(name: table.name, state: state, limitations: limitations)
        (result.isOrdinary, result.isPart) = (table.isOrdinary, table.isPart)
        return result
    }

    private func hasRowsWithoutKey(_ table: TrackedTable) throws -> Bool {
        guard !table.primaryKey.isEmpty else { return false }
        let isNull = table.primaryKey.map { "\(quoted($0.name)) IS NULL" }.joined(separator: " OR ")
        return try connection.scalarInt64("SELECT 1 FROM \(quoted(table.name)) WHERE \(isNull) LIMIT 1") != nil
    }

    /// `nil` if all changes are recorded.
    ///
    /// - Parameter allowsNewColumns: Whether to ignore columns that are not recorded.
    func interruption(
        of entity: RecordedEntity, _ table: TrackedTable, allowsNewColumns: Bool = false
    ) throws -> String? {
        if let reason = table.reason { return reason }
        if hasOtherKey(entity, table) { return "its primary key has other columns" }
        let columns = Set(table.attributes.map(\.name))
        let recorded = Set(entity.attributes.filter(\.isPresent).map(\.name))
        if let name = recorded.subtracting(columns).min() { return "the column \(name) does not exist" }
        if !allowsNewColumns, let name = columns.subtracting(recorded).min() {
            return "the column \(name) is not recorded"
        }
        let found = try triggers(of: table.name)
        if found.isEmpty { return "its triggers were dropped, as by a change that rebuilds the table" }
        if !RecorderSQL.isRecorded(table.recordedTable(entity), by: Set(found.map(\.sql))) {
            return "its triggers are not those of the table and its indexes any more"
        }
        if let key = KeyTable(table, of: entity.number), try key.storedDefinition(connection) != key.createTable {
            return "the table \(key.key.table) is not the one that was created"
        }
        if try Baseline(of: entity.number, connection).wasDropped { return "the table \(Baseline.table) was dropped" }
        return try laterTrigger(than: found, on: table.name).map {
            "the trigger \($0) was created later, so the changes it makes may be recorded before those that caused them"
        }
    }

    private func hasOtherKey(_ entity: RecordedEntity, _ table: TrackedTable) -> Bool {
        (entity.keyColumns ?? []) != table.primaryKey.map(\.name)
    }

    /// Whether the numbers of the entity's keys identify other rows: the primary key has other columns, or another idea of
    /// equal values.
    func hasOtherKeys(_ entity: RecordedEntity, _ table: TrackedTable) throws -> Bool {
        if hasOtherKey(entity, table) { return true }
        // Without its table, new keys would have the numbers of others.
        guard let key = KeyTable(table, of: entity.number) else { return false }
        return try key.storedDefinition(connection) != key.createTable
    }

    func triggers(of table: String) throws -> [(number: Int64, sql: String)] {
        let statement = try connection.prepare(
            """
            SELECT rowid, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND substr(name, 1, 10) = 'chronicle_'
            """)
        try statement.bind(table, at: 1)
        var triggers: [(Int64, String)] = []
        while try statement.step() { triggers.append((statement.int64(0), statement.text(1))) }
        return triggers
    }

    /// SQLite runs newer triggers before those of the recorder. Returns one that may write the table.
    private func laterTrigger(than own: [(number: Int64, sql: String)], on table: String) throws -> String? {
        let statement = try connection.prepare(
            """
            SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND rowid > ? \
            AND substr(name, 1, 10) <> 'chronicle_' ORDER BY rowid
            """)
        try statement.bind(table, at: 1)
        try statement.bind(own.map(\.number).min() ?? .max, at: 2)
        while try statement.step() {
            let analysis = try programTriggers.analysis ?? TriggerAnalysis(connection)
            programTriggers.analysis = analysis
            if analysis.mayWrite(table, trigger: statement.text(1)) { return statement.text(0) }
        }
        return nil
    }

    /// Returns the name of the table with the triggers of the entity, if it has another one now. A table with the earlier name is
    /// another one: SQLite moves the triggers with the table that is renamed.
    func newName(of entity: RecordedEntity) throws -> String? {
        try connection.scalarText(
            "SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name = ?1 AND tbl_name <> ?2"
        ) {
            try $0.bind(RecorderSQL.TriggerKind.insert.name(of: entity.number), at: 1)
            try $0.bind(entity.name, at: 2)
        }
    }

    /// Whether the triggers that moved with a renamed table still read the one with the former name: the program has renamed it
    /// with `PRAGMA legacy_alter_table`, or with SQLite before 3.25. https://www.sqlite.org/lang_altertable.html
    func readsFormerTable(_ entity: RecordedEntity, _ name: String) throws -> Bool {
        try triggers(of: name).contains { $0.sql.contains("\(quoted(entity.name)) AS held") }
    }
}
