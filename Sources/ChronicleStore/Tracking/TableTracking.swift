import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Begins and ends the recording of tables in a transaction of a connection to another program's database.
struct TableTracking {
    let connection: Connection
    let registry: EntityRegistry
    /// The triggers of the program, which do not change in a transaction.
    private let programTriggers = ProgramTriggers()

    private final class ProgramTriggers {
        var analysis: TriggerAnalysis?
    }

    init(_ connection: Connection) {
        self.connection = connection
        registry = EntityRegistry(connection)
    }

    // MARK: The state of the tables

    /// Includes recorded tables that do not exist any more.
    func tables() throws -> [TrackedDatabase.Table] {
        let isReadable = try FileFormat.isTracked(connection) && !RecorderObjects(connection).isIncomplete
        let entities = try isReadable ? registry.entities().filter { $0.tableName != nil } : []
        var tables = try TrackedTable.names(connection).compactMap { name -> TrackedDatabase.Table? in
            guard let table = try TrackedTable(name, connection) else { return nil }
            return try self.table(table, entities.first { $0.name == table.name })
        }
        for entity in entities where !tables.contains(where: { $0.name == entity.name }) {
            let renamed = try newName(of: entity).map { "the table was renamed to \($0)" }
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
            guard let name = entity.tableName, let table = try TrackedTable(name, connection),
                try interruption(of: entity, table) == nil,
                let difference = try Baseline(of: entity.number, connection).difference(table), !difference.isEmpty
            else { continue }
            differences.append((name, difference))
        }
        return differences
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
            state = try interruption(of: entity, table).map { .interrupted(reason: $0) } ?? .recorded
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
    func interruption(of entity: RecordedEntity, _ table: TrackedTable) throws -> String? {
        if let reason = table.reason { return reason }
        if hasOtherKey(entity, table) { return "its primary key has other columns" }
        let columns = Set(table.attributes.map(\.name))
        let recorded = Set(entity.attributes.filter(\.isPresent).map(\.name))
        if let name = recorded.subtracting(columns).min() { return "the column \(name) does not exist" }
        if let name = columns.subtracting(recorded).min() { return "the column \(name) is not recorded" }
        let found = try triggers(of: table.name)
        if found.isEmpty { return "its triggers were dropped, as by a change that rebuilds the table" }
        if !RecorderSQL.isRecorded(table.recordedTable(entity), by: Set(found.map(\.sql))) {
            return "its triggers are not those of the table and its indexes any more"
        }
        if let key = KeyTable(table, of: entity.number), try key.storedDefinition(connection) != key.createTable {
            return "the table \(key.key.table) is not the one that was created"
        }
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

    /// Returns the name of the table with the triggers of the entity, if it has another one now. A table with the earlier name is one
    /// that was renamed as well and has its own triggers; otherwise, it has replaced that of the entity.
    func newName(of entity: RecordedEntity) throws -> String? {
        try connection.scalarText(
            """
            SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name = ?1 AND tbl_name <> ?2 \
            AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS t WHERE t.type = 'table' AND t.name = ?2 \
            AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS s WHERE s.type = 'trigger' AND s.tbl_name = t.name \
            AND substr(s.name, 1, 10) = 'chronicle_'))
            """
        ) {
            try $0.bind(RecorderSQL.TriggerKind.insert.name(of: entity.number), at: 1)
            try $0.bind(entity.name, at: 2)
        }
    }

    // MARK: Beginning

    func track(
        _ names: [String]?, preservesValues: Bool?, recordsNewTables: Bool?
    ) throws -> [TrackedDatabase.Table] {
        let requested = try requestedTables(names)
        try dropRemains()
        if try !FileFormat.isTracked(connection) { try createHistory(preservesValues: preservesValues ?? true) }
        // The triggers show which columns were renamed, so they are compared before the setting changes them.
        let followed = try SchemaFollowing(connection).run()
        if let preservesValues { try setPreservesValues(preservesValues) }
        var begun: Set<String> = []
        for table in requested where try record(table) { begun.insert(table.name) }
        if !begun.isEmpty { try HistoryGap.record(connection) }
        let ignored = IgnoredTables(connection)
        if let recordsNewTables, !recordsNewTables { try ignored.remove() }
        if try recordsNewTables ?? (ignored.names() != nil) { try ignored.set() }
        try SchemaFollowing(connection).finish()
        return try tables().map { table in
            var table = table
            table.isNew = begun.contains(table.name) || followed.gaps.contains(table.name)
            table.schemaChanges = followed.changes.filter { $0.table == table.name }.map(\.text)
            return table
        }
    }

    func reconcile() throws -> [String: Int] {
        guard try FileFormat.isTracked(connection), try !RecorderObjects(connection).isIncomplete else { return [:] }
        return try Reconciliation(connection).run()
    }

    private func requestedTables(_ names: [String]?) throws -> [TrackedTable] {
        func unsupported(_ detail: String) -> SwiftDataError { .unsupportedFeature.with(detail: detail) }
        guard let names else {
            let tables = try TrackedTable.names(connection).compactMap { try TrackedTable($0, connection) }
                .filter { $0.reason == nil }
            // The program may have dropped all tables since, which is a change to follow.
            if tables.isEmpty, try !FileFormat.isTracked(connection) {
                throw unsupported("the database has no table that can be recorded")
            }
            return tables
        }
        return try names.map { name in
            guard let table = try TrackedTable(name, connection) else {
                throw unsupported("the database has no table \(name)")
            }
            if let reason = table.reason { throw unsupported("the table \(name) cannot be recorded: \(reason)") }
            return table
        }
    }

    /// Another program may have dropped the history and left the triggers.
    private func dropRemains() throws {
        let objects = try RecorderObjects(connection)
        guard objects.isIncomplete else { return }
        guard objects.lacksChanges else {
            throw SwiftDataError.unsupportedFeature.with(
                detail:
                    "the table \(objects.missingTables.sorted().joined(separator: ", ")) of the history is missing, which "
                    + "another program dropped; use chronicle untrack to delete the rest of the history")
        }
        try objects.drop(connection)
    }

    private func createHistory(preservesValues: Bool) throws {
        let other = try connection.scalarText(
            "SELECT name FROM sqlite_schema WHERE substr(name, 1, 10) = 'chronicle_' COLLATE NOCASE LIMIT 1")
        if let other {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the database already contains \(other), and names that begin with chronicle_ are reserved")
        }
        try HistoryTables.create(connection, isTracked: true)
        try PendingTransaction.create(connection)
        try MetaTable.set(.storeIdentifier, UUID().uuidString, connection)
        try MetaTable.set(.format, FileFormat.current, connection)
        try MetaTable.set(.history, "on", connection)
        try MetaTable.set(.preservesValues, preservesValues ? "on" : "off", connection)
        try MetaTable.set(.tracked, 1, connection)
        try SourceTable.insertExternal(connection)
        try SummaryTable.insertOpenRange(connection)
    }

    private var preservesValues: Bool {
        get throws { try MetaTable.text(.preservesValues, connection) == "on" }
    }

    func setPreservesValues(_ preservesValues: Bool) throws {
        guard try self.preservesValues != preservesValues else { return }
        var headers = HeaderWriter(connection)
        try headers.sealExternalChanges(resolvesConflicts: true)
        try MetaTable.set(.preservesValues, preservesValues ? "on" : "off", connection)
        let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
        try MetaTable.set(.preservesValuesSince, newest, connection)
        for entity in try registry.entities() where entity.tableName != nil {
            let table = try TrackedTable(entity.name, connection)
            // Otherwise the triggers do not match, and the table is recorded again with a gap.
            let isRecorded = try table.map { try interruption(of: entity, $0) == nil } ?? false
            var changed = entity
            for index in changed.attributes.indices {
                changed.attributes[index].preservation.setDefault(preservesValues ? .limited : .none)
                try registry.update(changed.attributes[index], of: entity)
            }
            if let table, isRecorded { try recreateTriggers(table.recordedTable(changed)) }
        }
    }

    func recreateTriggers(_ table: RecordedTable) throws {
        for statement in RecorderSQL.recreateTriggers(of: table) { try connection.execute(statement) }
    }

    /// Returns whether the changes were not recorded before.
    private func record(_ table: TrackedTable) throws -> Bool {
        var entity = try registry.entities().first { $0.name == table.name }
        if let known = entity, known.tableName != nil, try interruption(of: known, table) == nil {
            let present = table.recordedTable(known)
            if try Set(triggers(of: table.name).map(\.sql)) != Set(RecorderSQL.triggers(of: present)) {
                try recreateTriggers(present)
            }
            return false
        }
        if let known = entity, try hasOtherKeys(known, table) {
            // The keys in the history are those of the earlier primary key.
            try stop(known)
            try retire(known)
            entity = nil
        }
        try begin(table, register(table, entity))
        return true
    }

    /// Assigns numbers to the columns of a table, and to its keys.
    func register(_ table: TrackedTable, _ entity: RecordedEntity?) throws -> RecordedEntity {
        var recorded = try entity ?? registry.entity(named: table.name)
        let columns = Set(table.attributes.map(\.name))
        for index in recorded.attributes.indices
        where recorded.attributes[index].isPresent && !columns.contains(recorded.attributes[index].name) {
            recorded.attributes[index].isPresent = false
            try registry.update(recorded.attributes[index], of: recorded)
        }
        let definition = try definition(of: table)
        try registry.register(definition, &recorded, preservesValues: preservesValues)
        try registry.setDefinition(definition, of: recorded)
        try registry.setTable(table.name, keyColumns: table.primaryKey.map(\.name), of: recorded)
        recorded.tableName = table.name
        recorded.keyColumns = table.keyColumns
        if let key = KeyTable(table, of: recorded.number) {
            if try key.storedDefinition(connection) == nil { try connection.execute(key.createTable) }
            try key.numberRows(connection)
        }
        return recorded
    }

    /// Creates the triggers, and stores the keys of the rows.
    func begin(_ table: TrackedTable, _ entity: RecordedEntity) throws {
        // Notes from before the interruption say nothing about the present rows.
        for statement in RecorderSQL.dropTriggers(of: entity.number) { try connection.execute(statement) }
        for statement in RecorderSQL.triggers(of: table.recordedTable(entity)) { try connection.execute(statement) }
        try Baseline(of: entity.number, connection).set(table)
        try MetaTable.remove(.droppedTable(entity.number), connection)
    }

    /// Whether a table was dropped while it was recorded, so that it is recorded again if it exists again.
    func wasDropped(_ entity: RecordedEntity) throws -> Bool {
        try MetaTable.integer(.droppedTable(entity.number), connection) != nil
    }

    /// The history of an entity that is not recorded any more remains under another name.
    func retire(_ entity: RecordedEntity) throws {
        try MetaTable.remove(.droppedTable(entity.number), connection)
        let names = Set(try registry.entities().map(\.name))
        var number = 1
        while names.contains("\(entity.name) (\(number))") { number += 1 }
        let statement = try connection.prepare("UPDATE chronicle_entity SET name = ?, definition = NULL WHERE id = ?")
        try statement.bind("\(entity.name) (\(number))", at: 1)
        try statement.bind(entity.number, at: 2)
        try statement.run()
    }

    func definition(of table: TrackedTable) throws -> Schema.Entity {
        struct Attribute: Encodable {
            let kind = "attribute"
            let name: String
            let type: String
            let storage = Schema.Attribute.Storage.blob
            let isOptional = true
        }
        struct Entity: Encodable {
            let name: String
            let properties: [Attribute]
        }
        let properties = table.attributes.map { column in
            Attribute(name: column.name, type: Schema.Attribute.typeName(ofColumnType: column.declaredType))
        }
        let json = try JSONEncoder().encode(Entity(name: table.name, properties: properties))
        return try Schema.Entity(json: String(decoding: json, as: UTF8.self))
    }

    // MARK: Ending

    func stop(_ names: [String]?) throws {
        let objects = try RecorderObjects(connection)
        // A program has dropped tables of the history. Without them, the others are of no use.
        if names == nil, objects.isIncomplete { return try objects.drop(connection) }
        try requireTracked()
        // The other tables remain recorded, with the changes of their schema.
        if names != nil { try SchemaFollowing(connection).run() }
        // A table that was dropped would be recorded again.
        let entities = try registry.entities().filter { try $0.tableName != nil || wasDropped($0) }
        for name in names ?? [] where !entities.contains(where: { $0.name == name }) {
            throw SwiftDataError.unsupportedFeature.with(detail: "the table \(name) is not recorded")
        }
        for entity in entities where names?.contains(entity.name) ?? true {
            if entity.tableName != nil { try stop(entity) }
            try MetaTable.remove(.droppedTable(entity.number), connection)
        }
        let ignored = IgnoredTables(connection)
        if names == nil { try ignored.remove() } else if try ignored.names() != nil { try ignored.set() }
        try SchemaFollowing(connection).finish()
    }

    private func stop(_ entity: RecordedEntity) throws {
        var headers = HeaderWriter(connection)
        try headers.sealExternalChanges(resolvesConflicts: true)
        try end(entity)
    }

    /// Drops the triggers and the baseline. The changes until now have a header.
    func end(_ entity: RecordedEntity) throws {
        for statement in RecorderSQL.dropTriggers(of: entity.number) { try connection.execute(statement) }
        try registry.setTable(nil, keyColumns: entity.keyColumns ?? [], of: entity)
        try Baseline(of: entity.number, connection).remove()
    }

    func untrack() throws {
        let objects = try RecorderObjects(connection)
        if !objects.isIncomplete { try requireTracked() }
        try objects.drop(connection)
    }

    private func requireTracked() throws {
        guard try FileFormat.isTracked(connection) else {
            throw SwiftDataError.unsupportedFeature.with(detail: "the database is not tracked")
        }
    }
}
