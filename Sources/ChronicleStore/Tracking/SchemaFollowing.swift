import ChronicleCore
import ChronicleSQLStore
import ChronicleSQLite

/// Adapts the recording to a schema that the program of a tracked database has changed.
///
/// The changes of the schema are one transaction of other programs, whose metadata describe them. It contains what was not
/// recorded since: rows that were inserted or deleted, and values that differ from the recorded ones. Rows of a new column
/// are updates from NULL, those of a new table are inserts, and those of a dropped one are deletes. A gap remains only if
/// triggers were missing for rows with values that the history does not contain, so that changes could not be found.
///
/// Must be used in a write transaction.
struct SchemaFollowing {
    struct Change: Hashable {
        /// The present name, or the last one of a table that was dropped.
        let table: String
        let text: String
    }

    struct Result {
        var changes: [Change] = []
        /// The tables of which changes may be missing.
        var gaps: Set<String> = []
        /// The numbers of changes of the recorded tables that had not been recorded.
        var counts: [String: Int] = [:]
    }

    static let metadata = "schema"

    let connection: Connection
    let tracking: TableTracking
    let registry: EntityRegistry

    init(_ connection: Connection) {
        self.connection = connection
        tracking = TableTracking(connection)
        registry = tracking.registry
    }

    // MARK: When to look

    /// Whether the schema has changed since the recording was last adapted to it. SQLite counts all changes, also those of
    /// Chronicle and `VACUUM`.
    var isDue: Bool {
        get throws {
            // Each read as of a position calls this, so compare the versions before reading the definitions of the file.
            guard try FileFormat.isTracked(connection),
                try MetaTable.integer(.followedSchema, connection) != schemaVersion
            else { return false }
            return try !RecorderObjects(connection).isIncomplete
        }
    }

    private var schemaVersion: Int64 {
        get throws { try connection.scalarInt64("PRAGMA main.schema_version") ?? 0 }
    }

    /// Notes that the recording corresponds to the present schema.
    func finish() throws {
        guard try FileFormat.isTracked(connection) else { return }
        try PermanentViews(connection).followSchema()
        guard try MetaTable.integer(.followedSchema, connection) != schemaVersion else { return }
        try PendingTransaction.moveTriggerToEnd(connection)
        for entity in try registry.entities() where entity.tableName != nil {
            try MetaTable.set(.triggers(entity.number), numbers(ofTriggersOf: entity), connection)
        }
        try MetaTable.set(.followedSchema, schemaVersion, connection)
    }

    /// The numbers of the triggers in the schema. Triggers that a program creates again have others, also with the same text:
    /// SQLite gives a new one the highest number plus one, and the trigger of ``PendingTransaction`` is above them.
    private func numbers(ofTriggersOf entity: RecordedEntity) throws -> String {
        let names = RecorderSQL.TriggerKind.allCases.map { RecorderSQL.literal($0.name(of: entity.number)) }
        let statement = try connection.prepare(
            """
            SELECT rowid FROM sqlite_schema WHERE type = 'trigger' AND name IN (\(names.joined(separator: ", "))) \
            ORDER BY rowid
            """)
        var numbers: [String] = []
        while try statement.step() { numbers.append(String(statement.int64(0))) }
        return numbers.joined(separator: " ")
    }

    /// Whether a program may have dropped and created the triggers, for example because it rebuilt the table. `VACUUM` gives them
    /// other numbers, too.
    private func hasOtherTriggers(_ entity: RecordedEntity) throws -> Bool {
        try MetaTable.text(.triggers(entity.number), connection) != numbers(ofTriggersOf: entity)
    }

    // MARK: Following

    @discardableResult
    func run() throws -> Result {
        guard try isDue else { return Result() }
        var result = Result()
        if try hasWork() { result = try SealedCatalog.recordingChanges(connection) { try follow() } }
        try IgnoredTables(connection).removeMissing()
        try finish()
        return result
    }

    private func hasWork() throws -> Bool {
        for entity in try registry.entities() {
            guard let name = entity.tableName else { continue }
            guard let table = try TrackedTable(name, connection), try tracking.newName(of: entity) == nil else {
                return true
            }
            let isChanged =
                try table.reason == nil
                ? tracking.interruption(of: entity, table) != nil || hasEarlierTriggers(entity, table)
                    || hasOtherTriggers(entity)
                : KeyConversion(entity, connection).isRequired
            if isChanged { return true }
        }
        return try !newTables().isEmpty
    }

    private func hasEarlierTriggers(_ entity: RecordedEntity, _ table: TrackedTable) throws -> Bool {
        try Set(tracking.triggers(of: table.name).map(\.sql))
            != Set(RecorderSQL.triggers(of: table.recordedTable(entity)))
    }

    private func follow() throws -> Result {
        var result = Result()
        var headers = HeaderWriter(connection)
        let first = try headers.groupExternalChanges(resolvesConflicts: true)
        // The transaction has the present date.
        try PendingTransaction.discard(connection)
        // Renamed columns, among others, are a reason to create the triggers again.
        let isVacuumed = try PendingTransaction.isVacuumed(connection)
        let changed = try Set(
            registry.entities().filter { try $0.tableName != nil && hasOtherTriggers($0) }.map(\.number))
        var tables: [Reconciliation.Table] = []
        let (formerNames, misread) = try renameTables(&result, &tables)
        try renameColumns(&result)
        for entity in try registry.entities() {
            guard let name = entity.tableName else { continue }
            guard let table = try TrackedTable(name, connection) else {
                result.changes.append(Change(table: name, text: "table dropped: \(name)"))
                try end(entity, nil, &result, &tables)
                try MetaTable.set(.droppedTable(entity.number), 1, connection)
                continue
            }
            guard table.reason == nil else {
                if try KeyConversion(entity, connection).isRequired { try end(entity, table, &result, &tables) }
                continue
            }
            // Changes may be missing, and others may have the values of another table.
            let isMisread = misread[entity.number] != nil
            if misread[entity.number] == true { result.gaps.insert(table.name) }
            let isChanged = isMisread || changed.contains(entity.number)
            if try isChanged || tracking.interruption(of: entity, table) != nil {
                // The name of a table that was rebuilt can differ in its case.
                if table.name != name { try rename(entity, to: table, &result) }
                let renamed = try registry.entities().first { $0.number == entity.number } ?? entity
                try follow(renamed, table, hasNewTriggers: isMisread || isChanged && !isVacuumed, &result, &tables)
            } else if try hasEarlierTriggers(entity, table) {
                try tracking.recreateTriggers(table.recordedTable(entity))
            }
        }
        for table in try newTables(with: formerNames) {
            result.changes.append(Change(table: table.name, text: "table added: \(table.name)"))
            try tables.append(begin(table))
        }
        try record(&tables, from: first, &result)
        return result
    }

    private func record(_ tables: inout [Reconciliation.Table], from first: Int64, _ result: inout Result) throws {
        let reconciliation = Reconciliation(connection)
        try reconciliation.compareValues(&tables)
        var count = 0
        for table in tables {
            if table.hasUnknownValues { result.gaps.insert(table.entity.name) }
            let changes = try reconciliation.record(table)
            if table.table != nil, !table.isNew { result.counts[table.entity.name] = changes }
            count += changes
        }
        if count > 0 || !result.changes.isEmpty {
            let position = try HeaderWriter.groupExternalChanges(from: first, connection)
            var metadata = count > 0 ? Reconciliation.metadata : [:]
            if !result.changes.isEmpty {
                metadata[Self.metadata] = result.changes.map(\.text).joined(separator: ", ")
            }
            try MetadataTable.insert(metadata, at: position, connection)
        }
        for table in tables {
            if let present = table.table { try tracking.begin(present, table.entity) }
        }
        if !result.gaps.isEmpty { try HistoryGap.record(connection) }
    }

    // MARK: Tables

    /// Adapts the recording of a table with other columns, keys or triggers.
    ///
    /// - Parameter hasNewTriggers: Whether a program created the triggers again, and may have written rows before that.
    private func follow(
        _ entity: RecordedEntity, _ table: TrackedTable, hasNewTriggers: Bool, _ result: inout Result,
        _ tables: inout [Reconciliation.Table]
    ) throws {
        func add(_ text: String) { result.changes.append(Change(table: table.name, text: text)) }
        if try tracking.hasOtherKeys(entity, table) || KeyConversion(entity, connection).isRequired {
            add("primary key changed: \(table.name)")
            try end(entity, table, &result, &tables)
            try tracking.retire(entity)
            try tables.append(begin(table))
            return
        }
        let found = try tracking.triggers(of: table.name)
        if found.isEmpty { add("table rebuilt: \(table.name)") }
        let known = Dictionary(
            entity.attributes.filter(\.isPresent).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let columns = Set(table.attributes.map(\.name))
        for name in known.keys.sorted() where !columns.contains(name) { add("column removed: \(table.name).\(name)") }
        let isIncomplete = hasNewTriggers || !isRecording(found.map(\.sql), entity, table)
        let recorded = try tracking.register(table, entity)
        var added: [Int] = []
        for attribute in recorded.attributes where attribute.isPresent {
            guard let earlier = known[attribute.name] else {
                added.append(attribute.number)
                let newest = try connection.scalarInt64(ChangeTable.selectNewestPosition) ?? 0
                try MetaTable.set(.addedColumn(entity.number, number: attribute.number), newest, connection)
                add("column added: \(table.name).\(attribute.name)")
                continue
            }
            if earlier.type != attribute.type { add("column changed: \(table.name).\(attribute.name)") }
        }
        let difference = try Baseline(of: entity.number, connection).difference(table)
        // The history does not contain the keys of a table that an earlier version of Chronicle tracked.
        if isIncomplete, difference.map({ !$0.insertedEarlier.isEmpty || !$0.deletedEarlier.isEmpty }) ?? true {
            result.gaps.insert(table.name)
        }
        tables.append(
            Reconciliation.Table(
                entity: recorded, table: table, difference: difference ?? .init(), addedAttributes: added,
                requiresValues: isIncomplete, comparesValues: Set(known.keys) != columns))
    }

    /// Whether the triggers of the entity exist, except those that depend on unique indexes.
    private func isRecording(_ triggers: [String], _ entity: RecordedEntity, _ table: TrackedTable) -> Bool {
        let required = RecorderSQL.triggers(of: table.recordedTable(entity).withoutUniqueness)
        return Set(required.map(Self.name)).isSubset(of: triggers.map(Self.name))
    }

    static func name(ofTrigger sql: String) -> Substring {
        sql.dropFirst("CREATE TRIGGER ".count).prefix { $0 != " " }
    }

    /// The rows of a new table, or one with another primary key, are inserts. An earlier table of the same name is another
    /// one.
    private func begin(_ table: TrackedTable) throws -> Reconciliation.Table {
        for known in try registry.entities() where TableNames.folded(known.name) == TableNames.folded(table.name) {
            try tracking.retire(known)
        }
        let recorded = try tracking.register(table, nil)
        let keys = try Baseline.keys(table, recorded.number, connection)
        return Reconciliation.Table(entity: recorded, table: table, difference: .init(inserted: keys), isNew: true)
    }

    /// The rows of a table that was dropped are deletes.
    private func end(
        _ entity: RecordedEntity, _ table: TrackedTable?, _ result: inout Result, _ tables: inout [Reconciliation.Table]
    ) throws {
        let entity = try KeyConversion(entity, connection).run(table)
        let keys = try Baseline(of: entity.number, connection).expectedKeys()
        if keys == nil { result.gaps.insert(entity.name) }
        tables.append(Reconciliation.Table(entity: entity, table: nil, difference: .init(deleted: keys ?? [])))
        try tracking.end(entity)
    }

    /// The tables to record that did not exist when the recording was last adapted. If new tables are not recorded, these are only
    /// those that were dropped and exist again, because a program can rebuild a table in several transactions, and those that
    /// have the former name of a renamed one.
    private func newTables(with formerNames: Set<String> = []) throws -> [TrackedTable] {
        let ignored = try IgnoredTables(connection).names()
        let entities = try registry.entities()
        let recorded = Set(entities.compactMap(\.tableName))
        let dropped = try Set(
            entities.filter(tracking.wasDropped).map { TableNames.folded($0.name) })
        return try TrackedTable.names(connection).compactMap { name in
            guard !recorded.contains(name),
                dropped.contains(TableNames.folded(name)) || formerNames.contains(TableNames.folded(name))
                    || ignored.map({ !$0.contains(name) }) ?? false
            else { return nil }
            return try TrackedTable(name, connection).flatMap { $0.reason == nil ? $0 : nil }
        }
    }

    // MARK: Names

    /// SQLite changes the triggers of a table with its name, so that nothing is missing. Tables can have exchanged their names.
    ///
    /// - Returns: The names that the tables had, in lowercase, which other tables may have now, and the entities whose triggers
    ///   SQLite has moved without changing them: whether these read another table, which has the former name.
    private func renameTables(
        _ result: inout Result, _ tables: inout [Reconciliation.Table]
    ) throws -> (formerNames: Set<String>, misread: [Int64: Bool]) {
        let entities = try registry.entities()
        var renamed: [(entity: RecordedEntity, table: TrackedTable)] = []
        for entity in entities where entity.tableName != nil {
            guard let name = try tracking.newName(of: entity), let table = try TrackedTable(name, connection) else {
                continue
            }
            renamed.append((entity, table))
        }
        func other(named name: String) -> RecordedEntity? {
            entities.first { other in other.name == name && !renamed.contains { $0.entity.number == other.number } }
        }
        // The table had replaced another one, which was dropped.
        while let index = try renamed.firstIndex(where: { try other(named: $0.table.name).map(hasTriggers) ?? false }) {
            renamed.remove(at: index)
        }
        var misread: [Int64: Bool] = [:]
        for (entity, table) in renamed where try tracking.readsFormerTable(entity, table.name) {
            misread[entity.number] = try TrackedTable(entity.name, connection) != nil
        }
        for (_, table) in renamed {
            guard let other = other(named: table.name) else { continue }
            if other.tableName != nil { try end(other, nil, &result, &tables) }
            try tracking.retire(other)
        }
        // A name is unique, also while others have their earlier ones.
        for (entity, _) in renamed { try setName("chronicle_\(entity.number)", of: entity) }
        for (entity, table) in renamed { try rename(entity, to: table, &result) }
        return (Set(renamed.map { TableNames.folded($0.entity.name) }), misread)
    }

    private func rename(_ entity: RecordedEntity, to table: TrackedTable, _ result: inout Result) throws {
        result.changes.append(
            Change(table: table.name, text: "table renamed: \(entity.name) to \(table.name)"))
        // The recording of another table with the name ended.
        for other in try registry.entities() where other.name == table.name && other.number != entity.number {
            try tracking.retire(other)
        }
        try setName(table.name, of: entity)
        try registry.setDefinition(tracking.definition(of: table), of: entity)
    }

    private func setName(_ name: String, of entity: RecordedEntity) throws {
        let statement = try connection.prepare("UPDATE chronicle_entity SET name = ?1, table_name = ?1 WHERE id = ?2")
        try statement.bind(name, at: 1)
        try statement.bind(entity.number, at: 2)
        try statement.run()
    }

    private func hasTriggers(_ entity: RecordedEntity) throws -> Bool {
        try connection.scalarInt64("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?") {
            try $0.bind(RecorderSQL.TriggerKind.insert.name(of: entity.number), at: 1)
        } != nil
    }
}
