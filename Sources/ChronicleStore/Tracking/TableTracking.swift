import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite
import Foundation

/// Begins and ends the recording of tables in a transaction of a connection to another program's database.
struct TableTracking {
    let connection: Connection
    let registry: EntityRegistry
    /// The triggers of the program, which do not change in a transaction.
    let programTriggers = ProgramTriggers()

    final class ProgramTriggers {
        var analysis: TriggerAnalysis?
    }

    init(_ connection: Connection) {
        self.connection = connection
        registry = EntityRegistry(connection)
    }

    // MARK: Beginning

    /// - Parameter earlier: The changes of the schema that were followed before.
    func track(
        _ names: [String]?, preservesValues: Bool?, recordsNewTables: Bool?, _ earlier: SchemaFollowing.Result
    ) throws -> [TrackedDatabase.Table] {
        let requested = try requestedTables(names)
        try dropRemains()
        if try !FileFormat.isTracked(connection) { try createHistory(preservesValues: preservesValues ?? true) }
        // The triggers show which columns were renamed, so they are compared before the setting changes them.
        var followed = try SchemaFollowing(connection).run()
        followed.changes = earlier.changes + followed.changes
        followed.gaps.formUnion(earlier.gaps)
        if let preservesValues { try setPreservesValues(preservesValues) }
        var begun: Set<String> = []
        try SealedCatalog.recordingChanges(connection) {
            for table in requested where try record(table) { begun.insert(table.name) }
        }
        if !begun.isEmpty { try HistoryGap.record(connection) }
        let ignored = IgnoredTables(connection)
        if let recordsNewTables, !recordsNewTables { try ignored.remove() }
        if try recordsNewTables ?? (ignored.names() != nil) { try ignored.set() }
        try SchemaFollowing(connection).finish()
        var tables = try tables()
        for name in Set(followed.changes.map(\.table)).subtracting(tables.map(\.name)).sorted() {
            tables.append(.init(name: name, state: .unsupported(reason: "the table was dropped"), limitations: []))
        }
        return tables.map { table in
            var table = table
            table.isNew =
                table.state == .recorded && (begun.contains(table.name) || followed.gaps.contains(table.name))
            table.schemaChanges = followed.changes.filter { $0.table == table.name }.map(\.text)
            return table
        }
    }

    func reconcile() throws -> [String: Int] {
        guard try FileFormat.isTracked(connection), try !RecorderObjects(connection).isIncomplete else { return [:] }
        return try Reconciliation(connection).run()
    }

    /// The tables to record in the order in which their recording begins.
    func requestedTables(_ names: [String]?) throws -> [TrackedTable] {
        func unsupported(_ detail: String) -> SwiftDataError { .unsupportedFeature.with(detail: detail) }
        guard let names else {
            let all = try TrackedTable.names(connection).compactMap { try TrackedTable($0, connection) }
            let tables = all.filter { $0.reason == nil }
            // The program may have dropped all tables since, which is a change to follow.
            if tables.isEmpty, try !FileFormat.isTracked(connection) {
                let reasons = all.filter { !$0.isPart }.prefix(5).compactMap { table in
                    table.reason.map { "\(table.name) (\($0))" }
                }
                let list = reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")
                throw unsupported("the database has no table that can be recorded" + list)
            }
            return tables
        }
        var known: Set<String> = []
        return try names.filter { known.insert($0.lowercased()).inserted }.map { name in
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
        try objects.requireRestartable()
        try objects.drop(connection)
    }

    func requireNoReservedNames() throws {
        let names = try connection.prepare(
            "SELECT name FROM sqlite_schema WHERE substr(name, 1, 10) = 'chronicle_' COLLATE NOCASE")
        while try names.step() {
            let other = names.text(0)
            if try KeyTable.isRemainder(other, connection) { continue }
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the database already contains \(other), and names that begin with chronicle_ are reserved")
        }
    }

    private func createHistory(preservesValues: Bool) throws {
        try requireNoReservedNames()
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
        try headers.groupExternalChanges(resolvesConflicts: true)
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
            try stop(known, convertsKeys: false)
            try retire(known)
            entity = nil
        }
        try begin(table, register(table, entity))
        return true
    }

    /// Assigns numbers to the columns of a table, and to its keys.
    func register(_ table: TrackedTable, _ entity: RecordedEntity?) throws -> RecordedEntity {
        let isNew = entity == nil
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
            let stored = try key.storedDefinition(connection)
            // Keys were numbered for another table, whose recording did not begin.
            if isNew, stored != nil, stored != key.createTable {
                try connection.execute("DROP TABLE \(quoted(key.key.table))")
                try connection.execute(key.createTable)
            }
            if stored == nil { try connection.execute(key.createTable) }
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
        if names == nil, try objects.areRemainder(connection) { return try objects.drop(connection) }
        try requireTracked()
        // The other tables remain recorded, with the changes of their schema.
        if names != nil { try SchemaFollowing(connection).run() }
        // A table that was dropped would be recorded again.
        let entities = try registry.entities().filter { try $0.tableName != nil || wasDropped($0) }
        for name in names ?? [] where !entities.contains(where: { $0.name == name }) {
            throw SwiftDataError.unsupportedFeature.with(detail: "the table \(name) is not recorded")
        }
        let isDue = try SchemaFollowing(connection).isDue
        try SealedCatalog.recordingChanges(connection) {
            for entity in entities where names?.contains(entity.name) ?? true {
                if entity.tableName != nil { try stop(entity, convertsKeys: isDue) }
                try MetaTable.remove(.droppedTable(entity.number), connection)
            }
        }
        let ignored = IgnoredTables(connection)
        if names == nil { try ignored.remove() } else if try ignored.names() != nil { try ignored.set() }
        try SchemaFollowing(connection).finish()
    }

    /// - Parameter convertsKeys: Whether a program may have given the table keys that are not integers.
    private func stop(_ entity: RecordedEntity, convertsKeys: Bool) throws {
        var headers = HeaderWriter(connection)
        try headers.groupExternalChanges(resolvesConflicts: true)
        guard convertsKeys else { return try end(entity) }
        let table = try entity.tableName.flatMap { try TrackedTable($0, connection) }
        try end(KeyConversion(entity, connection).run(table))
    }

    /// Drops the triggers and the baseline. The changes until now have a header.
    func end(_ entity: RecordedEntity) throws {
        for statement in RecorderSQL.dropTriggers(of: entity.number) { try connection.execute(statement) }
        try registry.setTable(nil, keyColumns: entity.keyColumns ?? [], of: entity)
        try Baseline(of: entity.number, connection).remove()
    }

    func untrack() throws {
        let objects = try RecorderObjects(connection)
        if try !objects.areRemainder(connection) { try requireTracked() }
        try objects.drop(connection)
    }

    private func requireTracked() throws {
        guard try FileFormat.isTracked(connection) else {
            throw SwiftDataError.unsupportedFeature.with(
                detail: "the database is not tracked; use `chronicle track FILE` to record its changes")
        }
    }
}
